"""The submission of inputs: messages, versions of messages, what operators do, each stored with its run."""
