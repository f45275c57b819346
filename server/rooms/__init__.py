"""Rooms: the readers of a session on this instance, of every transport: sockets, streams, AG-UI answers."""
