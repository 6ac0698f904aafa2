"""A hunt tells another program its results while it runs: lines to a file, a descriptor and a socket, and a signal, one a result, which
are those of the report; a reader that goes away ends nothing; terminals are taken and told.
"""

import json
import os
import signal
import socket
import threading

from harness import main


def hunt(test, out, *options, **more):
    return test.run(test.kymo, "hunt", "-q", "--json", "-e", "page-faults", "--engine", "program", "-o", test.work / out, *options, "--",
                    test.program("hunted_faults"), **more)


def check_lines(test, what, text, done):
    report = json.loads(done.stdout[done.stdout.index("{\n"):])
    lines = [json.loads(line) for line in text.splitlines()]
    places = lambda all, image, offset: sorted({(os.path.basename(each[image]), each[offset]) for each in all})
    told = places(lines, "image", "offset")
    test.equal(f"{what}: those of the report", places([find["place"] for find in report["finds"]], "image", "offset"), told)
    test.check(f"{what}: there are some", "heavy", lines, any(line["function"] == "heavy" for line in lines))
    return report, lines


def check_phases(test, engine):
    """Two instructions of one line are one row; a result that holds in every other phase has as many stretches, each over before the next."""
    folder = test.work / f"phases-{engine}.kymo"
    options = ["-e", "page-faults", "--engine", engine, "-o", folder, "--", test.program("hunted_phases")]
    done = test.run(test.kymo, "hunt", "-q", "--json", *options)
    if done.returncode != 0:
        print(f"note: {done.stderr.strip()}")
        return test.equal(f"{engine}: exit status", 0, done.returncode)
    finds = json.loads(done.stdout)["finds"]
    rows = {}
    for find in finds:
        rows.setdefault(find["row"]["number"], []).append(find)
    both = [row for row in rows.values() if row[0]["place"]["function"] == "both"]
    test.equal(f"{engine}: rows of the line with two instructions, and instructions", [2], [len(row) for row in both])
    test.equal(f"{engine}: its rank", 1, both[0][0]["row"]["number"] if both else None)
    for find in finds:
        holds = find["when"]
        name = f"{find['place']['function']}+{find['place']['offset']:#x}"
        test.check(f"{engine}: stretches of {name}", "one after the other, and only the last may last to the end", holds[:3], all(
            one["quiet"] and one["end_s"] <= other["begin_s"] for one, other in zip(holds, holds[1:])))
    alone = [find for find in finds if find["place"]["function"] == "alone"]
    stretches = len(alone[0]["when"]) if alone else 0
    test.check(f"{engine}: stretches of what holds in every other phase", "more than the 64 that the kernel's ring of news has room for",
               stretches, stretches > 64)
    text = test.run(test.kymo, "report", folder).stdout
    test.check(f"{engine}: the report", "one row of two instructions", text[text.find("Hunt for"):][:600], "  2 instructions\n" in text)


def body(test):
    check_phases(test, "program")
    if test.mode == "root":
        check_phases(test, "kernel")
    done = hunt(test, "file.kymo", "--tell", test.work / "lines", "--test", "pair", "--terminals", "200,20", "--rest", "0")
    test.equal("exit status", 0, done.returncode)
    report, _ = check_lines(test, "a file", (test.work / "lines").read_text(), done)
    test.equal("its terminals", ([200, 20], 0, None, 0.1), tuple(report["hunt"][key] for key in ("terminals", "rest_events", "false_reports", "share")))

    reads, writes = os.pipe()
    done = hunt(test, "descriptor.kymo", "--tell", f"fd:{writes}", pass_fds=[writes])
    os.close(writes)
    with open(reads, encoding="utf-8") as pipe:
        report, _ = check_lines(test, "a descriptor", pipe.read(), done)
    test.equal("of the sequential test there are no terminals", None, report["hunt"]["terminals"])

    signals = []
    signal.signal(signal.SIGUSR2, lambda *_: signals.append(1))
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(test.work / "socket"))
    listener.listen()
    got = []

    def take():
        connection, _ = listener.accept()
        while data := connection.recv(65536):
            got.append(data)

    taker = threading.Thread(target=take, daemon=True)
    taker.start()
    done = hunt(test, "socket.kymo", "--tell", f"unix:{test.work / 'socket'}", "--notify", f"{os.getpid()}:USR2")
    taker.join(60)
    check_lines(test, "a socket", b"".join(got).decode(), done)
    test.check("signals", "one or more (those that come together are one)", len(signals), len(signals) >= 1)

    reads, writes = os.pipe()
    os.close(reads)
    done = hunt(test, "gone.kymo", "--tell", f"fd:{writes}", pass_fds=[writes])
    os.close(writes)
    test.equal("nobody reads: exit status", 0, done.returncode)
    test.check("nobody reads: it is said", "not read there", done.stderr, "not read there" in done.stderr)


main(body)
