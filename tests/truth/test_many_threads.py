"""Programs that make threads by the thousand: every one is in the report, and none of them leaves anything behind.

Arguments: BUILD MODE SHAPE, `alive` (5,000 at the same time) or `after` (20,000 one after another).
"""

import statistics

from harness import main


def figures(text):
    wall, processor, resident, descriptors = (float(word) for word in text.split())
    return {"wall": wall, "processor": processor / 1e3, "resident": resident / 1024, "descriptors": descriptors}


def run_both(test, count, alive, out="out.kymo"):
    """Bare and recorded."""
    program = [test.program("short_threads"), count, count if alive else 1]
    bare = figures(test.run(*program).stdout)
    done, path = test.record(*program, out=out)
    if not test.equal(f"status of {count} threads", 0, done.returncode):
        print(done.stderr)
        test.end()
    return bare, figures(done.stdout), path


def extra_us(bare, seen):
    """Processor time a thread beyond the bare program's."""
    return seen["processor"] - bare["processor"]


def body(test):
    alive = test.arguments[0] == "alive"
    count = 5_000 if alive else 20_000
    # Of a thread that waits for another on a lock of the monitor's, or looks through all others, the processor's share must be next to
    # nothing: a thread costs as much among many as among few. What it costs at all is the machine's.
    few = [extra_us(*run_both(test, count // 10, alive, f"{turn}.kymo")[:2]) for turn in range(3)]
    bare, seen, path = run_both(test, count, alive)
    extra, least = extra_us(bare, seen), statistics.median(few)
    test.check("processor time a thread beyond the bare program's", f"< 3 × the {least:.0f} us of a tenth as many", f"{extra:.1f} us",
               extra < 3 * max(least, bare["processor"]))
    # A live thread's state and the rows of it; of an ended one its rows, some 500 bytes in pages of the file that stay mapped.
    least = 64 * count / 1024 if alive else 16 + count / 1024
    test.check("resident size beyond the bare program's", f"< {least:.0f} MiB", f"{seen['resident'] - bare['resident']:.1f} MiB",
               seen["resident"] - bare["resident"] < least)
    left = seen["descriptors"] - bare["descriptors"]
    test.check("descriptors beyond the bare program's", "< 16", left, left < 16)
    size = sum(file.stat().st_size for file in path.iterdir())
    test.check("bytes of recording a thread", "< 2000", f"{size / count:.0f}", size / count < 2000)

    report = test.report(path)
    if report is None:
        return
    test.check("threads in the report", f"{count} and the first", len(report["threads"]), len(report["threads"]) == count + 1)
    sampled = sum(bool(thread["sampled"]) for thread in report["threads"])
    test.equal("threads with an account of their own", count + 1, sampled)
    text = test.run(test.kymo, "report", path).stdout
    lines = len(text.splitlines())
    test.check("lines of the report for people", "≤ 80, the rest summed up", lines, lines <= 80 and " more" in text)


main(body)
