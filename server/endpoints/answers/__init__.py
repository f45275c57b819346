"""The answers of runs, as AG-UI, OpenAI's API and the services give them: what follows a run, and streams it."""
