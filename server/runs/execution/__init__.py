"""The execution of a claimed run under its lease: opening, outlet, ending, and the sweep of runs of other processes."""
