"""kymo import: data addresses, weights and data sources of known samples, of machines of both byte orders, become accesses by code, by level of the
memory and by cache line; and lines that threads share falsely are found by them."""

import re

import perf_data
from harness import main
from test_import import BIAS, MS, PID, Program, import_of

RAW_EVENT, LOADS, STORES = 4, 0x1cd, 0x2cd
LOAD, STORE, NOT_AVAILABLE = 2, 4, 1
HIT, MISS, L1, REMOTE_CACHE = 2 << 5, 4 << 5, 8 << 5, 0x400 << 5
MODIFIED = 0x10 << 19
TLB_HIT, TLB_MISS, TLB_WALK = 2 << 26, 4 << 26, 0x20 << 26
NUMBER_L1, NUMBER_MEMORY = 1 << 33, 0xd << 33
PAGE = 4096
FIELDS = perf_data.ADDRESS | perf_data.DATA_SOURCE | perf_data.PHYSICAL | perf_data.DATA_PAGE | perf_data.CODE_PAGE
EVENTS = [(perf_data.SOFTWARE, perf_data.TASK_CLOCK, 0, MS), (RAW_EVENT, LOADS, 0, 100), (RAW_EVENT, STORES, 0, 100)]


class Samples:
    """A file with samples of the clock, each with the memory accesses before it."""

    def __init__(self, program, big, weight):
        self.data = perf_data.PerfData(EVENTS, big, FIELDS | weight)
        self.program = program
        self.begin = 1000 * MS
        self.data.comm(PID, PID, self.begin, "planted", is_exec=True)
        program.map_into(self.data, PID, self.begin)
        self.data.fork(PID, PID + 1, PID, PID, self.begin)

    def add(self, tick, function, thread=0, accesses=(), page=PAGE):
        """Accesses of the millisecond before `tick`: (event, address, weight, source). `page`: the size of the pages that they are to."""
        chain = [self.program.at(function, 0), self.program.at("main", 20)]
        for i, (event, address, weight, source) in enumerate(accesses):
            self.data.sample(PID, PID + thread, self.begin + tick * MS - 1000 + i, chain, event=event, address=address, weight=weight, source=source,
                             pages=((address + 2**30) % 2**64, page, 512 * PAGE))
        # The clock's samples have an address, too, and a source that says that there is none.
        self.data.sample(PID, PID + thread, self.begin + tick * MS, chain, address=0x1234, source=NOT_AVAILABLE)

    def bytes(self):
        self.data.fork(PID, PID + 1, PID, PID, self.begin + 500 * MS, kind=perf_data.EXIT)
        self.data.fork(PID, PID, 1, 1, self.begin + 500 * MS, kind=perf_data.EXIT)
        return self.data.bytes()


def levels(test, program, name, big, weight):
    # In the other half and quarters of the weight are other figures.
    more = 7 << 32 | 9 << 48 if weight == perf_data.WEIGHT_STRUCT else 0
    made = Samples(program, big, weight)
    near = (1, 0x7000_0000, 5 | more, LOAD | L1 | HIT | NUMBER_L1 | TLB_HIT)
    far = (1, 0x7000_1000, 200 | more, LOAD | NUMBER_MEMORY | TLB_MISS | TLB_WALK)
    other = (1, 0x7000_2000, 400 | more, LOAD | REMOTE_CACHE | HIT | MODIFIED | TLB_HIT)
    stored = (2, 0x7000_3000, 9999 | more, STORE | L1 | MISS | TLB_HIT)
    for i in range(10):
        made.add(2 * i + 1, "seventy", accesses=[near] * 4 + [stored] * 2)
        made.add(2 * i + 2, "ten", accesses=[far] * 3 + [other])
    done, recording = import_of(test, made.bytes(), name)
    test.equal(f"{name}: kymo import ends with", 0, done.returncode)
    seen = test.report(recording)["memory_accesses"]
    keys = ("accesses", "loads", "stores", "modified_elsewhere", "tlb_misses", "timed_loads", "cycles")
    test.equal(f"{name}: {', '.join(keys)}", (100, 80, 20, 10, 30, 80, 10_200), tuple(seen[key] for key in keys))
    test.equal(f"{name}: accesses and cycles by level", {"l1": (40, 200), "memory": (30, 6000), "remote_cache": (10, 4000), "unknown": (20, 0)},
               {level["level"]: (level["accesses"], level["cycles"]) for level in seen["levels"]})
    places = {}
    for place in seen["places"]:
        function = re.search(r"\b(seventy|ten)\b", place["inlined_into"] or place["place"]["function"])[1]
        places[function] = (place["accesses"], place["cycles"], {level["level"] for level in place["levels"]})
    test.equal(f"{name}: by code", {"ten": (40, 10_000, {"memory", "remote_cache"}), "seventy": (60, 200, {"l1", "unknown"})}, places)
    test.equal(f"{name}: the code with most cycles is first", 10_000, seen["places"][0]["cycles"])
    test.equal(f"{name}: the line that another core had changed is first", (0x7000_2000, 10), (seen["lines"][0]["address"], seen["lines"][0]["modified_elsewhere"]))
    test.equal(f"{name}: lines", {0x7000_0000, 0x7000_1000, 0x7000_2000, 0x7000_3000}, {line["address"] for line in seen["lines"]})
    told = test.must(test.kymo, "report", recording, "--all")
    test.check(f"{name}: the report has them", "memory 75.0 %, remote cache 25.0 %", told[-4000:], "memory 75.0 %, remote cache 25.0 %" in told)


def sharing(test, program):
    """Two threads write to two halves of a line at the same time, and to one word of another line."""
    made = Samples(program, False, perf_data.WEIGHT)
    apart, same = 0x7100_0000, 0x7200_0000
    for i in range(40):
        for thread, function, address in ((0, "seventy", apart), (1, "twenty", apart + 32)):
            made.add(3 * i + 1, function, thread, [(2, address, 0, STORE | L1 | HIT)])
        for thread in (0, 1):
            made.add(3 * i + 2, "ten", thread, [(2, same, 0, STORE | L1 | HIT)])
    done, recording = import_of(test, made.bytes(), "sharing")
    test.equal("sharing: kymo import ends with", 0, done.returncode)
    report = test.report(recording)
    lines = {line["address"]: (line["threads"], line["stores"], line["shared_falsely"]) for line in report["memory_accesses"]["lines"]}
    test.equal("lines: threads, stores, shared falsely", {apart: (2, 80, True), same: (2, 80, False)}, lines)
    families = {}
    for row in report["account"]:
        known = row["class"] == "work" and re.search(r"\b(seventy|twenty|ten)\b", (row["place"] or {}).get("function") or "")
        if known:
            families.setdefault(known[1], set()).add(row["family"])
    test.equal("the account's families by function", {"seventy": {"false-sharing"}, "twenty": {"false-sharing"}, "ten": {None}}, families)


def pages(test, program):
    """Pages of three sizes by code; sizes that are none of a page are not known."""
    made = Samples(program, False, perf_data.WEIGHT)
    hit = (1, 0x7300_0000, 5, LOAD | L1 | HIT | TLB_HIT)
    miss = (1, 0x7300_1000, 50, LOAD | NUMBER_MEMORY | TLB_MISS | TLB_WALK)
    for i in range(10):
        made.add(4 * i + 1, "seventy", accesses=[hit] * 2 + [miss], page=PAGE)
        made.add(4 * i + 2, "seventy", accesses=[hit], page=2**21)
        made.add(4 * i + 3, "ten", accesses=[hit] * 3, page=2**30)
        made.add(4 * i + 4, "ten", accesses=[hit], page=(0, 3 * PAGE, 8, 2**63)[i % 4])
    done, recording = import_of(test, made.bytes(), "pages")
    test.equal("pages: kymo import ends with", 0, done.returncode)
    seen = test.report(recording)["memory_accesses"]
    read = lambda rows: {row["bytes"]: (row["accesses"], row["tlb_misses"]) for row in rows}
    test.equal("pages: of the data", {PAGE: (30, 10), 2**21: (10, 0), 2**30: (30, 0)}, read(seen["data_pages"]))
    test.equal("pages: of the code", {512 * PAGE: (80, 0)}, read(seen["code_pages"]))
    places = {}
    for place in seen["places"]:
        function = re.search(r"\b(seventy|ten)\b", place["inlined_into"] or place["place"]["function"])[1]
        places[function] = read(place["data_pages"])
    test.equal("pages: by code", {"seventy": {PAGE: (30, 10), 2**21: (10, 0)}, "ten": {2**30: (30, 0)}}, places)
    told = " ".join(test.must(test.kymo, "report", recording, "--all").split())
    for words in ("pages of the data: 4 KiB 42.9 %, 2 MiB 14.3 %, 1 GiB 42.9 %; of the code: 2 MiB 100.0 %", "pages: 4 KiB 75.0 %, 2 MiB 25.0 %"):
        test.check("pages: the report has them", words, told[-4000:], words in told)


def bad_samples(test, program):
    """Bits that mean nothing, addresses at the ends of the space, and a file that ends within a sample."""
    made = Samples(program, False, perf_data.WEIGHT)
    for i in range(8):
        made.add(i + 1, "ten", accesses=[(1, 2**64 - 1, 2**64 - 1, 2**64 - 1), (2, 1, 2**63, STORE | 0x1ffff << 5), (1, 2**63, 1, LOAD)])
    whole = made.bytes()
    done, recording = import_of(test, whole, "strange")
    test.equal("strange values: kymo import ends with", 0, done.returncode)
    test.equal("strange values: accesses", 24, test.report(recording)["memory_accesses"]["accesses"])
    done, recording = import_of(test, whole[:len(whole) // 2], "half")
    test.equal("half a file: kymo import ends with", 0, done.returncode)
    test.report(recording)
    plain = perf_data.PerfData(EVENTS[:1])
    plain.comm(PID, PID, 1000 * MS, "planted", is_exec=True)
    program.map_into(plain, PID, 1000 * MS)
    plain.sample(PID, PID, 1001 * MS, [BIAS + program.address])
    done, recording = import_of(test, plain.bytes(), "plain")
    test.equal("without addresses there is no such key", False, "memory_accesses" in test.report(recording))


def body(test):
    program = Program(test, test.program("split"))
    levels(test, program, "weight", False, perf_data.WEIGHT)
    levels(test, program, "weights", False, perf_data.WEIGHT_STRUCT)
    levels(test, program, "big", True, perf_data.WEIGHT_STRUCT)
    sharing(test, program)
    pages(test, program)
    bad_samples(test, program)


main(body)
