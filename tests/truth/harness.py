"""What the tests of whole runs share, here and in the folders beside: starting kymo on a program in one of three situations, and telling
what was seen.

A test is a script called with the build folder and a mode:
    root     as the superuser
    user     as an ordinary user (nobody, where the tests themselves run as root)
    barred   with perf_event_open refused by a seccomp filter, as in many containers
    descriptors, memlock
             as an ordinary user with no more than 1,024 descriptors, or 64 KiB of locked memory
    any      as whoever runs the tests

A check is of a fact (what, where, who, how often), which holds on any machine, or of a figure (how long, what share, how many samples), which
a busy machine changes: figure() and near(). With "facts" among the arguments the figures are printed and not judged: that is how the gate runs
the scripts that have both.

Every check prints what was expected and what was seen. A test that cannot run here ends with 77, which CTest reports as skipped,
and says why. Only the standard library is used, and jsonschema where it is installed.
"""

import functools
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import json_schema

from perf_events import may_open_events

SKIPPED = 77
BEGAN = time.monotonic()
# What CTest gives this test, in seconds (cmake/Tests.cmake): what it runs ends a little earlier, with a message and without strays.
LIMIT = float(os.environ.get("KYMO_TEST_TIMEOUT", "inf"))
NOBODY = 65534
LIMITS = {"descriptors": "--nofile=1024:1024", "memlock": "--memlock=65536:65536"}


class Test:
    def __init__(self, build, mode, *arguments):
        self.build = pathlib.Path(build).resolve()
        self.mode = mode
        self.facts_only = "facts" in arguments
        self.arguments = tuple(word for word in arguments if word != "facts")
        self.failures = 0
        self.checks = 0
        self.taken = 0.0  # seconds
        self.at_tick = False  # of the last report: some samples were taken at the kernel's tick, as in threads that a busy machine switches often
        # Not below the build folder: an ordinary user may not be able to reach that.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kymo-test-", dir="/tmp"))
        self.folder.chmod(0o755)
        self.work = self.folder / "work"
        self.work.mkdir()
        root = os.geteuid() == 0
        if self.mode == "root" and not root:
            self.skip("the tests do not run as root")
        self.prefix = []
        if self.mode in ("user", *LIMITS) and root:
            if not shutil.which("setpriv"):
                self.skip("setpriv is not installed (apt-get install util-linux)")
            os.chown(self.work, NOBODY, NOBODY)
            self.prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        if self.mode in LIMITS:
            if not shutil.which("prlimit"):
                self.skip("prlimit is not installed (apt-get install util-linux)")
            self.prefix += ["prlimit", LIMITS[self.mode]]
        if self.mode == "barred":
            self.prefix = [str(self.program("without_perf_events"))]
        # Or by the machine: a container's filter, kernel.perf_event_paranoid 3.
        self.barred = self.mode == "barred" or not may_open_events()

    def as_own_user(self):
        """From here on the ordinary user is one that nothing else runs as. The kernel limits memory for the rings of performance events by user: a
        test beside may use it up."""
        if self.mode == "user" and self.prefix:
            user = 20_000 + os.getpid() % 40_000
            os.chown(self.work, user, user)
            self.prefix = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]

    # ---- programs ------------------------------------------------------------------------------------

    @functools.cached_property
    def kymo(self):
        """build/bin/kymo, or a copy of it and its monitor where the build folder is closed to the ordinary user; looked for when it is asked for,
        since some tests do without."""
        kymo = self.build / "bin" / "kymo"
        if not kymo.exists():
            self.skip(f"{kymo} is not built")
        if self._reachable(kymo):
            return kymo
        for name in ("bin/kymo", "lib/libkymo-monitor.so"):
            copy = self.folder / name
            copy.parent.mkdir(exist_ok=True)
            shutil.copy(self.build / name, copy)
        return self.folder / "bin" / "kymo"

    def _reachable(self, path):
        return not self.prefix or run(*self.prefix, "test", "-x", path).returncode == 0

    def program(self, name):
        """One of the programs built for the tests."""
        path = self.build / "tests" / "programs" / name
        if not path.exists():
            path = self.build / "bin" / name
        if not path.exists():
            self.skip(f"the test program {name} is not built")
        if self.mode in ("user", *LIMITS) and not self._reachable(path):
            copy = self.folder / "programs" / name
            copy.parent.mkdir(exist_ok=True)
            shutil.copy(path, copy)
            for library in path.parent.glob("*.so"):
                shutil.copy(library, copy.parent)
            return copy
        return path

    def tool(self, name, package):
        path = shutil.which(name, path="/usr/bin:/bin")
        if not path:
            self.skip(f"{name} is not installed (apt-get install {package})")
        return path

    # ---- running -------------------------------------------------------------------------------------

    def run(self, *command, prefix=None, **options):
        """Runs a command to its end in the test's mode and folder; output captured as text. What was stolen() meanwhile is in `taken`."""
        before = stolen()
        done = self._run(*command, prefix=prefix, **options)
        self.taken = stolen() - before
        return done

    def _run(self, *command, prefix=None, **options):
        command = [*(self.prefix if prefix is None else prefix), *command]
        try:
            return run(*command, **{"cwd": self.work, **options})
        except subprocess.TimeoutExpired as late:
            self.fail(f"still running after {late.timeout} s: {' '.join(map(str, command))}")
            self.end()

    def must(self, *command, **options):
        """What a command prints that has to end well: else the test ends."""
        done = self.run(*command, **options)
        if done.returncode != 0:
            self.fail(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
            self.end()
        return done.stdout

    def start(self, *command, **options):
        return start(*self.prefix, *command, **{"cwd": self.work, **options})

    def fresh(self):
        """A new folder, its owner's alone."""
        return pathlib.Path(tempfile.mkdtemp(dir=self.folder))

    def apart(self, **more):
        """An environment in which the cells of running programs lie apart from those of all others."""
        return {**os.environ, "XDG_RUNTIME_DIR": str(self.fresh()), **more}

    def record(self, *command, out="out.kymo", options=(), **more):
        """kymo record; returns (completed process, path of the recording)."""
        path = self.work / out
        return self.run(self.kymo, "record", *options, "-o", path, "--", *command, **more), path

    def report(self, recording, *options):
        """kymo report --json, read back. None, and a failure told, where that does not work."""
        # The exit status of report is for the report itself, whatever the program's was.
        done = self._run(self.kymo, "report", recording, "--json=full", *options)
        if done.returncode != 0:
            self.fail(f"kymo report ended with {done.returncode}: {done.stderr.strip()[:500]}")
            return None
        try:
            report = json.loads(done.stdout)
            if wrong := json_schema.mistakes(report, "report"):
                self.fail(f"kymo report --json is not what docs/schema/ says: {wrong}")
            self.at_tick = report.get("recording", {}).get("samples_at_tick", 0) > 0
            return report
        except ValueError as error:
            self.fail(f"kymo report --json is not JSON: {error}: {done.stdout[:200]!r}")
            return None

    def of_schema(self, what, told, kind):
        """What --json printed has the keys and types that docs/schema/ says."""
        return self.equal(f"{what}: mistakes by docs/schema/", [], json_schema.mistakes(told, kind))

    def folded(self, recording):
        """kymo export --to folded as a list of (frames from the outermost, weight)."""
        done = self._run(self.kymo, "export", recording, "--to", "folded")
        if done.returncode != 0:
            self.fail(f"kymo export --to folded ended with {done.returncode}: {done.stderr.strip()[:500]}")
            return []
        paths = []
        for line in done.stdout.splitlines():
            frames, weight = line.rsplit(" ", 1)
            paths.append((frames.split(";"), float(weight)))
        return paths

    def recorded_truth(self, name, *arguments, **more):
        """Records a known-answer program; returns (its own account, the report, the path)."""
        done, path = self.record(self.program(name), *arguments, **more)
        self.check(f"{name} ends well under kymo", 0, done.returncode, done.returncode == 0)
        if done.returncode != 0:
            print(done.stderr)
            self.end()
        report = self.report(path)
        if report is None:
            self.end()
        recording = report["recording"]
        print(f"note: {recording.get('samples')} samples, asked {recording.get('rate_asked_hz')} Hz, "
              f"delivered {recording.get('rate_delivered_hz')} Hz")
        return json.loads(done.stdout.strip().splitlines()[-1]), report, path

    # ---- telling -------------------------------------------------------------------------------------

    def check(self, what, expected, seen, good):
        self.checks += 1
        print(f"{'ok' if good else 'FAILED'}: {what}: expected {expected}, seen {seen}")
        self.failures += not good
        return good

    def figure(self, what, expected, seen, good):
        """A check of what load, sampling or the machine's speed may change."""
        if not self.facts_only:
            return self.check(what, expected, seen, good)
        print(f"a figure, not judged here: {what}: expected {expected}, seen {seen}")
        return True

    def equal(self, what, expected, seen):
        return self.check(what, repr(expected), repr(seen), expected == seen)

    def near(self, what, expected, seen, tolerance, unit=""):
        return self.figure(what, f"{expected:.3f} ± {tolerance:.3f}{unit}", f"{seen:.3f}{unit}", abs(seen - expected) <= tolerance)

    def fail(self, what):
        self.checks += 1
        self.failures += 1
        print(f"FAILED: {what}")

    def skip(self, why):
        print(f"skipped: {why}")
        self.clean()
        sys.exit(SKIPPED)

    def end(self):
        self.clean()
        if not self.checks:
            print("FAILED: nothing was checked")
        sys.stdout.flush()
        sys.exit(1 if self.failures or not self.checks else 0)

    def clean(self):
        if os.environ.get("KYMO_KEEP"):
            print(f"note: kept {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


def start(*command, text=True, **options):
    """A process whose output is captured, as text or as bytes."""
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "errors": "replace" if text else None, **options}
    return subprocess.Popen([*map(str, command)], text=text, **options)


def time_left():
    """Seconds that a command of this test may take before CTest would end the test itself."""
    return max(1.0, BEGAN + 0.9 * LIMIT - time.monotonic())


def run(*command, timeout=None, input=None, **options):
    """Runs a command to its end; TimeoutExpired where it is late: by its own limit, or by the test's."""
    timeout = min(timeout or math.inf, time_left())
    timeout = None if timeout == math.inf else timeout
    if input is not None:
        options["stdin"] = subprocess.PIPE
    with start(*command, **options) as started:
        try:
            out, err = started.communicate(input, timeout=timeout)
        except subprocess.TimeoutExpired:
            kill_tree(started.pid)  # not kymo alone: what it has started would go on, and take a processor from every later test
            started.communicate()
            raise
    return subprocess.CompletedProcess(started.args, started.returncode, out, err)


def main(body):
    """Runs the test's body with a Test, and ends with its verdict."""
    if len(sys.argv) < 3:
        sys.exit(f"usage: {sys.argv[0]} BUILD root|user|barred|any [ARGS...]")
    test = Test(*sys.argv[1:])
    try:
        body(test)
    except SystemExit:
        raise
    except BaseException:
        test.clean()
        raise
    test.end()


# ---- reading a report ----------------------------------------------------------------------------------


def preempted(test, truth):
    """Seconds that a program which measures its own waits may have lost between its clock readings and the calls they are about,
    by the kernel's account that it read itself (account::Preempted; account::ready_time where it does not tell stretch by stretch), and
    what the hypervisor took, of which that account does not know: it counts those in or out as they fall, so no answer can be known
    closer. Next to nothing on a quiet machine."""
    return truth.get("preempted", truth.get("ready")) / 1e9 + test.taken


FALSE_ALARM = 1e-6  # of a check of a random count: how often it may fail where nothing is wrong


def kill_tree(pid):
    """Kills a process and all that it has started, and they."""
    try:
        children = [int(child) for thread in pathlib.Path(f"/proc/{pid}/task").iterdir() for child in (thread / "children").read_text().split()]
        os.kill(pid, signal.SIGKILL)
    except (FileNotFoundError, ProcessLookupError):
        return
    for child in children:
        kill_tree(child)


def stolen():
    """Seconds that the hypervisor has taken from the processors: a program's own clocks leave them out, times between switches do not."""
    words = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()
    return int(words[8]) / os.sysconf("SC_CLK_TCK") if len(words) > 8 else 0.0


def tick_rate():
    """How often a second the kernel looks at timers: the resolution of its coarse clock is a tick (CLOCK_MONOTONIC_COARSE)."""
    return 1 / time.clock_getres(6)


def poisson_least(mean):
    """The largest k with P(X < k) ≤ FALSE_ALARM for X Poisson-distributed: a check "≥ k" fails by chance no more often than that."""
    below, term, k = 0.0, math.exp(-mean), 0
    while mean < 700 and below + term <= FALSE_ALARM:
        below += term
        k += 1
        term *= mean / k
    # Beyond what exp() can tell: the normal distribution's 4.9 standard deviations, and one for its skew.
    return k if mean < 700 else int(mean - 5.9 * math.sqrt(mean))


def share_error(test, share, samples):
    """How far a share may be off among so many samples. Counters of the kernel's sample by an exact period, which strays less than
    independent draws do: three standard deviations of those are ample. The ticks that timers wait for are such draws at best:
    4.9, once in a million times (FALSE_ALARM)."""
    return (4.9 if test.barred or test.at_tick else 3) * math.sqrt(share * (1 - share) / max(1, samples)) + 0.005


def samples_due(test, report, threads=None):
    """The fewest samples that threads (all of the report's, or these) can have for what they computed.

    Counters of the kernel's: half of what the rate gives, since a thread's last stretch is cut short and the first needs a period
    to begin with; the kernel may have lowered the rate where its interrupts take long. Timers are looked at when the kernel
    ticks, and whom that finds is chance: as few as come once in a million times where half of the ticks go elsewhere, and of the
    others those while the thread waited for its processor (the scheduler works by the same ticks, so that more of them find the
    thread's rivals: 1/10 to 1/1 of its share was seen at six to fifteen ready threads a processor)."""
    told = [entry["why"] + entry["what"] for entry in report["recording"]["unavailable"]]
    barred = test.barred or test.at_tick or any("CPU-time timers" in entry for entry in told)  # or descriptors were short
    threads = [(thread["user_s"] or 0.0, thread.get("run_queue_s") or 0.0) for thread in threads or report["threads"]]
    rate = report["recording"]["rate_asked_hz"]
    if barred:
        ticks = min(rate, tick_rate())
        return poisson_least(sum(computed * ticks / 2 * computed / (computed + ready) for computed, ready in threads if computed > 0))
    rate = min(rate, int(pathlib.Path("/proc/sys/kernel/perf_event_max_sample_rate").read_text()))
    return int(sum((computed - 2 / rate) * rate / 2 for computed, _ in threads if computed > 2 / rate))


def check_identity(test, report):
    """The time identity of every thread, to what seconds in JSON can show of a nanosecond: its states add up to its life, those on the
    processor to its user and system time, the others to its time off."""
    wrong = []
    for thread in report["threads"]:
        states = thread["states"]
        off = states["run_queue_s"] + states["waiting_s"] + states["off_s"]
        sums = (
            ("life", thread["end_s"] - thread["begin_s"], states["user_s"] + states["system_s"] + states["spinning_s"] + off + states["paused_s"]),
            ("off", thread["off_cpu_s"], off),
            ("on", thread["user_s"] + (thread["system_s"] or 0.0), states["user_s"] + states["system_s"] + states["spinning_s"]),
        )
        wrong += [(thread["name"], thread["tid"], *entry) for entry in sums if abs(entry[1] - entry[2]) > 10e-9 * max(1.0, report["recording"]["duration_s"])]
    test.check(f"user + system + run queue + waiting + off is the life of each of {len(report['threads'])} threads", "none wrong", wrong[:3],
               report["threads"] and not wrong)


def alarms(report):
    """What is to be said first, without what other programs did to the machine meanwhile."""
    return [alarm for alarm in report["alarms"] if not alarm.startswith("Machine taken")]


def plain(function):
    """A function's last name: without return type, namespaces, template and call arguments."""
    name = function.replace("(anonymous namespace)", "anonymous")
    depth = 0
    kept = []
    for letter in name:
        if letter in "<([":
            depth += 1
        elif letter in ">)]":
            depth -= 1
        elif depth == 0:
            kept.append(letter)
    return "".join(kept).split("::")[-1].strip().split(" ")[-1]


def total(report, column):
    return sum(thread[column] or 0.0 for thread in report["threads"])
