"""As root, attached to a program in a container: its own mount and pid namespace, and a root file system that nobody outside sees, with a copy of the
program and its libraries. Its functions have their names, also where its file has been removed; and when the container is gone."""

import pathlib
import re
import shutil
import time

from harness import main

# $0: the root, an empty folder.
SETUP = """
set -e
mount --make-rprivate /
mount -t tmpfs none "$0"
cp -a fill/. "$0"
mkdir -p "$0/proc" "$0/old" "$0/tmp"
mount -t proc proc "$0/proc"
cd "$0"
pivot_root . old
/bin/umount -l /old
exec /app/guest
"""


def fill(test, program):
    """What the container's root will hold: the program, and what detaches the old root."""
    folder = test.work / "fill"
    umount = pathlib.Path(test.tool("umount", "util-linux"))
    for file, to in ((program, "app/guest"), (umount, "bin/umount")):
        libraries = re.findall(r"(/\S+) \(0x", test.must("ldd", file, prefix=[]))
        for source, place in [(file, to), *((library, library[1:]) for library in libraries)]:
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder / place)


def inside(outer):
    """The process in the container, seen from outside, once it is the program."""
    for _ in range(500):
        for thread in pathlib.Path(f"/proc/{outer.pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == "guest":
                    return int(child)
        time.sleep(0.01)
    return None


def check(test, what, path):
    copies = [file.read_bytes() for file in path.glob("images/.build-id/*/*")]
    test.check(f"{what}: copies in the recording", "the program among them", len(copies), test.program("attached").read_bytes() in copies)
    report = test.report(path)
    if report is None:
        return
    test.equal(f"{what}: processes", 1, len(report["processes"]))
    test.equal(f"{what}: threads", 7, len(report["threads"]))
    paths = [frames for frames, _ in test.folded(path)]
    frames = sorted({frame for each in paths for frame in each})
    test.check(f"{what}: functions", "computes, through holds_the_lock", frames[:8],
               any("computes" in each[-1] and any("holds_the_lock" in frame for frame in each) for each in paths))
    kinds = {wait["kind"] for wait in report["waits"] if wait["place"]}
    test.check(f"{what}: waits by the C library's functions", "mutex and condition", kinds, {"mutex", "condition"} <= kinds)


def body(test):
    if test.barred:
        test.skip("performance events are barred")
    for tool in ("unshare", "pivot_root", "ldd"):
        if not shutil.which(tool):
            test.skip(f"{tool} is not installed (apt-get install util-linux libc-bin)")
    program = test.program("attached")
    fill(test, program)
    root = test.work / "root"
    root.mkdir()
    outer = test.start("unshare", "--mount", "--pid", "--fork", "sh", "-c", SETUP, root, stdin=-1, stdout=-1, text=True)
    ready = outer.stdout.readline()
    if ready != "ready\n":
        outer.stdin.close()
        test.skip(f"no container can be made here: {outer.stderr.read().strip()}")
    guest = inside(outer)
    test.check("the program's number outside", "not 1", guest, guest is not None and guest != 1)
    test.equal("its file, seen from outside", False, (root / "app" / "guest").exists() or pathlib.Path("/app/guest").exists())

    path = test.work / "inside.kymo"
    done = test.run(test.kymo, "record", "-q", "--pid", guest, "--duration", 0.6, "-o", path)
    test.equal("attached: exit status", 0, done.returncode)
    check(test, "attached", path)

    # Its file is removed, as by an upgrade: the kernel keeps it as long as it is mapped.
    pathlib.Path(f"/proc/{guest}/root/app/guest").unlink()
    removed = test.work / "removed.kymo"
    done = test.run(test.kymo, "record", "-q", "--pid", guest, "--duration", 0.6, "-o", removed)
    test.equal("removed: exit status", 0, done.returncode)
    check(test, "removed", removed)

    outer.stdin.close()
    test.equal("the program ends as ever", "ended well\n", outer.stdout.read())
    outer.wait()
    for what, recording in (("attached, the container is gone", path), ("removed, the container is gone", removed)):
        check(test, what, recording)


main(body)
