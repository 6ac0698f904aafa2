"""`make demo-ring` as its user runs it: four hosts whose clocks are hours apart, an agent killed, all of it recorded.

What the program sent is known by arithmetic. The recording must have it of every host that was answered for to the end, on one clock; the
host whose agent was killed must be told as a gap.
"""

import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "truth"))
from harness import main  # noqa: E402

STEPS = 150
HOSTS = 4
SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "demo-ring"


def body(test):
    out = test.work / "ring.kymo"
    # A group of its own, so that whatever it left behind would be seen as processes of that group.
    demo = test.run(SCRIPT, test.build, out, env={**os.environ, "KYMO_DEMO_STEPS": str(STEPS)}, stderr=subprocess.STDOUT, start_new_session=True,
                    timeout=240)
    text = demo.stdout
    if demo.returncode == 77:
        test.skip(text.strip().splitlines()[-1])
    if not test.check("the demo ends well", 0, demo.returncode, demo.returncode == 0):
        print(text)
        return
    test.check("all hosts are seen", "4 of 4 answered", "…", "4 of 4 answered" in text)
    test.check("N + 1 channels", "4 agents and their manager hold 5 service channels", re.findall(r"hold.*", text),
               "4 agents and their manager hold 5 service channels" in text)
    test.check("and then all but one", "3 of 4 answered", "…", "3 of 4 answered" in text)
    test.check("it says which", "no answer … node2", "…", re.search(r"no answer +node2", text) is not None)
    test.check("the report names the hosts", "node0, node1, node2, node3", "…", "on node0, node1, node2, node3" in text)
    report = test.report(out)
    hosts = {host["name"]: host for host in report["hosts"]}
    test.equal("hosts", [f"node{n}" for n in range(HOSTS)], sorted(hosts))
    for name, host in sorted(hosts.items()):
        # Hours apart they are: what is known of them is at most as wrong as a round trip is long.
        error = host["clock_error_s"]
        test.check(f"clock of {name}", "an error under 5 s, and not 0", error, error is not None and 0 < error < 5)
        gap = sum(end - begin for begin, end in host["no_answer_s"])
        last = host["no_answer_s"][-1][1] if host["no_answer_s"] else None
        duration = report["recording"]["duration_s"]
        if name == "node2":
            test.check("the killed agent's host is a gap to the end", duration, last, last is not None and abs(last - duration) < 0.1)
            test.check("but not from the beginning", f"less than {duration:.1f} s", gap, 0 < gap < duration - 2)
        else:
            test.check(f"{name} answered at the end", "no gap to the end", host["no_answer_s"], last is None or last < duration)
    messages = next((m for m in report["metrics"] if m["kind"] == "channel" and m["name"] == "messages"), None)
    if not test.check("messages are recorded", "a metric", messages and messages["total"], messages is not None):
        return
    sent = {each["host"]: each["value"] for each in messages["objects"]}
    for n in (0, 1, 3):
        neighbours = (n > 0) + (n + 1 < HOSTS)
        due = neighbours * 2 * STEPS + STEPS // 10  # to and from each, and the sums over all
        seen = sent.get(f"node{n}", 0)
        # And those by which MPI's launcher talks to the ranks, over sockets: some hundred.
        test.check(f"messages of node{n}", f"at least {due}", seen, due <= seen < due + 1000)
    test.check("messages of node2 until then", "some", sent.get("node2"), sent.get("node2", 0) > 0)
    page = out.with_suffix(".html")
    test.check("the page is there where Kymo has one", "a file", page.exists(), page.exists() or "no page" in text)


main(body)
