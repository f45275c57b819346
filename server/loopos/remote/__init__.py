"""LoopOS Core over HTTP, by the contract that docs/core/openapi.json publishes."""
