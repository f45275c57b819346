"""Times and events in an answer that are not those the question asks about: which figure is of today."""
