"""The tools of the LoopOS agents."""
