"""Channels of unmodified MPI programs under `kymo record mpirun …` and `mpirun … kymo record …`: messages and bytes are those of the programs' own
arithmetic, exactly, in the processes' segments while they run, in the recording, and in the recording of ranks that were killed.
Arguments: BUILD any MPIRUN."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))
from expected import EVERYBODY, RANKS, UNHEARD, Row, in_front, ring, transpose, workers  # noqa: E402
from harness import main  # noqa: E402
from segments import channel_rows  # noqa: E402

DIRECTIONS = ["send", "receive", "collective", "one-sided"]
CELLS = ["messages", "bytes", "blocked", "outstanding", "largest", "most-outstanding", "calls"]
PATIENCE = 120  # s


def peer_of(number):
    return EVERYBODY if number == 2**64 - 1 else number


class Run:
    """One run in a folder of its own; `held` runs stop before MPI_Finalize until release()."""

    def __init__(self, test, name, arguments, outside, held=False):
        self.test, program = test, test.build / "tests" / "mpi" / name
        environment = test.apart(TMPDIR="/tmp")
        self.path = pathlib.Path(environment["XDG_RUNTIME_DIR"])
        self.out = self.path / "out.kymo"
        record = [test.kymo, "record", "-o", self.out, "--"]
        starter = [test.arguments[0], "--allow-run-as-root", "--oversubscribe", "-n", RANKS]
        if held:
            environment |= {"LD_PRELOAD": str(program.parent / "libhold.so"), "KYMO_TEST_HOLD": str(self.path)}
        self.process = test.start(*([*record, *starter] if outside else [*starter, *record]), program, *arguments, env=environment,
                                  stderr=subprocess.STDOUT, preexec_fn=in_front)

    def wait_until_held(self):
        """Rank by process."""
        late = time.monotonic() + PATIENCE
        while True:
            held = {int(file.name[5:]): file.read_text() for file in self.path.glob("held-*")}
            if len(held) == RANKS and all(held.values()):
                return {pid: int(rank) for pid, rank in held.items()}
            if self.process.poll() is not None or time.monotonic() > late:
                self.test.equal("the ranks come to their end", RANKS, (len(held), self.finish()[1][-1000:]))
                return {}
            time.sleep(0.01)

    def rows_in_segments(self, ranks):
        rows = {rank: [] for rank in range(RANKS)}
        for segment in self.path.glob("kymo-*/*/*.cells"):
            if segment.name == "launch.cells":
                continue
            pid, channels = channel_rows(segment)
            for (communicator, peer, direction), number, cells in channels:
                rows[ranks[pid]].append(Row(communicator, peer_of(peer), direction, number, *cells[1:8]))
        return rows

    def rows_of_channels(self, report):
        rows = {rank: [] for rank in range(RANKS)}
        for number, each in enumerate(report["channels"]):
            peer = EVERYBODY if each["peer"] is None else each["peer"]
            rows[each["rank"]].append(Row(each["communicator"], peer, DIRECTIONS.index(each["direction"]), number, each["messages"], each["bytes"],
                                          each["blocked_s"], each["outstanding_messages"], each["largest_bytes"], each["most_outstanding_messages"], each["calls"]))
        return rows

    def release(self):
        (self.path / "go").touch()

    def finish(self):
        try:
            output = self.process.communicate(timeout=PATIENCE)[0]
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "still running", self.process.communicate()[0]
        return self.process.returncode, output

    def report(self):
        done = self.test.run(self.test.kymo, "report", self.out, "--json=full")
        self.test.equal("kymo report", (0, ""), (done.returncode, done.stderr))
        return json.loads(done.stdout)

    def rows_in_report(self, report):
        ranks = {process["pid"]: process["rank"] for process in report["processes"] if process["rank"] is not None}
        cells = {}
        for metric in report["metrics"]:
            if metric["kind"] == "channel" and metric["name"] in CELLS:
                for index, each in enumerate(metric["objects"]):
                    key = (ranks[each["pid"]], each["communicator"], peer_of(each["peer"]), DIRECTIONS.index(each["direction"]), each["number"])
                    channel = cells.setdefault(key, dict.fromkeys(CELLS, 0))
                    channel[metric["name"]] += each["value"]
        rows = {rank: [] for rank in range(RANKS)}
        for (rank, communicator, peer, direction, number), values in cells.items():
            rows[rank].append(Row(communicator, peer, direction, number, *(values[name] for name in CELLS)))
        return rows


def refused(test):
    """What is not an address, and what is not there."""
    _, out = test.record("/bin/true", options=["-q"])
    for address, status, message in (("bytes", 2, "is not a valid metric address"), ("channel/system/0/bytes", 3, "no metric 'bytes' of a channel"),
                                     ("processor/process/0/busy", 2, "is not a valid metric address"), ("task/process/1/use", 3, "no metric 'use' of a task"),
                                     ("processor/processor/99999/busy", 3, "no processor 99999 has 'busy'")):
        done = test.run(test.kymo, "metrics", out, address)
        test.equal(f"{address}: refused", (status, True, 2), (done.returncode, message in done.stderr, len(done.stderr.splitlines())))


def finished(test, make, how, expect, arguments):
    """A run that was held, looked at from outside, and released: its report. Repeated where mpirun lost a rank's farewell."""
    for _ in range(3):
        run = make()
        ranks = run.wait_until_held()
        expect(test, f"{how}: segments", run.rows_in_segments(ranks), *arguments)
        run.release()
        status, output = run.finish()
        if status == 0 or UNHEARD not in output:
            break
        print(f"note: {how}: mpirun did not hear a rank's farewell; once more")
    test.equal(f"{how} ends well", 0, status)
    test.equal(f"{how}: nothing is said to be missing", False, "not counted" in output)
    if status != 0:
        print(output[-2000:])
        return
    report = run.report()
    expect(test, f"{how}: recording", run.rows_in_report(report), *arguments)
    expect(test, f"{how}: channels", run.rows_of_channels(report), *arguments)
    addressed(test, how, run, report)


def addressed(test, how, run, report):
    """Metrics by their addresses are what the channels add up to; and the matrix is there."""
    bytes_of_all = sum(channel["bytes"] for channel in report["channels"])
    some = next(process["pid"] for process in report["processes"] if process["rank"] == 0)
    of_rank = sum(channel["messages"] for channel in report["channels"] if channel["rank"] == 0)
    asked = ["channel/system/0/bytes", "channel/host/0/bytes", f"channel/process/{some}/messages"]
    done = test.run(test.kymo, "metrics", run.out, *asked, "--json")
    test.equal(f"{how}: kymo metrics", (0, ""), (done.returncode, done.stderr))
    found = json.loads(done.stdout)
    test.equal(f"{how}: sums at addresses", [bytes_of_all, bytes_of_all, of_rank], [found[address]["sum"] for address in asked])
    course = found[asked[0]]["course"]
    test.equal(f"{how}: the course adds up", (20, bytes_of_all), (len(course), round(sum(part["value"] for part in course))))
    test.equal(f"{how}: code beside the course", True, any(part["space"] for part in course))
    text = test.run(test.kymo, "report", run.out).stdout
    matrix = text.partition("messages between ranks")[2]  # the findings above it may have a line that begins with "rank"
    lines = [line.split() for line in matrix.splitlines() if line.startswith("  ") and line.split()[:1] == ["rank"]]
    pairs = {(channel["rank"], channel["peer"]): 0 for channel in report["channels"] if channel["direction"] == "send" and channel["messages"]}
    for channel in report["channels"]:
        if (channel["rank"], channel["peer"]) in pairs and channel["direction"] == "send":
            pairs[channel["rank"], channel["peer"]] += channel["messages"]
    shown = {}
    for row in lines[:RANKS]:  # the first of the matrices: messages
        for peer, cell in enumerate(row[2:2 + RANKS]):
            if cell.replace(",", "").isdigit():
                shown[int(row[1]), peer] = int(cell.replace(",", ""))
    test.equal(f"{how}: the matrix of messages", pairs, shown)


def recorded(test, language, outside):
    for name, arguments, expect in (("ring", (50, 1000), ring), ("transpose", (16,), transpose), ("workers", (40,), workers)):
        how = f"{name}, {language}, {'record mpirun' if outside else 'mpirun record'}"
        finished(test, lambda: Run(test, f"{name}_{language}", arguments, outside, held=True), how, expect, arguments)


def killed(test):
    """What was counted before a SIGKILL is in the recording."""
    run = Run(test, "ring_c", (20, 10), True, held=True)
    ranks = run.wait_until_held()
    for pid in ranks:
        os.kill(pid, signal.SIGSTOP)
    ring(test, "stopped ranks: segments", run.rows_in_segments(ranks), 20, 10)
    for pid in ranks:
        os.kill(pid, signal.SIGKILL)
    status, _ = run.finish()
    test.equal("a killed job does not end well", True, status != 0)
    ring(test, "killed ranks: recording", run.rows_in_report(run.report()), 20, 10)


def alone(test, programs):
    """A program that is no rank of a job, and one that has no MPI."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("OMPI_", "PMI"))}
    for program, arguments, expected in (("ring_c", (5, 5), True), ("private_host", (programs / "libprivate_part.so",), False)):
        done, out = test.record(programs / program, *arguments, out=f"{program}.kymo", env=plain)
        test.equal(f"{program} by itself ends well", (0, False), (done.returncode, "not counted" in done.stderr))
        report = test.report(out)
        test.equal(f"{program} by itself: channels", expected, any(metric["kind"] == "channel" for metric in report["metrics"]))


def another_mpi(test, program):
    """A program of another MPI library runs as it would, is not counted, and one line says so."""
    plain = test.run(program)
    done, out = test.record(program, out="other.kymo")
    test.equal("another MPI: output and status", (plain.returncode, plain.stdout), (done.returncode, done.stdout))
    told = [line for line in done.stderr.splitlines() if "not counted" in line]
    test.equal("another MPI: one line says so", 1, len(told))
    test.equal("another MPI: its name is told", True, "libmpich.so.12" in "".join(told) and "Kymo was built for libmpi.so" in "".join(told))
    test.equal("another MPI: the recording says so", ["messages of MPI"],
               [each["what"] for each in test.report(out)["recording"]["unavailable"] if "MPI" in each["what"]])
    for settings in ({}, {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"}):
        forced = test.run(program, env={**os.environ, **settings, "LD_PRELOAD": str(test.build / "lib" / "libkymo-mpi.so")})
        test.equal("another MPI, the library preloaded all the same", (plain.returncode, plain.stdout), (forced.returncode, forced.stdout))


def body(test):
    programs = test.build / "tests" / "mpi"
    for language in ("c", "fortran"):
        if not (programs / f"ring_{language}").exists():
            print(f"note: no Fortran compiler for MPI: {language} is left out")
            continue
        for outside in (True, False):
            recorded(test, language, outside)
    killed(test)
    alone(test, programs)
    another_mpi(test, programs / "other_user")
    refused(test)


main(body)
