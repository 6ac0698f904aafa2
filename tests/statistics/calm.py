"""How calm the machine is: what others, and the hypervisor, take of its processors.

A run that had to share tells little of the program. calm() looks before, Watch during; both give shares of all processor time."""

import os
import pathlib
import resource
import time

MOST = 0.05  # of the processors, taken by others or by the hypervisor: a run above it is inconclusive


def ticks():
    """Seconds since the machine's start that its processors were busy, and that the hypervisor took."""
    words = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]  # user nice system idle iowait irq softirq steal
    each = [int(word) / os.sysconf("SC_CLK_TCK") for word in words]
    return sum(each) - each[3] - each[4] - each[7], each[7]


def pressure():
    """The share of the last ten seconds in which something waited for a processor; None where the kernel does not tell."""
    try:
        return float(pathlib.Path("/proc/pressure/cpu").read_text().split("avg10=")[1].split()[0]) / 100
    except (OSError, IndexError, ValueError):
        return None


def running():
    """Threads that run or are ready, this one included."""
    return int(pathlib.Path("/proc/stat").read_text().split("procs_running ")[1].split()[0])


class Watch:
    """with Watch() as watch: what others and the hypervisor had meanwhile, as shares of the machine's processors."""

    def __enter__(self):
        self._begin = self._read()
        return self

    def __exit__(self, *_):
        wall, busy, stolen, own = (end - begin for begin, end in zip(self._begin, self._read()))
        whole = max(1e-3, wall) * os.cpu_count()
        self.others = max(0.0, busy - own) / whole
        self.stolen = max(0.0, stolen) / whole

    @property
    def is_calm(self):
        return self.others <= MOST and self.stolen <= MOST

    @staticmethod
    def _read():
        busy, stolen = ticks()
        used = [resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
        return time.monotonic(), busy, stolen, sum(usage.ru_utime + usage.ru_stime for usage in used)


def wait_until_calm(patience=60):
    """Looks for half a second at a time until nothing else runs. False where that does not come."""
    late = time.monotonic() + patience
    while True:
        with Watch() as watch:
            time.sleep(0.5)
        if watch.is_calm and running() <= 2:
            return True
        if time.monotonic() > late:
            return False
