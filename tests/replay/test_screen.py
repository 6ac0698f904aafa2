"""The report without options fits one look: of every stored recording at most 60 lines, at 80, 120 and 200 columns, in a pipe, with signs and
in ASCII; and no line of any report is wider than asked, whatever tables are asked for. At other widths than the goldens' some are held as well.

Arguments: BUILD any. `python3 tests/replay/record.py BUILD --renew` takes what is reported now for right.
"""

import concurrent.futures
import os
import sys
import unicodedata

sys.dont_write_bytecode = True
import replay  # first: it knows where the other modules are

from harness import main

MOST_LINES = 60
NARROW = 80  # a pipe's, where nothing else is asked
TABLES = ["--all"], ["--findings", "--lines", "--threads", "--events", "--channels"], ["--spaces", "--gaps", "--neighbours"], ["--finding", "1"]


def width(line):
    """In columns of a terminal."""
    return sum(0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)


def too_wide(text, columns):
    return [line for line in text.splitlines() if width(line) > columns]


def mistakes_of(test, name, path, images):
    """What is wrong with a recording's reports, in words."""
    wrong = []
    for columns, locale in replay.SCREENS:
        text = replay.screen(test, path, images, columns, locale)
        lines = len(text.splitlines())
        if lines > MOST_LINES:
            wrong.append(f"{lines} lines at {columns} columns, {locale}")
        wrong += [f"wider than {columns}: {line}" for line in too_wide(text, columns)]
        if locale == "C" and not text.isascii():
            wrong.append(f"not ASCII at {columns} columns")
    if name in replay.WHOLE:
        for table in TABLES:
            if table[0] == "--finding" and not replay.has_findings(text):
                continue
            text_of_table = replay.screen(test, path, images, NARROW, "C.UTF-8", *table)
            wrong += [f"{' '.join(table)}: {line}" for line in too_wide(text_of_table, NARROW)]
    return wrong


def body(test):
    images = replay.unpack(replay.IMAGES, test.folder)

    def one(name):
        path = replay.unpack_one(name, test.folder)
        mistakes = mistakes_of(test, name, path, images)
        changes = "".join(replay.hold(file, text, renew=False) for file, text in replay.screens(test, name, path, images).items())
        replay.clean(path)
        return mistakes, changes

    names = replay.names()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, (mistakes, changes) in zip(names, pool.map(one, names)):
            test.equal(f"{name}: mistakes", [], mistakes)
            test.check(f"{name}: changes", "none", changes or "none", not changes)
    test.check("recordings", "some", len(names), len(names) > 0)


main(body)
