"""The OpenAPI document of the REST API, and what the pages of services show of it: rows of fields, snippets."""
