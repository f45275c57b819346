"""The C library's allocator gives large buffers back to the system as soon as they are freed."""

import ctypes

MAP_THRESHOLD, TRIM_THRESHOLD, MOST_ARENAS = -3, -1, -8
"""The parameters of glibc's `mallopt(3)`: M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, M_ARENA_MAX."""

LARGE = 128 << 10
"""Bytes from which a buffer is mapped by itself. This is glibc's first value. It raises it to the size of each such
buffer that is freed, up to 32 MiB: later buffers of megabytes then stand between small objects, which keep their
memory from the system."""

ARENAS = 2
"""Heaps that threads share. glibc makes 8 for each core, and each keeps what its threads needed at their busiest."""


def bound_freed_memory() -> None:
    """Bound what this process keeps of freed memory, whatever `MALLOC_*` says; another C library is left alone."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return
    mallopt(MAP_THRESHOLD, LARGE)
    mallopt(TRIM_THRESHOLD, LARGE)
    mallopt(MOST_ARENAS, ARENAS)
