"""REST: tickets, sessions, services, files, operators and health, with JSON bodies and one shape of errors."""
