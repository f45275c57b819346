"""Requests of services over REST: each is stored as a run, followed to its end, and readable as a job."""
