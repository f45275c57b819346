"""The agents that the demo model plays: one module for each of them, two for the corrections of Questions."""
