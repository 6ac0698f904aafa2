"""Every way to make a total, and every level beside it, in every view of a recording: measure, report, metrics, their JSON, and the page.

The program's values are known: its first process has threads that count 30, 18, 12 and none, its child one that counts 8.
"""

import base64
import json
import os
import re
import zlib

from harness import main

SOURCE = """#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void count_me(void) { __asm__ volatile(".rept 8\\n nop\\n.endr"); }
static void *times(void *n) { for (long i = 0; i < (long)n; ++i) count_me(); return 0; }
int main(void) {
    pthread_t thread[3];
    const long n[3] = {30, 18, 12};
    for (int i = 0; i < 3; ++i) pthread_create(&thread[i], 0, times, (void *)n[i]);
    for (int i = 0; i < 3; ++i) pthread_join(thread[i], 0);
    if (fork() == 0) { times((void *)8L); _exit(0); }
    wait(0);
    return 0;
}
"""
FIRST, CHILD = [30, 18, 12, 0], [8]
RULES = {
    "sum": sum,
    "mean": lambda values: sum(values) / len(values),
    "minimum": min,
    "maximum": max,
}
LEVELS = ["thread", "process", "host", "system"]
TYPES = ["counter", "gauge", "maximum"]


def name_of(kind, rule, level):
    return f"{kind}_{rule or 'usual'}_{level}"


def described():
    """A metric of each type, rule and level. A maximum counts up by setting itself: its cell is what a counter's would be."""
    text = ""
    for kind in TYPES:
        for rule in [None, *RULES]:
            for level in LEVELS:
                name = name_of(kind, rule, level)
                words = f"metric {name} {kind}{f' total {rule}' if rule else ''} per {level}"
                text += f"{words} {{ at entry count_me : add }}\n"
    return text


def expected(kind, rule, values):
    rule = rule or ("maximum" if kind == "maximum" else "sum")
    return RULES[rule](values)


def parts(kind, rule, level):
    if level == "thread":
        return sorted([*FIRST, *CHILD])
    if level == "process":
        return sorted(expected(kind, rule, values) for values in (FIRST, CHILD))
    return [expected(kind, rule, FIRST + CHILD)]


def shown(value):
    return f"{value:.2f}" if value != int(value) else str(int(value))


def series_of(page):
    data = base64.b64decode(re.search(r'id="head">([^<]*)<', page)[1])
    data = zlib.decompress(data, -15 if data[:1] != b"\x78" else 15)
    text = data[data.index(b"{"):].decode(errors="replace")
    return {series["name"]: series for series in json.JSONDecoder().raw_decode(text)[0]["metrics"]}


def body(test):
    seen_on_page = set()
    (test.work / "totals.c").write_text(SOURCE)
    test.must("cc", "-O1", "-pthread", "-o", test.work / "totals", test.work / "totals.c")
    every = [(kind, rule, level) for kind in TYPES for rule in [None, *RULES] for level in LEVELS]
    # A file describes as many metrics as a thread has cells for names.
    for part, some in enumerate((every[:30], every[30:])):
        wanted = {name_of(*each) for each in some}
        description = test.work / f"totals{part}.kym"
        description.write_text("".join(line + "\n" for line in described().splitlines() if line.split()[1] in wanted))
        recording = test.work / f"totals{part}.kymo"
        measured = json.loads(test.must(test.kymo, "measure", "--json", "-q", "-o", recording, description, "--", test.work / "totals"))["metrics"]
        terminal = test.must(test.kymo, "report", "--top", 100, recording, env={**os.environ, "COLUMNS": "160"})
        report = {metric["name"]: metric for metric in test.report(recording)["metrics"]}
        addresses = test.must(test.kymo, "metrics", recording)
        as_json = json.loads(test.must(test.kymo, "metrics", "--json", recording))
        test.must(test.kymo, "view", recording, "-o", test.work / f"totals{part}.html")
        page = series_of((test.work / f"totals{part}.html").read_text())
        test.equal("the page has as many as it has room for", 12, len(page))
        for kind, rule, level in some:
            name = name_of(kind, rule, level)
            total = expected(kind, rule, FIRST + CHILD)
            beside = parts(kind, rule, level)
            test.equal(f"measure --json {name}", (total, [] if level == "system" else beside),
                       (measured[name]["value"], sorted(measured[name]["per"].values())))
            test.equal(f"report --json {name}", total, report[name]["total"])
            test.equal(f"report --json {name}: over the objects", [sum(FIRST + CHILD), sum(FIRST + CHILD) / 5, 0, 30],
                       [report[name][key] for key in ("sum", "mean", "minimum", "maximum")])
            told = report[name].get("per", {"level": "task", "values": {}})
            test.equal(f"report --json {name}: beside it", ("task" if level == "thread" else level, [] if level == "thread" else beside),
                       (told["level"], sorted(told["values"].values())))
            row = next((line for line in terminal.splitlines() if re.search(rf"\b{name}\b", line)), "")
            test.check(f"report {name}", f"{shown(total)}, least {shown(beside[0])}, most {shown(beside[-1])}", row,
                       row.split()[:3] == [shown(total), shown(beside[0]), shown(beside[-1])])
            row = next((line for line in addresses.splitlines() if line.endswith(f"/{name}")), "")
            test.check(f"metrics {name}", shown(total), row, row.split()[:1] == [shown(total)])
            test.equal(f"metrics --json {name}", total, as_json[f"task/system/0/{name}"]["total"])
            if name in page:
                usual = "maximum" if kind == "maximum" else "sum"
                test.equal(f"page {name}", (total, rule or usual), (page[name]["total"], page[name]["total_is"]))
                seen_on_page.add((kind, rule))
    test.equal("rules and types seen on a page", True, len(seen_on_page) >= 6)


main(body)
