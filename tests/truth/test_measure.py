"""kymo measure on programs as they are: the classic example gives the time that the program itself measured, counts are exact, and mistakes
end before the program starts.

The program times its calls from outside, the hooks from inside: the hooks' time is never longer, and shorter by what lies between. A
thread that loses its processor just there is why 2 % and not less; the waits for a processor that the kernel tells are added.
"""

import json
import re

import assembly
from classic import CLASSIC
from harness import main

DESCRIPTION = CLASSIC + """metric not_in_foo { at entry send_message when not (send_in_foo_depth > 0) : add
                    }
metric send_in_foo_depth gauge { at entry foo : add
  at exit foo : sub }
"""


def measure(test, text, *command, name="metrics.kym", out="out.kymo", json_too=True):
    description = test.work / name
    description.write_text(text)
    return test.run(test.kymo, "measure", *(["--json"] if json_too else []), "-q", "-o", test.work / out, description, "--", *command)


def check_no_room(test):
    """A limit of file sizes that the metrics' file would pass: the program runs, and the lack is told."""
    description = test.work / "small.kym"
    description.write_text("metric messages { at entry send_message : add }\n")
    done = test.run("/bin/sh", "-c", 'ulimit -f 200; exec "$@"', "sh", test.kymo, "measure", "-o", test.work / "small.kymo", description, "--",
                    test.program("kymo-exchange"), 10)
    test.equal("under ulimit -f: exit status", 0, done.returncode)
    test.check("under ulimit -f: what is told", "nothing was counted, and why", done.stderr,
               "nothing was counted for 'messages'" in done.stderr and "ulimit -f unlimited" in done.stderr)


def check_classic(test):
    rounds = 4_000
    done = measure(test, DESCRIPTION, test.program("kymo-exchange"), rounds)
    taken = 1e3 * test.taken
    if not test.equal("exit status", 0, done.returncode):
        print(done.stderr)
        test.end()
    line, rest = done.stderr.partition("\n")[0], done.stdout
    own = re.match(r"foo sent (\d+) messages in ([\d.]+) ms, bar (\d+) in ([\d.]+) ms, (\d+) bytes", line)
    in_foo, ms_in_foo, in_bar, _, sent = (float(group) for group in own.groups())
    result = json.loads(rest)
    test.of_schema("measure", result, "measure")
    metrics = result["metrics"]
    test.equal("exit status in JSON", 0, result["exit_status"])
    seen = metrics["send_in_foo"]["value"] / 1e6
    waits = ready_ms(test)
    test.check("time foo spends sending, ms", f"more than none, and no more than the {ms_in_foo:.3f} around the calls", seen, 0 < seen <= ms_in_foo)
    test.figure("time foo spends sending, ms",
                f"{ms_in_foo:.3f} - 2 % - {waits:.3f} waiting for a processor - {taken:.3f} stolen, and no more than it", seen,
                ms_in_foo * 0.98 - waits - taken <= seen <= ms_in_foo)
    test.equal("its unit", "ns", metrics["send_in_foo"]["unit"])
    test.equal("messages", int(in_foo + in_bar), metrics["messages"]["value"])
    test.equal("messages by process", [int(in_foo + in_bar)], list(metrics["messages"]["per"].values()))
    test.equal("bytes", int(sent), metrics["sent"]["value"])
    test.equal("long messages", 2 * rounds // 40 * 20, metrics["long_messages"]["value"])
    test.equal("messages not in foo", int(in_bar), metrics["not_in_foo"]["value"])
    test.equal("the longest", 99, metrics["longest"]["value"])
    each = sorted(value for value in metrics["sent"]["per"].values() if value)
    test.equal("bytes by thread add up", int(sent), sum(each))
    test.equal("threads that sent", 2, len(each))
    report = test.report(test.work / "out.kymo")
    told = {metric["name"]: metric for metric in report["metrics"] if metric["origin"] == "description"}
    test.equal("the report has it, too", metrics["sent"]["value"], told["sent"]["total"])


def ready_ms(test):
    """What all threads waited for a processor, by the kernel's account: the most that can fall between two clock readings."""
    report = test.report(test.work / "out.kymo")
    return 1e3 * sum(thread.get("run_queue_s") or 0.0 for thread in report["threads"]) * 0.02


def check_mistakes(test):
    program = test.program("kymo-exchange")
    cases = [
        ("metric m { at entry fooo : add }", 6, "metrics.kym:1:21: no function 'fooo'; did you mean 'foo'?"),
        ("metric m {\n  at entry foo when in_fo > 0 : add\n  cell in_foo\n}", 6, "metrics.kym:2:21: no variable or parameter 'in_fo'; did you mean 'in_foo'?"),
        ("metric m { at entry foo add }", 6, "metrics.kym:1:25: expected ':', found 'add'"),
        ("", 6, "metrics.kym:1:1: no metric in it"),
        ("metric m { at entry foo in libnone.so* : add }", 6, "metrics.kym:1:21: no function 'foo' in libnone.so*"),
    ]
    for text, status, message in cases:
        done = measure(test, text, program, 10, out="none.kymo")
        test.equal(f"{text!r}: exit status", status, done.returncode)
        test.check(f"{text!r}: says where and what", message, done.stderr.strip(), message in done.stderr)
        test.equal(f"{text!r}: nothing ran", "", done.stdout)
        test.equal(f"{text!r}: nothing is left", False, (test.work / "none.kymo").exists())
    for words, message in ((["none.kym", "--", program], "none.kym cannot be read"), ([], "no metric description given"),
                           (["metrics.kym"], "no program given"), (["metrics.kym", "--", "./nothing"], "nothing")):
        done = test.run(test.kymo, "measure", *words)
        test.check(f"{words}: a clear error", message, done.stderr.strip(), done.returncode in (2, 3) and message in done.stderr)


def check_inlined(test):
    """A function whose only call was inlined is named as such, with the line that counts its calls."""
    source = test.work / "square.c"
    source.write_text("static int square(int x) {\n    return x * x;\n}\nint main(int argc, char** argv) {\n    (void)argv;\n    return square(argc) != 1;\n}\n")
    test.must("cc", "-O2", "-g", "-o", test.work / "square", source)
    done = measure(test, "metric m { at entry square : add }", test.work / "square", out="none.kymo")
    test.check("an inlined function", "is named as such", done.stderr.strip(),
               done.returncode == 6 and "'square' is inlined into `main` at square.c:6" in done.stderr and "use: at line square.c:6" in done.stderr)
    done = measure(test, "metric m { at line square.c:6 : add }", test.work / "square", out="square.kymo")
    test.equal("the line counts its call", 1, json.loads(done.stdout)["metrics"]["m"]["value"])


def check_json_apart(test):
    """What the program prints is not among the JSON: by itself on standard error, with --json=FILE where it belongs."""
    done = test.run(test.kymo, "measure", "--json", "-q", "-o", "echo.kymo", "--", "echo", "hello")
    test.equal("--json: standard output is one object", 0, json.loads(done.stdout)["exit_status"])
    test.equal("--json: what the program prints", "hello", done.stderr.strip())
    done = test.run(test.kymo, "measure", "--json=told.json", "-q", "-o", "again.kymo", "--", "echo", "hello")
    test.equal("--json=FILE: what the program prints", "hello", done.stdout.strip())
    test.equal("--json=FILE: the object", 0, json.loads((test.work / "told.json").read_text())["exit_status"])


def check_several_mistakes(test):
    done = measure(test, "metric a { at entry none1 : add }\nmetric b { at entry none2 : add }\n", test.program("kymo-exchange"), 10, out="none.kymo")
    lines = [line for line in done.stderr.splitlines() if line.startswith("kymo: ")]
    test.check("two mistakes", "two lines, each with its place", lines,
               len(lines) == 2 and "metrics.kym:1:21: no function 'none1'" in lines[0] and "metrics.kym:2:21: no function 'none2'" in lines[1])


def check_patchable(test):
    """The compiler has left room (-fpatchable-function-entry): functions that would be refused are counted."""
    text = "metric calls { at entry nothing : add\n  at exit nothing : add 1000 }\nmetric downs { at entry counts_down : add\n at exit counts_down : add 1000 }\n"
    done = measure(test, text, test.program("patchable"), 70, out="patchable.kymo")
    test.equal("patchable: exit status", 0, done.returncode)
    own, rest = done.stderr.partition("\n")[0], done.stdout
    test.equal("patchable: it ran as it would", "1", own)
    test.equal("patchable: calls", {"calls": 70 * 1001, "downs": 70 * 1001},
               {name: metric["value"] for name, metric in json.loads(rest)["metrics"].items()} if done.returncode == 0 else done.stderr)
    for function, reason in (("nothing", "it is shorter than a jump"), ("counts_down", "a loop leads back to its first instruction")):
        done = measure(test, f"metric m {{ at entry {function} : add }}", test.program("unpatchable"), out="none.kymo")
        test.check(f"unpatchable: why {function} cannot be had", reason, (done.returncode, done.stderr.strip()), done.returncode == 6 and reason in done.stderr)


def check_words(test):
    """Options behind the description, and no description at all."""
    program = test.program("kymo-exchange")
    description = test.work / "behind.kym"
    description.write_text("metric sends { at entry send_message : add }\n")
    done = test.run(test.kymo, "measure", description, "--json", "-q", "-o", test.work / "behind.kymo", "--", program, 10)
    test.equal("options behind the description: status", 0, done.returncode)
    test.equal("and they are taken", True, (test.work / "behind.kymo").exists() and "sends" in done.stdout)
    done = test.run(test.kymo, "measure", "-o", test.work / "bare.kymo", "--", program, 20_000)  # half a second: the kernel counts in ticks
    test.equal("no description: status", 0, done.returncode)
    test.check("what is counted without one", "processor busy", done.stdout[-300:], "processor" in done.stdout)
    done = test.run(test.kymo, "measure", description, "--nothing", "--", program, 10)
    test.check("an unknown option behind the description", "no such option: --nothing", done.stderr.strip(),
               done.returncode == 2 and "no such option: --nothing" in done.stderr)


ENDS = """#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) void run(void) { asm volatile(".rept 8\\n nop\\n.endr"); usleep(30000); END; }
int main(void) { run(); return 0; }
"""


def check_ends(test):
    """A timer that runs when the program ends is in the total: by exit and by _exit, of which the monitor knows when."""
    for end in ("exit(0)", "_exit(0)"):
        (test.work / "ends.c").write_text(ENDS.replace("END", end))
        test.must("cc", "-O1", "-o", test.work / "ends", test.work / "ends.c")
        folder = test.work / f"ends-{end[:5]}.kymo"
        (test.work / "ends.kym").write_text("metric running unit ns { at entry run : start at exit run : stop }\n")
        done = test.run(test.kymo, "measure", "-q", "--json", "-o", folder, test.work / "ends.kym", "--", test.work / "ends")
        told = json.loads(test.run(test.kymo, "metrics", "--json", folder).stdout)
        ns = told["task/system/0/running"]["sum"]
        test.check(f"{end}: the timer that still ran", "29 ms or more", (done.returncode, ns), done.returncode == 0 and ns >= 29_000_000)


SKIPS = """#include <setjmp.h>
#include <stdlib.h>
static jmp_buf out;
__attribute__((noinline)) void inner(int i) { asm volatile(".rept 8\\n nop\\n.endr"); if (i == 9) longjmp(out, 1); asm volatile(""); }
__attribute__((noinline)) void last(void) { asm volatile(".rept 8\\n nop\\n.endr"); }
int main(int count, char** words) {
    (void)words;
    for (volatile int i = 0; i < 10; ++i) if (setjmp(out) == 0) inner(i);
    if (count > 1) {
        last(); last();
    }
    if (count > 2) exit(0);
    return 0;
}
"""


def check_skipped(test):
    """longjmp has skipped the tenth: its exit is counted whatever is hooked behind it, and where nothing is."""
    (test.work / "skips.c").write_text(SKIPS)
    line = 1 + SKIPS[:SKIPS.index("last(); last();")].count("\n")
    test.must("cc", "-O1", "-g", "-o", test.work / "skips", test.work / "skips.c")
    skips = "metric in { at entry inner : add }\nmetric out { at exit inner : add }\n"
    for at, (behind, arguments, times) in enumerate((("at entry last", "1", 2), ("at exit last", "1", 2), (f"at line skips.c:{line}", "1", 1),
                                     ("at entry last", "", 0), ("at entry inner", "", 10), ("at exit inner", "", 10), ("at entry last", "1 2", 2))):
        done = measure(test, f"{skips}metric behind {{ {behind} : add }}\n", test.work / "skips", *arguments.split(), out=f"skips-{at}.kymo")
        told = {name: metric["value"] for name, metric in json.loads(done.stdout)["metrics"].items()} if done.returncode == 0 else done.stderr
        test.equal(f"{behind} {arguments}: counts", {"in": 10, "out": 10, "behind": times}, told)


def body(test):
    check_classic(test)
    check_mistakes(test)
    check_several_mistakes(test)
    check_inlined(test)
    check_json_apart(test)
    check_patchable(test)
    check_words(test)
    check_ends(test)
    check_skipped(test)
    assembly.check(test, json, measure, test.work / "assembly", False)
    check_no_room(test)


main(body)
