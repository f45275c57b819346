"""Sockets: the handshake, one connection, the sockets of a session, and a server that survives bad clients."""
