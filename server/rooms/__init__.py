"""Rooms: the readers of a session on this instance, whatever their transport: sockets, streams, AG-UI answers."""
