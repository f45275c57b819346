"""The handshake of a socket, and the frames that it carries."""
