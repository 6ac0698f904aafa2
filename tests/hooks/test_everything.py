"""A program with every function hooked that can be, or with a hook at every place inside them, must print what it always prints,
and end as it always ends.

Arguments: BUILD any functions|places NAME. NAME is one of the guests (tests/guest/programs), or a program of the system with something to do for it.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))
from harness import main  # noqa: E402

TEXT = "".join(f"{i * 7919 % 104729} is line {i}\n" for i in range(60_000))
SQL = """create table t(a integer, b text);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 20000) insert into t select x, hex(x * 7919) from c;
create index i on t(b);
select count(*), sum(a), max(b) from t where b like '%3%';
select substr(b, 1, 2) as p, count(*) from t group by p order by 2 desc, 1 limit 5;
select printf('%.3f', avg(a)) from t;
"""
PYTHON = """
import json, re, threading
d = {str(i): [i, i * i, {"x": i / 3}] for i in range(2000)}
s = json.dumps(d)
print(len(json.loads(s)), len(re.findall(r"(\\d+), (\\d+)", s)))
try:
    [1][5]
except IndexError as e:
    print(e)
def depth(n): return 0 if n == 0 else 1 + depth(n - 1)
print(depth(900))
out = []
def work(k):
    for i in range(2000):
        if i % 500 == 0: out.append(k)
threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print(sorted(out))
"""
# Commands, their input, and the least number of functions that must have been hooked (and of places: five times that).
SYSTEM = {
    "xz": (["/usr/bin/xz", "-1", "-T2", "--block-size=100KiB", "-c"], TEXT, 300),
    "sqlite3": (["/usr/bin/sqlite3", ":memory:"], SQL, 2000),
    "python3": (["/usr/bin/python3", "-c", PYTHON], "", 4000),
    "perl": (["/usr/bin/perl", "-e", "my %h; $h{$_ % 97} .= chr(65 + $_ % 26) for 1 .. 20000; print \"$_ $h{$_}\\n\" for sort keys %h; eval { die \"x\\n\" }; print $@"], "", 1000),
}


def body(test):
    what, name = test.arguments
    guest = [test.build / "tests" / "programs" / f"guest_{name}"]
    command, given, least = SYSTEM.get(name, (guest, "".join(f"line {i}\n" for i in range(12)), 3))
    if not pathlib.Path(command[0]).exists():
        test.skip(f"there is no {command[0]}")
    as_bytes = {"input": given.encode(), "text": False}
    alone = test.run(*command, timeout=60, **as_bytes)
    hooked = test.run(test.build / "tests" / "hook_everything", what, test.build / "lib" / "libkymo-monitor.so", "run.kymo", *command,
                      timeout=240, **as_bytes)
    errors = hooked.stderr.decode(errors="replace")
    report = test.run(test.kymo, "report", "--json", "run.kymo")
    told = re.search(r"^hooked (\d+) \+ (\d+), refused (\d+)$", errors, re.M)
    print(*[line for line in errors.splitlines() if line.startswith(("hooked", "refused"))], sep="\n")
    most = least * (5 if what == "places" else 1)
    test.check(f"{what} hooked", f"≥ {most}", told and told[0], told and int(told[1]) >= most)
    expected = alone.returncode if alone.returncode >= 0 else 128 - alone.returncode
    test.check("exit status", expected, f"{hooked.returncode} {errors[-300:]}", hooked.returncode == expected)
    test.check("output", f"{len(alone.stdout)} bytes", f"{len(hooked.stdout)}: {hooked.stdout[:200]!r}", alone.stdout == hooked.stdout)
    test.check("lines of the error stream", "all", errors[-300:],
               all(line in errors.splitlines() for line in alone.stderr.decode(errors="replace").splitlines()))
    untold = re.findall(r'"(?:hooks in|hooks of|some calls of hooked)[^"]*"[^}]*', report.stdout)
    test.check("a report, in which no hook is unavailable", "such a report", report.stderr[-300:] + "".join(untold), report.returncode == 0 and not untold)


main(body)
