"""The figures of two instances, in the order of the table."""

from bench.figures import Figure, Goal

WINDOW_MS = 20
"""Loopwire's flush window: a setting, and this is its default."""

REMOTE_P50 = Figure("added latency p50 on the other instance, ms", Goal(WINDOW_MS + 1))
REMOTE_P99 = Figure("added latency p99 on the other instance, ms")
REMOTE_CPU = Figure("CPU of a delivery on the other instance, us", Goal(0.5, of_plain=True))
FANOUT_CPU = Figure("CPU of a delivery, 100 sockets on two instances, us")
FANOUT_P99 = Figure("added latency p99 of these, ms")
STORM_S = Figure("2,000 sockets resumed, s")
STORM_CPU = Figure("CPU of a resume, ms")
STORM_MISSED = Figure("resumes that got a snapshot instead, of 2,000", Goal(0))
STORM_QUERIES = Figure("transactions of the database per resume", Goal(0.01))
SOAK_P99 = Figure("added latency p99, 200 sessions at 5 tokens/s, ms")
SOAK_GROWTH = Figure("growth of memory in the second half of that minute, MiB", Goal(8))

FIGURES = tuple(each for each in list(globals().values()) if isinstance(each, Figure))
