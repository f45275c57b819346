"""Parts of a typed text that both the tools and the demo model read: its words, its things and its wishes."""
