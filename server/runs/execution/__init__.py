"""The execution of a claimed run under its lease: opening, outlet, ending, and the sweep of what others left open."""
