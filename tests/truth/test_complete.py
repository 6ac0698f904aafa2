"""At least 99.9 % of a real program's call paths reach main or the thread's start. Third argument: which program."""

import math
import random

from harness import check_identity, main, plain, total

BOTTOMS = {"main", "_start", "__libc_start_main", "__libc_start_call_main", "__libc_start_main_impl", "start_thread", "clone",
           "clone3", "__clone", "__clone3", "thread_start"}

PYTHON = """
import re, json
words = {}
for i in range(900000):
    word = "w%d" % (i * 7919 % 10007)
    words[word] = words.get(word, 0) + len(re.sub("[13]", "", word))
text = json.dumps(words)
for _ in range(150):
    assert json.loads(text) == words
print(sum(sorted(words.values())), sum(x * x for x in range(6000000)))
"""

SQL = "with recursive n(x) as (select 1 union all select x + 1 from n where x < 9000000) select count(*), sum(x * x % 97) from n;"

CXX = """
#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <unordered_map>
template <int N> struct Tower { static int go(std::map<int, std::string>& m) { m[N] = std::to_string(N); return Tower<N - 1>::go(m) + N; } };
template <> struct Tower<0> { static int go(std::map<int, std::string>&) { return 0; } };
int all(std::map<int, std::string>& m, const std::string& s) {
    std::regex r(s);
    std::unordered_map<std::string, std::function<int(int)>> f;
    f[s] = [&](int x) { return x + Tower<300>::go(m); };
    return f[s](std::regex_match(s, r));
}
"""


def big_file(test):
    """64 MB of text that compresses about as well as text does."""
    random.seed(1)
    words = ["".join(random.choices("etaoinshrdlu", k=random.randint(2, 9))) for _ in range(4000)]
    block = " ".join(random.choices(words, k=300_000)).encode()
    path = test.work / "big"
    with open(path, "wb") as out:
        while out.tell() < 64_000_000:
            out.write(block[random.randint(0, 100_000):][:1_000_000])
    return path


def command(test, what):
    """The command line, and a module that must carry most of the time."""
    if what == "xz":
        return [test.tool("xz", "xz-utils"), "-T2", "-2", "-k", "-f", big_file(test)], "liblzma"
    if what == "g++":
        (test.work / "tower.cpp").write_text(CXX)
        return [test.tool("g++", "g++"), "-O2", "-c", "tower.cpp", "-o", "tower.o"], "cc1plus"
    if what == "python3":
        return [test.tool("python3", "python3"), "-c", PYTHON], "python3"
    if what == "sqlite3":
        return [test.tool("sqlite3", "sqlite3"), ":memory:", SQL], "libsqlite3"
    return [test.program(what)], what


def body(test):
    what = test.arguments[0]
    words, module = command(test, what)
    plain_run = test.run(*words, prefix=[])
    done, path = test.record(*words)
    test.equal("exit status", plain_run.returncode, done.returncode)
    if what not in ("split", "paths"):  # these two print what they measured of themselves
        test.equal("output", plain_run.stdout, done.stdout)
    report = test.report(path)
    if report is None:
        return
    check_identity(test, report)
    paths = report["recording"]["call_paths"]
    walked = paths["complete"] + paths["partial"]
    samples = report["recording"]["samples"]
    test.check("enough samples to judge", "> 500", samples, samples > 500)
    # Where others compete for the processor every return to it finds the monitor's memory cold: then a handler now and then takes
    # longer than a period, and of the signals that come meanwhile all but the last are merged and not walked.
    busy = total(report, "run_queue_s") > 0.1 * (total(report, "user_s") + total(report, "system_s"))
    # So many may be incomplete, and three standard deviations more, since which places are hit is chance.
    rate = 0.003 if busy else 0.001
    most = rate + 3 * math.sqrt(rate / max(1, walked))
    test.check("complete call paths", f"all but {rate:.1%}, here at most {most:.2%}", f"{paths['complete']} of {walked} {paths.get('by_cause')}",
               walked > 0 and paths["complete"] >= (1 - most) * walked)
    # The same from the outside: what stands at the root of the paths? Time after a thread's last sample has no path.
    folded = [(frames, weight) for frames, weight in test.folded(path) if "[after the last sample]" not in frames]
    everything = sum(weight for _, weight in folded)
    rooted = sum(weight for frames, weight in folded if any(plain(frame) in BOTTOMS for frame in frames))
    print("note: roots", sorted({frames[0] for frames, _ in folded})[:12])
    stray = sorted(((weight / max(1, everything), frames[-3:]) for frames, weight in folded if not any(plain(f) in BOTTOMS for f in frames)), reverse=True)
    print("note: elsewhere", [(f"{share:.5f}", frames) for share, frames in stray[:5]])
    test.check("time on paths with main or a thread's start", f"≥ {1 - most:.2%}", f"{rooted / max(1, everything):.5f}",
               everything > 0 and rooted >= (1 - most) * everything)
    own = [(f["module"], f["self"]["user_s"] + f["self"]["system_s"]) for f in report["functions"]]
    there = sum(time for name, time in own if module in str(name)) / max(1e-9, sum(time for _, time in own))
    test.check(f"share of processor time in {module}", "> 0.2", f"{there:.3f}", there > 0.2)


main(body)
