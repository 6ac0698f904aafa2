"""test_older_systems.py BUILD any: the tarball works on a system with an older C library: Debian 11 (glibc 2.31), made by debootstrap,
or what KYMO_OLDER_ROOT names: the root of such a system, in which nothing is left.
"""

import json
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))
from harness import main  # noqa: E402

PATIENCE = 600  # seconds, for what a busy machine takes to fetch and pack
KEYRING = "/usr/share/keyrings/debian-archive-bullseye-stable.gpg"

# The tarball, through a link, in a folder that is nobody's usual; what is looked at is what the system itself has: threads (sort),
# a tree of processes (sh), calls of the C library (measure).
STEPS = """set -e
cd /tmp/kymo-older
tar -xzf kymo-*.tar.gz
mkdir bin
ln -s ../$(ls -d kymo-*-Linux)/bin/kymo bin/kymo
PATH=$PWD/bin:$PATH
kymo --version
seq 1 400000 > numbers
sort -R --parallel=2 -S 4M numbers > /dev/null # warm
kymo record -q -o sort.kymo -- sort -R --random-source=numbers --parallel=2 -S 64M numbers > sorted
sort -R --random-source=numbers --parallel=2 -S 64M numbers | cmp - sorted
kymo report --json sort.kymo > sort.json
kymo record -q -o tree.kymo -- sh -c 'ls -R /usr | grep -c . ; exit 3' > lines || test $? = 3
test $(cat lines) -gt 100
kymo report --json tree.kymo > tree.json
printf 'metric opened { at entry opendir : add }\\n' > opened.kym
kymo measure -q -o opened.kymo opened.kym -- ls -R /etc/apt > listed # and, behind it, the metrics
ls -R /etc/apt > expected
head -c $(wc -c < expected) listed | cmp - expected
kymo metrics --json opened.kymo > opened.json
find /etc/apt -type d | wc -l > folders
kymo export sort.kymo --to pprof -o profile.pb.gz
kymo view sort.kymo -o page.html > told
"""


def older_root(test):
    """The root of a system, and what to say of it."""
    given = os.environ.get("KYMO_OLDER_ROOT")
    if given:
        return pathlib.Path(given)
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        test.skip("an older system needs root and debootstrap")
    root = test.work / "older"
    keyring = [f"--keyring={KEYRING}"] if os.path.exists(KEYRING) else []
    if test.run("debootstrap", *keyring, "--variant=minbase", "bullseye", root, timeout=PATIENCE).returncode != 0:
        test.skip("debootstrap cannot fetch Debian 11 here")
    return root


def is_resolved(test, what, report):
    """Whether call paths are whole and functions have names: both need the images that the dynamic linker has loaded."""
    recording = report["recording"]
    paths = recording["call_paths"]
    test.check(f"{what}: call paths", "nearly all complete", paths, recording["samples"] > 0 and paths["complete"] >= 0.9 * recording["samples"])
    generated = [row["function"] for row in report["functions"] if row["function"].startswith("[generated]")]
    test.equal(f"{what}: functions without an image", [], generated)


def body(test):
    root = older_root(test)
    folder = root / "tmp/kymo-older"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    test.must("cpack", "-G", "TGZ", "--config", test.build / "CPackConfig.cmake", "-B", test.work / "packages", cwd=test.build, timeout=PATIENCE)
    shutil.copy(next((test.work / "packages").glob("*.tar.gz")), folder)
    (folder / "steps.sh").write_text(STEPS)
    done = test.run("unshare", "-m", "sh", "-c", f"mount -t proc proc '{root}/proc' && exec chroot '{root}' sh /tmp/kymo-older/steps.sh", timeout=PATIENCE)
    if done.returncode != 0:
        print(done.stdout[-1500:], done.stderr[-1500:])
    test.equal("unpack, record, report, measure, export, view", 0, done.returncode)
    if done.returncode == 0:
        for what in ("sort", "tree"):
            is_resolved(test, what, json.loads((folder / f"{what}.json").read_text()))
        opened = json.loads((folder / "opened.json").read_text())
        test.equal("calls counted", int((folder / "folders").read_text()), int(opened["task/system/0/opened"]["sum"]))
    shutil.rmtree(folder, ignore_errors=True)


main(body)
