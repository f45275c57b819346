"""The queue of runs in SQL: from the stored input over the lease to the published end."""
