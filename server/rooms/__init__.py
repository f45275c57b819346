"""Who watches a session on this instance, whatever the transport: sockets, streams and AG-UI answers."""
