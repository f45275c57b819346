"""REST: tickets, sessions, services, items and health, with JSON bodies and one shape of errors."""
