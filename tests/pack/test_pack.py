"""test_pack.py BUILD any: a packed recording says what its directory says, read from a file and from standard input; archives that are none of ours, or
would write outside of where they are unpacked, are refused in one line; nothing is left behind, however a reader ends.
"""

import io
import os
import pathlib
import random
import signal
import subprocess
import sys
import tarfile
import time

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/replay"))
import replay  # first: it knows where the other modules are

from harness import main

MALFORMED, EXISTS, USAGE = 6, 5, 2
VERBS = {"report": ["report", "{}"], "all": ["report", "{}", "--json"], "sql": ["sql", "{}", "select name, user_ns from thread order by id"],
         "folded": ["export", "{}", "--to", "folded"], "metrics": ["metrics", "{}"]}


class Readers:
    """Runs kymo where what it unpacks can be seen."""

    def __init__(self, test):
        self.test = test
        self.place = test.work / "tmp"
        self.place.mkdir()
        self.environment = {**replay.ENVIRONMENT, "TMPDIR": str(self.place)}

    def kymo(self, *words, **more):
        return self.test.run(self.test.kymo, *words, env=self.environment, **more)

    def left(self):
        """What is left there; it is removed right after the reader's end."""
        latest = time.monotonic() + 30
        while (left := sorted(path.name for path in self.place.iterdir())) and time.monotonic() < latest:
            time.sleep(0.02)
        return left


def same(test, readers, folder, packed):
    for what, words in VERBS.items():
        plain = readers.kymo(*[word.format(folder) for word in words])
        read = readers.kymo(*[word.format(packed) for word in words])
        with open(packed, "rb") as archive_bytes:
            piped = readers.kymo(*[word.format("-") for word in words], stdin=archive_bytes)
        test.equal(f"{what}: exit status", (0, 0, 0), (plain.returncode, read.returncode, piped.returncode))
        for how, done in (("a file", read), ("standard input", piped)):
            test.equal(f"{what}: from {how}", plain.stdout, replaced(done.stdout, folder))
    test.equal("nothing is left", [], readers.left())


def replaced(text, folder):
    """With the place where it was unpacked as that of the directory."""
    words = [word for word in text.split() if "/kymo-" in word and folder.name in word]
    for word in words:
        begin = word.index("/tmp/kymo-") if "/tmp/kymo-" in word else 0
        text = text.replace(word[begin:word.index(folder.name) + len(folder.name)], str(folder))
    return text


def member(name, content=b"", **more):
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    for key, value in more.items():
        setattr(entry, key, value)
    return entry, io.BytesIO(content)


def archive(path, *members, mode="w:gz"):
    with tarfile.open(path, mode) as out:
        for entry, content in members:
            out.addfile(entry, content)
    return path


def refused(test, readers, what, path, code=MALFORMED):
    done = readers.kymo("report", path)
    test.check(f"{what}: refused", code, (done.returncode, done.stderr), done.returncode == code and done.stderr.startswith("kymo: ")
               and done.stderr.count("\n") <= 2 and done.stdout == "")


def hostile(test, readers, packed):
    outside = test.work / "outside"
    made = {
        "an absolute path": [member(str(outside), b"x")],
        "a path upwards": [member("a/../../outside", b"x")],
        "a link, and a file through it": [member("link", type=tarfile.SYMTYPE, linkname=str(test.work)), member("link/outside", b"x")],
        "a hard link": [member("a", b"x"), member("b", type=tarfile.LNKTYPE, linkname="/etc/passwd")],
        "a pipe": [member("pipe", type=tarfile.FIFOTYPE)],
        "a device": [member("null", type=tarfile.CHRTYPE, devmajor=1, devminor=3)],
        "the same file twice": [member("a", b"x"), member("a", b"y")],
        "a file that is a directory as well": [member("a", b"x"), member("a/b", b"y")],
        "no name": [member("", b"x")],
    }
    for what, members in made.items():
        refused(test, readers, what, archive(test.work / "hostile.tar.gz", *members))
    test.equal("nothing is written outside", False, outside.exists())
    whole = packed.read_bytes()
    for what, content in {"an empty file": b"", "text": b"hello\n" * 100, "half": whole[:len(whole) // 2], "a tail": whole[1000:],
                          "zeros": bytes(5000)}.items():
        (test.work / "damaged").write_bytes(content)
        refused(test, readers, what, test.work / "damaged")
    chance = random.Random(1)
    for number in range(10):
        content = bytearray(whole)
        for _ in range(1 + number % 5):
            content[chance.randrange(len(content))] = chance.randrange(256)
        (test.work / "damaged").write_bytes(content)
        done = readers.kymo("report", test.work / "damaged")
        test.check(f"damage {number}", MALFORMED, (done.returncode, done.stderr[:300]), done.returncode == MALFORMED)
    refused(test, readers, "no recording in it", archive(test.work / "other.tar.gz", member("a/b.txt", b"x")))
    test.equal("nothing is left of these", [], readers.left())


def ends(test, readers, packed):
    """A reader that is killed leaves nothing."""
    for how in (signal.SIGINT, signal.SIGKILL):
        started = subprocess.Popen([test.kymo, "report", "-"], stdin=subprocess.PIPE, env=readers.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        started.stdin.write(packed.read_bytes()[:-100])
        started.stdin.flush()
        latest = time.monotonic() + 30
        while not list(readers.place.glob("*/*")) and time.monotonic() < latest:  # the process that removes the directory was started before the first file
            time.sleep(0.01)
        started.send_signal(how)
        started.stdin.close()
        started.wait()
        test.equal(f"nothing is left after {how.name}", [], readers.left())


def interrupted(test, readers, folder, images):
    """Ctrl-C leaves no file that is half written."""
    out = test.work / "interrupted.tar.xz"
    for number in range(3):
        out.unlink(missing_ok=True)
        started = subprocess.Popen([test.kymo, "pack", folder, "--images", images, "--only-images", "-o", out], env=readers.environment, stderr=subprocess.DEVNULL)
        time.sleep(0.1 * number)
        started.send_signal(signal.SIGINT)
        started.wait()
        whole = out.exists() and readers.kymo("report", out).returncode == 0
        test.check("interrupted", "no file, or a whole one", (started.returncode, out.exists(), whole), whole or not out.exists())


def body(test):
    folder = replay.unpack_one("lock-contention.bad", test.work)
    images = replay.unpack(replay.IMAGES, test.work)
    readers = Readers(test)
    packed = test.work / "packed.tar.xz"
    done = readers.kymo("pack", folder, "--images", images, "--only-images", "-o", packed)
    test.equal("pack", 0, done.returncode)
    test.check("it says what it packed", "files", done.stderr, "kymo: packed " in done.stderr)
    folder_names = readers.kymo("report", folder, "--images", images, "--json").stdout
    test.equal("names are from its images", folder_names, replaced(readers.kymo("report", packed, "--json").stdout, folder))
    again = readers.kymo("pack", folder, "--images", images, "--only-images", "-o", test.work / "again.tar.xz")
    test.equal("the same bytes again", (0, True), (again.returncode, (test.work / "again.tar.xz").read_bytes() == packed.read_bytes()))
    (folder / "images").symlink_to(images)  # as the packed one has them
    same(test, readers, folder, packed)
    plain = test.work / "plain.tar.xz"
    with tarfile.open(plain, "w:xz") as out:
        out.add(folder.with_name("lock-contention.bad.kymo"), arcname="x.kymo", filter=lambda entry: None if entry.issym() else entry)
    test.equal("anybody's tar of a recording", 0, readers.kymo("report", plain).returncode)
    test.equal("nothing is overwritten", EXISTS, readers.kymo("pack", folder, "-o", packed).returncode)
    test.equal("packed already", USAGE, readers.kymo("pack", packed, "-o", test.work / "b").returncode)
    nowhere = readers.kymo("pack", folder, "-o", test.work / "nowhere/x.tar.xz")
    test.check("no such directory", "one line", nowhere.stderr, nowhere.returncode != 0 and "nowhere" in nowhere.stderr)
    with open("/dev/full", "wb") as full_disk:
        full = readers.kymo("pack", folder, "-o", "-", stdout=full_disk)
    test.check("a full disk", "an error", (full.returncode, full.stderr), full.returncode != 0 and "No space" in full.stderr)
    page = readers.kymo("view", packed, cwd=test.work)
    test.equal("the page is named as the recording", (0, True), (page.returncode, (test.work / "lock-contention.bad.html").exists()))
    hostile(test, readers, packed)
    ends(test, readers, packed)
    interrupted(test, readers, folder, images)


main(body)
