"""Writes perf.data files with known contents, for the tests of kymo import. The form is that of the kernel's
tools/perf/Documentation/perf.data-file-format.txt; only what the tests need."""

import struct

MMAP, LOST, COMM, EXIT, FORK, SAMPLE, SWITCH = 1, 2, 3, 4, 7, 9, 14
USER, KERNEL = 2, 1  # of a record's misc
COMM_EXEC, SWITCH_OUT, SWITCH_OUT_PREEMPT = 1 << 13, 1 << 13, 1 << 14
CONTEXT_KERNEL, CONTEXT_USER = 2**64 - 128, 2**64 - 512
SOFTWARE, HARDWARE = 1, 0
CPU_CLOCK, TASK_CLOCK, PAGE_FAULTS, CYCLES = 0, 1, 2, 0
IP, TID, TIME, READ, CALLCHAIN, ID, CPU, PERIOD = 1, 2, 4, 16, 32, 64, 128, 256
EXCLUDE_KERNEL, FREQUENCY, SAMPLE_ID_ALL, CONTEXT_SWITCH = 1 << 5, 1 << 10, 1 << 18, 1 << 26
ATTRIBUTE_BYTES = 112
HOSTNAME, ARCHITECTURE = 3, 6  # features
SAMPLE_TYPE = IP | TID | TIME | CALLCHAIN | ID | CPU | PERIOD


class PerfData:
    """Records are in the file in the order in which they are added. `events`: (type, config, flags, period) of each."""

    def __init__(self, events):
        self.events = events
        self.records = []

    def add(self, kind, misc, body, origin=None):
        """`origin`: (pid, tid, time) of the trailer; not of samples."""
        if origin is not None:
            pid, tid, time = origin
            body += struct.pack("<IIQQII", pid, tid, time, 100, 0, 0)  # TID, TIME, ID, CPU
        body += b"\0" * (-len(body) % 8)
        self.records.append(struct.pack("<IHH", kind, misc, 8 + len(body)) + body)

    def mmap(self, pid, time, begin, length, offset, path):
        name = path.encode() + b"\0"
        name += b"\0" * (-len(name) % 8)
        self.add(MMAP, USER, struct.pack("<IIQQQ", pid, pid, begin, length, offset) + name, (pid, pid, time))

    def comm(self, pid, tid, time, name, is_exec=False):
        text = name.encode()[:15].ljust(16, b"\0")
        self.add(COMM, COMM_EXEC if is_exec else 0, struct.pack("<II", pid, tid) + text, (pid, tid, time))

    def fork(self, pid, tid, parent_pid, parent_tid, time, kind=FORK):
        self.add(kind, 0, struct.pack("<IIIIQ", pid, parent_pid, tid, parent_tid, time), (pid, tid, time))

    def switch(self, pid, tid, time, misc):
        self.add(SWITCH, misc, b"", (pid, tid, time))

    def lost(self, count, time):
        self.add(LOST, 0, struct.pack("<QQ", 100, count), (0, 0, time))

    def sample(self, pid, tid, time, chain, event=0, period=None, kernel=False):
        """`chain`: addresses, innermost first, of user mode. `kernel`: the sample was taken there, with this chain above."""
        entries = ([CONTEXT_KERNEL, 2**64 - 2**40] if kernel else []) + ([CONTEXT_USER, *chain] if chain else [])
        ip = entries[1] if entries else 0
        period = self.events[event][3] if period is None else period
        self.add(SAMPLE, KERNEL if kernel else USER,
                 struct.pack("<QIIQQIIQ", ip, pid, tid, time, 100 + event, 0, 0, period)
                 + struct.pack(f"<Q{len(entries)}Q", len(entries), *entries))

    def attribute(self, index):
        kind, config, flags, period = self.events[index]
        return struct.pack("<IIQQQQQ", kind, ATTRIBUTE_BYTES, config, period, SAMPLE_TYPE, 0, flags | SAMPLE_ID_ALL).ljust(ATTRIBUTE_BYTES, b"\0")

    def bytes(self):
        header_bytes = 104
        data = b"".join(self.records)
        ids_at = header_bytes
        ids = b"".join(struct.pack("<Q", 100 + i) for i in range(len(self.events)))
        attributes_at = ids_at + len(ids)
        attributes = b"".join(self.attribute(i) + struct.pack("<QQ", ids_at + 8 * i, 8) for i in range(len(self.events)))
        data_at = attributes_at + len(attributes)
        features = {HOSTNAME: text("elsewhere"), ARCHITECTURE: text("x86_64")}
        table_at = data_at + len(data)
        at = table_at + 16 * len(features)
        table = b""
        for feature in sorted(features):
            table += struct.pack("<QQ", at, len(features[feature]))
            at += len(features[feature])
        bits = sum(1 << feature for feature in features)
        header = b"PERFILE2" + struct.pack("<QQQQQQQQQQQQ", header_bytes, ATTRIBUTE_BYTES + 16, attributes_at, len(attributes), data_at, len(data),
                                           0, 0, bits, 0, 0, 0)
        return header + ids + attributes + data + table + b"".join(features[f] for f in sorted(features))


def text(value):
    padded = value.encode() + b"\0"
    padded += b"\0" * (-len(padded) % 64)
    return struct.pack("<I", len(padded)) + padded
