#!@KYMO_PYTHON@ -B
"""Threads score items, each on its own, in Python: its interpreter lock lets one of them run at a time. Fixed: processes instead of
threads. Decoy: a digest over some megabytes before it, in C.

As planted.h has it: called with `bad` or `fixed`; prints what is true of itself."""

import ctypes
import hashlib
import json
import os
import sys
import threading
import time

WORKERS = 2
ITEMS = 900
ROUNDS = 12_000


def name_thread(name):
    pr_set_name = 15
    ctypes.CDLL(None).prctl(pr_set_name, name.encode())


def score(item):
    value = item
    for step in range(ROUNDS):
        value = (value * 31 + step) % 65_521
    return value


def work(number):
    name_thread(f"worker-{number}")
    return sum(score(item) for item in range(number, ITEMS, WORKERS))


def in_threads():
    threads = [threading.Thread(target=work, args=(number,)) for number in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def in_processes():
    children = []
    for number in range(WORKERS):
        child = os.fork()
        if child == 0:
            work(number)
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in ("bad", "fixed"):
        sys.exit(f"usage: {sys.argv[0]} bad|fixed")
    version = sys.argv[1]
    begin = time.monotonic()
    hashlib.sha256(bytes(30_000_000)).hexdigest()
    if version == "bad":
        in_threads()
    else:
        in_processes()
    wall = time.monotonic() - begin
    print(json.dumps({"truth": {"kind": "interpreter-lock", "version": version, "file": "interpreter_lock.py"}}))
    for number in range(WORKERS):
        print(json.dumps({"thread": f"worker-{number}"}))
    print(json.dumps({"timing": {"wall_s": wall}}))


main()
