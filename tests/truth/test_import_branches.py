"""kymo import: branch stacks of known contents, of machines of both byte orders, become the branches, the executed blocks and the code spaces
that they show; and traces of a processor are left out with a notice."""

import re
import struct
import subprocess

import perf_data
from harness import main

SOURCE = r"""
__asm__(".text\n .globl work\n .type work, @function\n"
        "work: mov %edi, %eax\n test %eax, %eax\n jz 1f\n add $1, %eax\n jmp 2f\n"
        "1: sub $1, %eax\n nop\n"
        "2: dec %edi\n jnz work\n ret\n .size work, .-work\n");
int work(int);
int main(void) { return work(3); }
"""
BIAS = 0x5555_0000_0000
MS = 1_000_000
PID = 4000
KERNEL_CODE = 2**64 - 2**40
AUX, AUXTRACE_INFO, AUXTRACE = 11, 70, 71
PREDICTED, MISPREDICTED = perf_data.PREDICTED, perf_data.MISPREDICTED


class Work:
    """The program, and the addresses of the ten instructions of `work`."""

    def __init__(self, test):
        self.path = test.work / "branching"
        (test.work / "branching.c").write_text(SOURCE)
        test.must("cc", "-O1", "-o", self.path, test.work / "branching.c")
        listed = subprocess.run([test.tool("objdump", "binutils"), "-d", "--no-show-raw-insn", self.path], capture_output=True, text=True,
                                check=True).stdout
        body = re.search(r"<work>:\n((?: .*\n)+)", listed)[1]
        self.offsets = [int(at, 16) for at in re.findall(r"^\s*([0-9a-f]+):", body, re.M)]
        data = self.path.read_bytes()
        at, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
        for i in range(count):
            kind, flags, offset, address, _, file_bytes = struct.unpack_from("<IIQQQQ", data, at + i * size)
            if kind == 1 and flags & 1:
                self.segment = (offset // 4096 * 4096, address // 4096 * 4096, (file_bytes + 8191) // 4096 * 4096)

    def map_into(self, data, time):
        offset, address, length = self.segment
        data.mmap(PID, time, BIAS + address, length, offset, str(self.path))

    def branch(self, at, to, flags, cycles=0):
        return (BIAS + self.offsets[at], BIAS + self.offsets[to], flags | cycles << 4)


def file_of(work, big, branches=perf_data.BRANCH_ANY | perf_data.BRANCH_USER):
    """20 stacks with a round each way whose jz is mispredicted, 10 with one that is predicted; one that cannot have run; one from the kernel."""
    clock = (perf_data.SOFTWARE, perf_data.TASK_CLOCK, 0, MS)
    data = perf_data.PerfData([clock], big, perf_data.BRANCH_STACK, branches)
    begin = 1000 * MS
    data.comm(PID, PID, begin, "branching", is_exec=True)
    work.map_into(data, begin)
    stacks = []
    for flags, behind, times in ((MISPREDICTED, 5, 20), (PREDICTED, 2, 10)):
        stacks += [[work.branch(8, 0, PREDICTED, behind), work.branch(2, 5, flags, 3), work.branch(8, 0, PREDICTED, 4),
                    work.branch(4, 7, PREDICTED, 6), work.branch(8, 0, PREDICTED)]] * times
    stacks.append([work.branch(2, 5, PREDICTED), work.branch(8, 3, PREDICTED)])
    stacks.append([(KERNEL_CODE, BIAS + work.offsets[0], PREDICTED)])
    for i, stack in enumerate(stacks):
        data.sample(PID, PID, begin + (i + 1) * MS, [BIAS + work.offsets[(0, 7)[i % 2]]], stack=stack)
    data.fork(PID, PID, 1, 1, begin + 100 * MS, kind=perf_data.EXIT)
    return data


def import_of(test, data, name):
    path = test.work / f"{name}.data"
    path.write_bytes(data)
    recording = test.work / f"{name}.kymo"
    done = test.run(test.kymo, "import", path, "-o", recording)
    test.equal(f"{name}: kymo import ends with", 0, done.returncode)
    return done, recording


def check_stacks(test, work, name, big, extra):
    branches = perf_data.BRANCH_ANY | perf_data.BRANCH_USER | extra
    _, recording = import_of(test, file_of(work, big, branches).bytes(), name)
    seen = test.report(recording)["branches"]
    test.equal(f"{name}: stacks, branches in them, of the kernel, broken stretches", (32, 153, 1, 1),
               tuple(seen[key] for key in ("stacks", "stack_branches", "elsewhere", "broken")))
    test.equal(f"{name}: branches taken, judged, mispredicted", (152, 152, 20), tuple(seen[key] for key in ("taken", "judged", "mispredicted")))
    of = {branch["offset"]: branch for branch in seen["branches"]}
    for instruction, expected in ((2, (31, 20, 30, 1)), (4, (30, 0, 0, 1)), (8, (91, 0, 0, 2))):
        branch = of.pop(work.offsets[instruction])
        test.equal(f"{name}: instruction {instruction}: taken, mispredicted, not taken, targets", expected,
                   tuple(branch[key] for key in ("taken", "mispredicted", "not_taken", "targets")))
        test.equal(f"{name}: instruction {instruction}: its function", "work", branch["place"]["function"])
    test.equal(f"{name}: no other branches", {}, of)
    test.equal(f"{name}: instructions executed", 30 * 14, seen["instructions"])
    test.equal(f"{name}: cycles, and those behind mispredicted branches", (20 * 18 + 10 * 15, 60), (seen["cycles"], seen["late_cycles"]))
    expected = {(0, 4): (30, 5), (0, 2): (30, 3), (5, 8): (30, 4), (7, 8): (30, 2)}
    spaces = {(work.offsets.index(space["first"]), work.offsets.index(space["last"])): (space["count"], space["instructions"])
              for space in seen["spaces"]}
    test.equal(f"{name}: code spaces: times, instructions", expected, spaces)
    # Samples are at the first instruction and the eighth by turns: between them is what both ways share, and a rest that is all; back there is one way.
    report = test.report(recording)
    code = {}
    for group in report["same_spaces"]:
        ranges = [part for member in group["members"] for part in report["spaces"][member]["place"]["ranges"]]
        held = tuple(i for i, at in enumerate(work.offsets) if any(begin <= at < end for begin, end in ranges))
        code[held] = tuple(group["executed"][key] for key in ("instructions", "judged", "mispredicted"))
    test.equal(f"{name}: heavy code, by its instructions: executed, judged, mispredicted", {(0, 1, 2, 7): (240, 31, 20), (0, 7, 8): (180, 91, 0), tuple(range(9)): (420, 152, 20)}, code)
    function = seen["functions"][0]
    test.equal(f"{name}: the function: instructions, spaces, blocks, executed", (420, 4, 5, 4),
               tuple(function[key] for key in ("instructions", "spaces", "blocks", "executed_blocks")))
    told = test.must(test.kymo, "report", recording, "--all")
    test.check(f"{name}: the report shows the branch", "a row with 20 of 31", told[-3000:], re.search(r"\b20\s+64\.5 %\s+31\s+30\s+work", told) is not None)
    flat = " ".join(told.split())
    words = "57.1 % of the instructions in branch stacks, 64.5 % of 31 branches mispredicted"
    test.check(f"{name}: and what ran of heavy code", words, told[-3000:], words in flat)
    test.check(f"{name}: and the blocks", "4 of 5", told[-3000:], re.search(r"100.0 %\s+4\s+5\s+4\s+work", told) is not None)


def other_stacks(test, work):
    """Stacks of calls alone have no code between their branches; those that are call paths have not even branches."""
    _, recording = import_of(test, file_of(work, False, perf_data.BRANCH_ANY_CALL).bytes(), "selected")
    seen = test.report(recording)["branches"]
    test.equal("selected branches: taken, unrelated stacks, spaces", (152, 32, []), (seen["taken"], seen["unrelated_stacks"], seen["spaces"]))
    _, recording = import_of(test, file_of(work, False, perf_data.BRANCH_CALL_STACK | perf_data.BRANCH_ANY).bytes(), "callers")
    seen = test.report(recording)["branches"]
    test.equal("call stacks: taken, unrelated stacks, spaces", (0, 32, []), (seen["taken"], seen["unrelated_stacks"], seen["spaces"]))
    clock = (perf_data.SOFTWARE, perf_data.TASK_CLOCK, 0, MS)
    none = perf_data.PerfData([clock])
    none.comm(PID, PID, 1000 * MS, "branching", is_exec=True)
    work.map_into(none, 1000 * MS)
    none.sample(PID, PID, 1001 * MS, [BIAS + work.offsets[0]])
    _, recording = import_of(test, none.bytes(), "without")
    plain = test.report(recording)
    test.equal("without stacks there is no such key", (False, []), ("branches" in plain, [group for group in plain["same_spaces"] if "executed" in group]))


def bad_stacks(test, work):
    """More branches than the record has; a file that is cut in a stack."""
    data = file_of(work, False)
    whole = data.bytes()
    sample = data.records[5]
    test.equal("the place of the number of branches", 5, struct.unpack_from("<Q", sample, 80)[0])
    data.records[5] = sample[:80] + struct.pack("<Q", 2**60) + sample[88:]
    done, recording = import_of(test, data.bytes(), "lying")
    test.check("a sample with more branches than it has is left out", "1 records whose fields are not all there", done.stderr,
               "1 records whose fields are not all there" in done.stderr)
    test.equal("and the others are read", 31, test.report(recording)["branches"]["stacks"])
    done, recording = import_of(test, whole[:len(whole) // 2], "cut")
    test.check("a cut file has those before", "1 to 31", recording, 0 < test.report(recording)["branches"]["stacks"] < 32)


def traces(test, work):
    """Records of AUX data: one notice says that they are left out, and how much."""
    for big in (False, True):
        data = file_of(work, big)
        data.add(AUXTRACE_INFO, 0, data.pack("II", 1, 0) + bytes(64))
        data.add(AUX, 0, data.pack("QQQ", 0, 4096, 0), (PID, PID, 1010 * MS))
        data.add(AUXTRACE, 0, data.pack("QQQIIII", 4096, 0, 0, 0, PID, 0, 0))
        data.records.append(b"\xff" * 4096)
        data.add(AUXTRACE, 0, data.pack("QQQIIII", 128, 4096, 0, 0, PID, 0, 0))
        data.records.append(b"\xff" * 128)
        name = "big traces" if big else "traces"
        done, recording = import_of(test, data.bytes(), name.replace(" ", "-"))
        told = [line for line in done.stderr.splitlines() if "traces of the processor" in line]
        test.check(f"{name}: one notice", "4224 bytes", done.stderr, len(told) == 1 and "4224 bytes" in told[0])
        test.equal(f"{name}: what is around them is read", 32, test.report(recording)["branches"]["stacks"])


def finding(test, work):
    """Cycles of a frequency, in code whose cycles are mostly what it takes longer behind the mispredicted jz; and in code where they are not."""
    for name, late, expected in (("waiting", 40, True), ("working", 6, False)):
        data = perf_data.PerfData([(perf_data.HARDWARE, perf_data.CYCLES, perf_data.FREQUENCY, 1000)], False, perf_data.BRANCH_STACK,
                                  perf_data.BRANCH_ANY | perf_data.BRANCH_USER)
        begin = 1000 * MS
        data.comm(PID, PID, begin, "branching", is_exec=True)
        work.map_into(data, begin)
        for i in range(200):
            flags, cycles = (MISPREDICTED, late) if i % 2 else (PREDICTED, 4)
            data.sample(PID, PID, begin + (i + 1) * MS, [BIAS + work.offsets[5 + i % 3]], period=2_000_000,
                        stack=[work.branch(8, 0, PREDICTED, cycles), work.branch(2, 5, flags, 2), work.branch(8, 0, PREDICTED, 2)])
        data.fork(PID, PID, 1, 1, begin + 201 * MS, kind=perf_data.EXIT)
        _, recording = import_of(test, data.bytes(), name)
        report = test.report(recording)
        seen = {found["kind"]: found["place"]["function"] for found in report["findings"] if found["kind"] == "unpredictable-branches"}
        test.equal(f"{name}: the finding", {"unpredictable-branches": "work"} if expected else {}, seen)
        families = {row["family"] for row in report["account"] if row["class"] == "work"}
        test.equal(f"{name}: the account's family", "unpredictable-branches" in families, expected)


def body(test):
    work = Work(test)
    check_stacks(test, work, "little", False, 0)
    check_stacks(test, work, "big", True, 0)
    check_stacks(test, work, "indexed", False, perf_data.BRANCH_INDEX)
    check_stacks(test, work, "counted", True, perf_data.BRANCH_INDEX | perf_data.BRANCH_COUNTERS)
    other_stacks(test, work)
    bad_stacks(test, work)
    traces(test, work)
    finding(test, work)


main(body)
