"""The commands of `python -m server`: each is a module, which is loaded when it is chosen.

A command's module has `run(settings, point)`, which does it and returns the exit code. It raises CannotStart,
LoopwireError or OSError with a sentence for people. `point` is called at the named places of a run; tests stop there.
"""
