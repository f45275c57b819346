"""The servers of models: providers, the client, and the errors that they end with."""
