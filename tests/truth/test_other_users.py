"""A program that becomes another user and then starts a server: nothing of that can be measured, and this is told, at the end of the
recording and in the report. One that becomes another user by itself goes on being measured, and nothing is told."""

from harness import NOBODY, main


def body(test):
    setpriv = test.tool("setpriv", "util-linux")
    sh = test.tool("sh", "dash")
    nobody = "nobody"
    # A server and its children, all of them another user's, long enough to be looked at.
    done, path = test.record(setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", sh, "-c", "sleep 1.6 & sleep 1.6; wait; exit 5",
                             out="server.kymo")
    test.equal("exit status", 5, done.returncode)
    if "switch and task records" in done.stderr:
        test.skip("no kernel records here")
    lines = [line for line in done.stderr.splitlines() if "not measured:" in line]
    test.equal("lines about it", 1, len(lines))
    line = (lines or [""])[0]
    for words in (f"processes of the user {nobody}", "private to root", "setpriv --reuid=nobody"):
        test.check(f"told: {words}", words, line, words in line)
    test.equal("nothing on the program's own output", "", done.stdout)
    report = test.report(path)
    if report:
        barred = [entry for entry in report["processes"] if f"runs as the user {nobody}" in (entry["why_not_monitored"] or "")]
        test.check("processes that are told not to be measured, and why", "≥ 2", report["processes"], len(barred) >= 2)
        told = [entry for entry in report["recording"]["unavailable"] if f"of the user {nobody}" in entry["what"]]
        test.check("in the report", 1, told, len(told) == 1)
    text = test.run(test.kymo, "report", path).stdout
    test.check("in the report's text", f"of the user {nobody}", text[-1500:], f"of the user {nobody}" in text)

    # The monitor has its file already.
    python = test.tool("python3", "python3")
    drop = f"import os, time; time.sleep(0.1); os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY}); time.sleep(1.2); sum(range(10**6))"
    done, path = test.record(python, "-c", drop, out="dropped.kymo")
    test.equal("a program that drops its rights itself: exit status", 0, done.returncode)
    test.equal("a program that drops its rights itself: nothing told", [], [line for line in done.stderr.splitlines() if "not measured:" in line])
    report = test.report(path)
    if report:
        test.equal("it is measured", [True], [entry["monitored"] for entry in report["processes"]])


if __name__ == "__main__":
    main(body)
