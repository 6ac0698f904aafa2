"""An export that is ended half-way leaves nothing of its name, and after a moment nothing at all; what is there is whole.

Arguments: BUILD any
"""

import pathlib
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "replay"))
import replay  # first: it knows where the other modules are

from harness import main

TRIES = 20
PATIENCE = 30  # seconds, for the process that clears up on a busy machine


def size(path):
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) if path.is_dir() else path.stat().st_size


def interrupted(test, recording, to, how):
    """Ends the export as soon as it has begun to write, until it is met on the way."""
    whole = test.work / f"whole-{how.name}.{to}"
    test.equal(f"{to}: written whole", 0, test.run(test.kymo, "export", recording, "--to", to, "-o", whole).returncode)
    folder = test.work / f"{to}-{how.name}"
    folder.mkdir()
    out = folder / "out"
    for _ in range(TRIES):
        started = subprocess.Popen([test.kymo, "export", recording, "--to", to, "-o", out], stderr=subprocess.DEVNULL)
        while started.poll() is None and not list(folder.glob("out.part-*")):
            pass
        started.send_signal(how)
        started.wait()
        if started.returncode == -how:
            break
        test.check(f"{to}: it was faster, and is whole", size(whole), size(out), abs(size(out) - size(whole)) <= size(whole) // 20)
        test.must("rm", "-rf", out)
    else:
        print(f"left out: {to} was never met on the way")
        return
    latest = time.monotonic() + PATIENCE
    while list(folder.iterdir()) and time.monotonic() < latest:
        time.sleep(0.02)
    test.equal(f"{to}: what is left after {how.name}", [], [path.name for path in folder.iterdir()])


def body(test):
    recording = replay.unpack_one("lock-contention.bad", test.work)
    formats = test.run(test.kymo, "export", "--help").stdout
    for to in ("csv", "sqlite", "otf2"):
        if f"  {to} " in formats:
            for how in (signal.SIGINT, signal.SIGKILL):
                interrupted(test, recording, to, how)
    there = test.work / "there"
    there.mkdir()
    done = test.run(test.kymo, "export", recording, "--to", "csv", "-o", there)
    test.check("an existing directory stays", "exists already", done.stderr, done.returncode != 0 and "exists already" in done.stderr)
    late = test.run(test.kymo, "view", recording, "--range", "1000..1001", "-o", there)
    test.check("before the analysis", "exists already", late.stderr, late.returncode != 0 and "exists already" in late.stderr)
    slash = test.run(test.kymo, "export", recording, "--to", "csv", "-o", f"{test.work}/slash/")
    test.equal("a directory may be named with a slash", (0, True), (slash.returncode, (test.work / "slash/thread.csv").exists()))
    nowhere = test.run(test.kymo, "export", recording, "--to", "sqlite", "-o", test.work / "nowhere/x.db")
    test.check("an error names what was asked for", "nowhere/x.db:", nowhere.stderr, "nowhere/x.db:" in nowhere.stderr and ".part" not in nowhere.stderr)


main(body)
