"""Holds one thread where it is for so many seconds, by ptrace, while the others of its process go on: hold_thread.py TID SECONDS.

Says "held" once it stands. Ends with 77 where that is not allowed.
"""

import ctypes
import os
import sys
import time

SEIZE, INTERRUPT, DETACH, WAIT_ALL = 0x4206, 0x4207, 17, 0x40000000

ptrace = ctypes.CDLL(None, use_errno=True).ptrace
ptrace.argtypes, ptrace.restype = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p], ctypes.c_long

tid, seconds = int(sys.argv[1]), float(sys.argv[2])
if ptrace(SEIZE, tid, None, None) != 0 or ptrace(INTERRUPT, tid, None, None) != 0:
    print(os.strerror(ctypes.get_errno()), flush=True)
    sys.exit(77)
os.waitpid(tid, WAIT_ALL)
print("held", flush=True)
time.sleep(seconds)
ptrace(DETACH, tid, None, None)
