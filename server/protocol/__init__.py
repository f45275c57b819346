"""The wire, without any I/O: events, commands, envelope and the fold that both sides agree on."""
