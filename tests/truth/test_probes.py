"""kymo measure on programs into which nothing can be preloaded: the kernel stops them.

As root the counts are those that the programs know, and the classic example gives the time that the program itself measured. A probe costs
microseconds, which fall into the program's own time and, of those around the message, not into the measured one: messages are made long. An
ordinary user, and root where performance events are barred and the kernel needs them (before Linux 6.10), get one clear error before the
program starts.
"""

import json
import os
import pathlib
import re
import shutil

import assembly
from classic import CLASSIC
from harness import NOBODY, main

DESCRIPTION = CLASSIC + """metric bound unit ns { cell other
  at entry bar : bind t other, start t
  at exit bar : stop t
  timer t }
"""

KNOWN = """metric risky_calls { at entry risky : add }
metric risky_returns { at exit risky : add }
metric risky_sum { at exit risky : add result as int }
metric deep_calls { at entry deep : add }
metric deep_returns { at exit deep : add }
metric counted { at entry count_me when not (arg2 == 1) : add
  at exit count_me : add }
metric most maximum { at entry count_me when arg1 > most : set arg1 }
metric at_line { at line probed.cpp:LINE : add }
"""
SOURCE = pathlib.Path(__file__).parent / "programs" / "probed.cpp"
LINE = 1 + SOURCE.read_text().splitlines().index("    sink = value;")



def measure(test, text, *command, out="out.kymo", quiet=True):
    description = test.work / "probes.kym"
    description.write_text(text)
    return test.run(test.kymo, "measure", "--json", *(["-q"] if quiet else []), "-o", test.work / out, description, "--", *command)


def result_of(test, done, what):
    if not test.equal(f"{what}: exit status", 0, done.returncode):
        print(done.stderr)
        test.end()
    own, rest = done.stderr.partition("\n")[0], done.stdout
    return own, json.loads(rest)["metrics"]


def check_classic(test, program):
    rounds = 400
    own, metrics = result_of(test, measure(test, DESCRIPTION, test.program(program), rounds, out=f"{program}.kymo"), program)
    taken = 1e3 * test.taken
    told = re.match(r"foo sent (\d+) messages in ([\d.]+) ms, bar (\d+) in ([\d.]+) ms, (\d+) bytes", own)
    in_foo, ms_in_foo, in_bar, ms_in_bar, sent = (float(group) for group in told.groups())
    seen = metrics["send_in_foo"]["value"] / 1e6
    report = test.report(test.work / f"{program}.kymo")
    waits = 1e3 * sum(thread.get("run_queue_s") or 0.0 for thread in report["threads"]) * 0.02
    test.check(f"{program}: time foo spends sending, ms", f"more than none, and no more than the {ms_in_foo:.3f} around the calls", seen, 0 < seen <= ms_in_foo)
    test.figure(f"{program}: time foo spends sending, ms",
                f"{ms_in_foo:.3f} - 2 % - {waits:.3f} waiting for a processor - {taken:.3f} stolen, and no more than it", seen,
                ms_in_foo * 0.98 - waits - taken <= seen <= ms_in_foo)
    test.equal(f"{program}: messages", int(in_foo + in_bar), metrics["messages"]["value"])
    test.equal(f"{program}: bytes", int(sent), metrics["sent"]["value"])
    test.equal(f"{program}: long messages", 2 * rounds // 40 * 20, metrics["long_messages"]["value"])
    test.equal(f"{program}: the longest", 99, metrics["longest"]["value"])
    test.equal(f"{program}: threads that sent", 2, len([value for value in metrics["sent"]["per"].values() if value]))
    metrics_told = {metric["name"]: metric for metric in report["metrics"]}
    test.equal(f"{program}: the report has it, too", metrics["sent"]["value"], metrics_told["sent"]["total"])
    bound = metrics_told["bound.other"]["total"] / 1e6
    test.equal(f"{program}: the cell of a timer that was bound to another", 0, metrics["bound"]["value"])
    test.check(f"{program}: and that other, ms", f"no less than the {ms_in_bar:.3f} that bar times from within", bound, ms_in_bar <= bound)
    test.figure(f"{program}: and that other, ms: bar, which times itself from within",
                f"{ms_in_bar:.3f} + 5 % + {50 * waits:.3f} waiting + {taken:.3f} stolen", bound,
                ms_in_bar <= bound <= ms_in_bar * 1.05 + 50 * waits + taken)


def check_known(test, *arguments, status=0):
    done = measure(test, KNOWN.replace("LINE", str(LINE)), test.program("probed"), *arguments, out=f"known{len(arguments)}.kymo")
    own, rest = done.stderr.partition("\n")[0], done.stdout
    what = " ".join(("probed", *arguments))
    test.equal(f"{what}: exit status", status, done.returncode)
    test.equal(f"{what}: it ran as it would", "caught 1000, levels 303", own)
    metrics = {name: metric["value"] for name, metric in json.loads(rest)["metrics"].items()}
    returned = sum(value for value in range(3000) if value % 3)
    expected = {"risky_calls": 3000, "risky_returns": 2000, "risky_sum": returned, "deep_calls": 303, "deep_returns": 303,
                "counted": 1600 * 2 + 1, "most": 9, "at_line": 2000}
    test.equal(f"{what}: what is known", expected, metrics)


def check_jump(test):
    text = """metric within { cell in_outer
  at entry outer : add in_outer
  at exit outer : sub in_outer
  at entry inner when in_outer > 0 : add }
metric results { at exit outer : add result }
"""
    _, metrics = result_of(test, measure(test, text, test.program("probed_jump"), 500), "a jump at a function's end")
    test.equal("calls within the function that ends in a jump", 500, metrics["within"]["value"])
    test.equal("what it returned", 500 * 501 // 2, metrics["results"]["value"])


def check_what_is_not_seen(test):
    """Returns from deeper than the kernel follows, and from calls that longjmp cuts short; what forked children do."""
    text = "metric calls { at entry FUNCTION : add }\nmetric returns { at exit FUNCTION : add }\n"
    for what, function, calls, returns in (("deep", "deeper", 101 + 101 + 11, 64 + 64 + 11), ("jump", "leaves", 100, 0), ("fork", "leaf", 3, 3)):
        out = f"{what}.kymo"
        done = measure(test, text.replace("FUNCTION", function), test.program("probed_deep"), what, out=out, quiet=False)
        _, metrics = result_of(test, done, what)
        test.equal(f"{what}: calls", calls, metrics["calls"]["value"])
        test.equal(f"{what}: returns that the kernel saw", returns, metrics["returns"]["value"])
        told = f"exits of {calls - returns} of {calls} calls"
        test.equal(f"{what}: what was not seen is told", calls != returns, told in done.stderr)
        absences = [absence["what"] for absence in test.report(test.work / out)["recording"]["unavailable"]]
        test.equal(f"{what}: and in the report", calls != returns, told in absences)
        forked = "the program has forked 1 process: nothing was counted in it"
        test.equal(f"{what}: a child is told", what == "fork", forked in done.stderr)
    done = measure(test, "metric returns { at exit leaf : add }", test.program("probed_deep"), "jump", out="exits.kymo", quiet=False)
    _, metrics = result_of(test, done, "exits alone")
    test.equal("exits alone", 1, metrics["returns"]["value"])
    test.equal("exits alone: nothing is lacking", False, "not seen" in done.stderr)


def check_refusals(test):
    for text, message in (("metric m { at exit passes_on : add }", "passes_on: may end in a jump to another function: its exits cannot be hooked"),
                          ("metric m { at entry countme : add }", "no function 'countme'; did you mean 'count_me'?"),
                          ("metric m { at entry strlen : add }", "strlen: is chosen when it is loaded (IFUNC)")):
        done = measure(test, text, test.program("probed"))
        test.equal(f"{text}: exit status", 6, done.returncode)
        test.check(f"{text}: says why", message, done.stderr.strip(), message in done.stderr)
        test.equal(f"{text}: nothing ran", "", done.stdout)


def check_rights_gained(test):
    """A program that becomes another user's: the kernel drops what is set for that process alone."""
    program = test.work / "setuid"
    shutil.copy(test.program("probed_jump"), program)
    os.chown(program, NOBODY, NOBODY)
    program.chmod(0o4755)
    _, metrics = result_of(test, measure(test, "metric calls { at entry outer : add }", program, 70, out="setuid.kymo"), "setuid")
    test.equal("setuid: calls", 70, metrics["calls"]["value"])


def check_barred(test):
    done = measure(test, "metric m { at entry outer : add }", test.program("probed_jump"), out="none.kymo")
    if test.mode != "user" and done.returncode == 0:  # a kernel that sets many probes at once needs no performance events for them
        _, metrics = result_of(test, done, "performance events are barred")
        test.equal("performance events are barred: calls", 100, metrics["m"]["value"])
        return
    test.equal("without rights: exit status", 8, done.returncode)
    test.check("without rights: why, and what next", "static, not permitted, root", done.stderr.strip(),
               "is statically linked" in done.stderr and "not permitted" in done.stderr and "run kymo as root" in done.stderr)
    test.equal("without rights: nothing ran", "", done.stdout)
    test.equal("without rights: nothing is left", False, (test.work / "none.kymo").exists())


def body(test):
    if test.mode == "root" and test.barred:
        test.skip("performance events are barred here")
    if test.mode != "root":
        check_barred(test)
        return
    done = measure(test, "metric m { at entry outer : add }", test.program("probed_jump"), out="first.kymo", quiet=False)
    if done.returncode == 8 or "built without clang" in done.stderr:
        test.skip(done.stderr.strip())  # a container's root, or no compiler for the kernel
    test.check("what is done is told", "the kernel stops it at 1 place", done.stderr, "the kernel stops it at 1 place" in done.stderr)
    check_classic(test, "exchange_static")
    if (test.build / "tests" / "programs" / "exchange_musl").exists():
        check_classic(test, "exchange_musl")
    check_known(test)
    check_known(test, "kill", status=137)
    check_jump(test)
    check_what_is_not_seen(test)
    check_refusals(test)
    check_rights_gained(test)
    assembly.check(test, json, measure, test.work / "assembly", True)


main(body)
