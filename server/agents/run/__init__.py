"""One run of agents: the driver, the events that it shows, pending calls, history, checkpoints and usage."""
