"""The commands that docs/exports.md, docs/sql.md and docs/diff.md show run as they stand, on a stored recording, and say something.

Arguments: BUILD any SOURCES
"""

import pathlib
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "replay"))
import replay  # first: it knows where the other modules are

from harness import main

RECORDING = "lock-contention.bad"
QUESTIONS = 6


def commands(page):
    return [line for block in re.findall(r"^```sh\n(.*?)^```", page, re.S | re.M) for line in block.splitlines()]


def body(test):
    sources = pathlib.Path(test.arguments[0])
    replay.unpack(RECORDING, test.work).rename(test.work / "my_program.kymo")
    for name in ("before", "after"):
        for number in ("", 1, 2, 3, 4):
            shutil.copytree(test.work / "my_program.kymo", test.work / f"{name}{number}.kymo")
    asked = 0
    for name in ("exports.md", "sql.md", "diff.md"):
        for command in commands((sources / "docs" / name).read_text()):
            tool = command.split()[0]
            if tool != "kymo" and shutil.which(tool) is None:
                print(f"left out: {tool} is not installed: {command}")
                continue
            done = test.run("sh", "-c", f"PATH={pathlib.Path(test.kymo).resolve().parent}:$PATH; cd '{test.work}' && {command}")
            test.equal(f"{name}: {command[:90]}", 0, done.returncode)
            writes = " -o " in command
            test.check(f"{name}: it says something", "a line or more", done.stdout[:200] + done.stderr[:300], writes or len(done.stdout.splitlines()) > 0)
            asked += command.startswith("kymo sql")
    test.check("questions", f"{QUESTIONS} or more", asked, asked >= QUESTIONS)


main(body)
