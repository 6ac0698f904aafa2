"""Writes perf.data files with known contents, for the tests of kymo import. The form is that of the kernel's
tools/perf/Documentation/perf.data-file-format.txt; only what the tests need."""

import struct

MMAP, LOST, COMM, EXIT, FORK, SAMPLE, SWITCH = 1, 2, 3, 4, 7, 9, 14
USER, KERNEL = 2, 1  # of a record's misc
COMM_EXEC, SWITCH_OUT, SWITCH_OUT_PREEMPT = 1 << 13, 1 << 13, 1 << 14
CONTEXT_KERNEL, CONTEXT_USER = 2**64 - 128, 2**64 - 512
SOFTWARE, HARDWARE = 1, 0
CPU_CLOCK, TASK_CLOCK, PAGE_FAULTS, CYCLES = 0, 1, 2, 0
IP, TID, TIME, ADDRESS, READ, CALLCHAIN, ID, CPU, PERIOD, BRANCH_STACK = 1, 2, 4, 8, 16, 32, 64, 128, 256, 2048
WEIGHT, DATA_SOURCE, PHYSICAL, DATA_PAGE, CODE_PAGE, WEIGHT_STRUCT = 1 << 14, 1 << 15, 1 << 19, 1 << 22, 1 << 23, 1 << 24
BRANCH_USER, BRANCH_ANY, BRANCH_ANY_CALL, BRANCH_CALL_STACK, BRANCH_INDEX, BRANCH_COUNTERS = 1, 1 << 3, 1 << 4, 1 << 11, 1 << 17, 1 << 19
MISPREDICTED, PREDICTED = 1, 2  # of a branch's flags
EXCLUDE_KERNEL, FREQUENCY, SAMPLE_ID_ALL, CONTEXT_SWITCH = 1 << 5, 1 << 10, 1 << 18, 1 << 26
ATTRIBUTE_BYTES = 112
HOSTNAME, ARCHITECTURE = 3, 6  # features
SAMPLE_TYPE = IP | TID | TIME | CALLCHAIN | ID | CPU | PERIOD


BRANCH_FIELDS = (1, 1, 1, 1, 16, 4, 2, 4, 3)  # bits, of the low to the high ones where machines are little-endian


class PerfData:
    """Records are in the file in the order in which they are added. `events`: (type, config, flags, period) of each. `big`: of a big-endian
    machine. `more`: fields of samples beside the usual ones. `branches`: the branch_sample_type."""

    def __init__(self, events, big=False, more=0, branches=0):
        self.events = events
        self.records = []
        self.order = ">" if big else "<"
        self.sample_type = SAMPLE_TYPE | more
        self.branches = branches

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def branch_flags(self, flags):
        if self.order == "<":
            return flags
        made, low = 0, 0
        for bits in BRANCH_FIELDS:
            made |= (flags >> low & (1 << bits) - 1) << 64 - low - bits
            low += bits
        return made

    def add(self, kind, misc, body, origin=None):
        """`origin`: (pid, tid, time) of the trailer; not of samples."""
        if origin is not None:
            pid, tid, time = origin
            body += self.pack("IIQQII", pid, tid, time, 100, 0, 0)  # TID, TIME, ID, CPU
        body += b"\0" * (-len(body) % 8)
        self.records.append(self.pack("IHH", kind, misc, 8 + len(body)) + body)

    def mmap(self, pid, time, begin, length, offset, path):
        name = path.encode() + b"\0"
        name += b"\0" * (-len(name) % 8)
        self.add(MMAP, USER, self.pack("IIQQQ", pid, pid, begin, length, offset) + name, (pid, pid, time))

    def comm(self, pid, tid, time, name, is_exec=False):
        text = name.encode()[:15].ljust(16, b"\0")
        self.add(COMM, COMM_EXEC if is_exec else 0, self.pack("II", pid, tid) + text, (pid, tid, time))

    def fork(self, pid, tid, parent_pid, parent_tid, time, kind=FORK):
        self.add(kind, 0, self.pack("IIIIQ", pid, parent_pid, tid, parent_tid, time), (pid, tid, time))

    def switch(self, pid, tid, time, misc):
        self.add(SWITCH, misc, b"", (pid, tid, time))

    def lost(self, count, time):
        self.add(LOST, 0, self.pack("QQ", 100, count), (0, 0, time))

    def sample(self, pid, tid, time, chain, event=0, period=None, kernel=False, address=0, stack=(), weight=0, source=0, pages=(0, 0, 0)):
        """`chain`: addresses, innermost first, of user mode. `kernel`: the sample was taken there, with this chain above. `stack`: (from, to, flags)
        of branches, newest first. `pages`: the physical address and the pages' sizes of data and code."""
        entries = ([CONTEXT_KERNEL, 2**64 - 2**40] if kernel else []) + ([CONTEXT_USER, *chain] if chain else [])
        ip = entries[1] if entries else 0
        period = self.events[event][3] if period is None else period
        self.add(SAMPLE, KERNEL if kernel else USER,
                 self.pack("QIIQ", ip, pid, tid, time) + self.given(ADDRESS, address) + self.pack("QIIQ", 100 + event, 0, 0, period)
                 + self.pack(f"Q{len(entries)}Q", len(entries), *entries) + self.branch_stack(stack) + self.given(WEIGHT | WEIGHT_STRUCT, weight)
                 + self.given(DATA_SOURCE, source) + self.given(PHYSICAL, pages[0]) + self.given(DATA_PAGE, pages[1]) + self.given(CODE_PAGE, pages[2]))

    def given(self, field, value):
        return self.pack("Q", value) if self.sample_type & field else b""

    def branch_stack(self, stack):
        if not self.sample_type & BRANCH_STACK:
            return b""
        made = self.pack("Q", len(stack)) + (self.pack("Q", 0) if self.branches & BRANCH_INDEX else b"")
        made += b"".join(self.pack("QQQ", at, to, self.branch_flags(flags)) for at, to, flags in stack)
        return made + (self.pack(f"{len(stack)}Q", *range(len(stack))) if self.branches & BRANCH_COUNTERS else b"")

    def attribute(self, index):
        kind, config, flags, period = self.events[index]
        # The flags are bit fields, which begin at the other end of their bytes on big-endian machines.
        bits = struct.pack("<Q", flags | SAMPLE_ID_ALL)
        bits = bits if self.order == "<" else bytes(int(f"{byte:08b}"[::-1], 2) for byte in bits)
        made = self.pack("IIQQQQ", kind, ATTRIBUTE_BYTES, config, period, self.sample_type, 0) + bits + self.pack("QQQQ", 0, 0, 0, self.branches)
        return made.ljust(ATTRIBUTE_BYTES, b"\0")

    def bytes(self):
        header_bytes = 104
        data = b"".join(self.records)
        ids_at = header_bytes
        ids = b"".join(self.pack("Q", 100 + i) for i in range(len(self.events)))
        attributes_at = ids_at + len(ids)
        attributes = b"".join(self.attribute(i) + self.pack("QQ", ids_at + 8 * i, 8) for i in range(len(self.events)))
        data_at = attributes_at + len(attributes)
        features = {HOSTNAME: self.text("elsewhere"), ARCHITECTURE: self.text("x86_64")}
        table_at = data_at + len(data)
        at = table_at + 16 * len(features)
        table = b""
        for feature in sorted(features):
            table += self.pack("QQ", at, len(features[feature]))
            at += len(features[feature])
        bits = sum(1 << feature for feature in features)
        header = (b"PERFILE2" if self.order == "<" else b"2ELIFREP") + self.pack("QQQQQQQQQQQQ", header_bytes, ATTRIBUTE_BYTES + 16, attributes_at, len(attributes), data_at, len(data),
                                           0, 0, bits, 0, 0, 0)
        return header + ids + attributes + data + table + b"".join(features[f] for f in sorted(features))

    def text(self, value):
        padded = value.encode() + b"\0"
        padded += b"\0" * (-len(padded) % 64)
        return self.pack("I", len(padded)) + padded
