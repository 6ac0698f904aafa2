"""Work of known shares in functions of Python: of each turn 3 parts in `Machine.heavy`, 1 in `light`, both through a recursion and a generator.
Prints what it computed. The argument: how many turns, 500 if none."""

import os
import sys
import threading


class Machine:
    def heavy(self, n):
        total = 0
        for i in range(n):
            total += i & 7
        return total


def light(n):
    total = 0
    for i in range(n):
        total += i & 7  # line 21
    return total


def deeper(depth, work):
    return work() if depth == 0 else deeper(depth - 1, work)


def turns(count, n):
    machine = Machine()
    for _ in range(count):
        yield deeper(3, lambda: machine.heavy(3 * n))
        yield light(n)


def rounds(count):
    return sum(turns(count, 2000))


def größer(lock):
    """Waits, and has a name that is not ASCII."""
    with lock:
        pass


def main():
    lock = threading.Lock()
    lock.acquire()
    waits = threading.Thread(target=größer, args=(lock,))
    waits.start()
    total = rounds(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
    lock.release()
    waits.join()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        total = rounds(100)
        os._exit(0 if total == rounds(100) else 1)
    print(total, os.waitpid(child, 0)[1])


main()
