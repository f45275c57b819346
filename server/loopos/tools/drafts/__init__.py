"""The draft of a submission: the product, the options, the pictures and what waits for a yes, kept in the session."""
