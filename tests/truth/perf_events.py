"""Whether this machine lets a test open performance events."""

import ctypes
import os
import struct

SYS_PERF_EVENT_OPEN = {"x86_64": 298}.get(os.uname().machine, 241)


def may_open_events():
    """Whether perf_event_open works here at all: a thread's own clock in user mode, which asks for the least rights."""
    libc = ctypes.CDLL(None, use_errno=True)
    # struct perf_event_attr of 64 bytes: type PERF_TYPE_SOFTWARE, its size, PERF_COUNT_SW_TASK_CLOCK; exclude_kernel and exclude_hv.
    attributes = struct.pack("<IIQQQQQIIQ", 1, 64, 1, 0, 0, 0, 1 << 5 | 1 << 6, 0, 0, 0)
    descriptor = libc.syscall(SYS_PERF_EVENT_OPEN, attributes, 0, -1, -1, 0)
    if descriptor >= 0:
        os.close(descriptor)
    return descriptor >= 0
