"""The server over HTTP: protocols with deadlines, the pages, and what each request passes."""
