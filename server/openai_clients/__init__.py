"""OpenAI's wire for its clients: `/v1/responses` holds conversations of ours, `/v1/models` lists the services.

Not to be confused with `server.agents.model`, where we are the client of a model's server.
"""
