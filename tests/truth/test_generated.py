"""Code that a program makes itself, as just-in-time compilers do, has the names of the program's perf-PID.map under the monitor: of that process, by its
user, and written after it began; of no other file."""

import pathlib
import time

from harness import main

HOT, WARM = "JS:*hot /srv/generates.js:1:1", "JS:~warm /srv/generates.js:9:1"
# For code at any address. Written by the shell that then becomes the program, whose number it has.
EVERYWHERE = "1000 7fffffffe000 left_name"


def run_for(test, name, *command):
    """The recording of a program that runs until its standard input ends, and its number."""
    path = test.work / f"{name}.kymo"
    recorder = test.start(test.kymo, "record", "-o", path, "--", *command, stdin=-1, stdout=-1, stderr=-1, text=True)
    test.equal(f"{name}: ready", "ready\n", recorder.stdout.readline())
    time.sleep(0.4)
    out, said = recorder.communicate("")
    test.equal(f"{name}: output", "ended well\n", out)
    test.equal(f"{name}: exit status", 7, recorder.returncode)
    report = test.report(path)
    pids = {process["pid"] for process in report["processes"]} if report else set()
    return path, pids


def frames_of(test, path):
    return {frame: sum(weight for frames, weight in test.folded(path) if frame in frames) for frame in {frame for frames, _ in test.folded(path) for frame in frames}}


def remove_maps(pids):
    for pid in pids:
        pathlib.Path(f"/tmp/perf-{pid}.map").unlink(missing_ok=True)


def body(test):
    generates = test.program("generates")
    path, pids = run_for(test, "named", generates)
    try:
        frames = frames_of(test, path)
        for name in (HOT, WARM):
            test.check(f"named: {name}", "a function", sorted(frames)[:10], name in frames)
        test.check("named: the old function", "none, later lines are of its place", sorted(frames)[:10], "old_code" not in frames)
        # Three times as much by the program's own account; a quarter more or less says the same.
        test.figure("named: hot to warm", "2 to 4", frames.get(HOT, 0) / max(1, frames.get(WARM, 0)), 2 <= frames.get(HOT, 0) / max(1, frames.get(WARM, 0)) <= 4)
        inside = [frames for frames, _ in test.folded(path) if HOT in frames]
        test.check("named: call paths", "main above hot", inside[:2], any("main" in frames[:frames.index(HOT)] for frames in inside))
    finally:
        remove_maps(pids)
    for name, prepare, is_named in (("fresh", f"echo '{EVERYWHERE}' > /tmp/perf-$$.map", True),
                                    ("stale", f"echo '{EVERYWHERE}' > /tmp/perf-$$.map; touch -d '2 days ago' /tmp/perf-$$.map", False),
                                    ("linked", f"echo '{EVERYWHERE}' > {test.work}/elsewhere; ln -sf {test.work}/elsewhere /tmp/perf-$$.map", False),
                                    ("no map", "rm -f /tmp/perf-$$.map", False)):
        path, pids = run_for(test, name.replace(" ", "_"), "/bin/sh", "-c", f"{prepare}; exec {generates} nameless")
        try:
            frames = frames_of(test, path)
            test.check(f"{name}: names of the map", "some" if is_named else "none", sorted(frames)[:10], ("left_name" in frames) == is_named)
        finally:
            remove_maps(pids)


main(body)
