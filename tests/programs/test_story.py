"""The story program (examples/story): three phases, a pause after every tenth step, one slow occurrence in a hundred, and a function
that is slow after one neighbour and fast after another. The report must tell it: spaces, lines, occurrences, gaps, neighbours.

Durations are held against the program's own processor time. What the machine does meanwhile is chance: the statistical suite decides by
several runs (tests/statistics/judge.py)."""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))

import planted
import score
from harness import main

DURATION = 0.15  # relative: a period of the sampling at either end of five, and what the machine's speed varies by
SEEN = 0.97      # of the occurrences: one whose few samples fell elsewhere is not


class Story:
    """What is wrong with a report, in words."""

    def __init__(self, truth, report):
        self.truth = truth
        self.report = report
        self.wrong = []
        self.workers = {worker["name"]: worker for worker in truth["workers"]}
        self.count = truth["steps"] * len(self.workers)
        self.functions = {}  # the outermost space of a name
        for space in report["spaces"]:
            if space["kind"] == "function":
                self.functions.setdefault(score.last_name(space["place"]["function"]), space)

    def check(self, what, expected, seen, good):
        if not good:
            self.wrong.append(f"{what}: expected {expected}, seen {seen}")

    def near(self, what, expected, seen):
        self.check(what, f"{expected:.4f} ± {DURATION:.0%}", seen, abs(seen - expected) <= DURATION * expected)

    def is_at(self, what, place, function):
        begin, end = self.truth["places"][function]
        self.check(f"{what}, function", function, place["function"], score.last_name(place["function"]) == function)
        self.check(f"{what}, lines", f"in story.cpp:{begin}-{end}", f"{place['file']}:{place['line_begin']}-{place['line_end']}",
                   place["file"].endswith("story.cpp") and begin < place["line_begin"] <= place["line_end"] < end)

    def mean(self, key):
        return sum(worker[key] for worker in self.workers.values()) / len(self.workers)

    def finding(self, kind, function, among="findings"):
        of_kind = [finding for finding in self.report[among] if finding["kind"] == kind]
        self.check(f"{among} of kind {kind}", 1, [finding["title"] for finding in of_kind], len(of_kind) == 1)
        if not of_kind:
            return None
        self.is_at(f"place of {kind}", of_kind[0]["place"], function)
        self.check(f"threads of {kind}", sorted(self.workers), score.thread_names(of_kind[0]),
                   sorted(score.thread_names(of_kind[0])) == sorted(self.workers))
        return of_kind[0]

    def phases(self):
        loops = [space for space in self.report["spaces"] if space.get("role") == "main_loop"]
        self.check("main loops", 1, [loop["name"] for loop in loops], len(loops) == 1)
        if len(loops) != 1:
            return
        self.is_at("main loop", loops[0]["place"], "run")
        self.check("steps", self.count, loops[0]["rounds"], SEEN * self.count <= loops[0]["rounds"] <= self.count)
        phases = {score.last_name(space["place"]["function"]): space for space in self.report["spaces"]
                  if space.get("role") == "phase" and space["parent"] == loops[0]["id"]}
        # The pause lies in the loop as well.
        self.check("phases", "advance, measure, smooth and the pause", sorted(phases),
                   sorted(phases) == ["advance", "checkpoint", "measure", "smooth"])
        for name in ("advance", "measure", "smooth"):
            if name in phases:
                self.is_at(f"phase {name}", phases[name]["place"], name)
                self.check(f"occurrences of {name}", self.count, phases[name]["occurrences"],
                           SEEN * self.count <= phases[name]["occurrences"] <= self.count)

    def neighbour(self):
        found = self.finding("slow-neighbour", "select_values")
        if found:
            self.check("the neighbour", "after shuffle_values", found["title"], "shuffle_values" in found["title"])
            self.check("chance", "was given its turn", found["tested"], found["tested"] and found["confidence"] >= 0.95)
            times = next(row for row in found["evidence"] if row["event"] == "seconds of user time")
            self.near("after the slow neighbour", self.mean("after_shuffle_s"), times["bad"])
            self.near("otherwise", self.mean("after_part_s"), times["good"])
            saved = sum(worker["after_shuffle_s"] - worker["after_part_s"] for worker in self.workers.values()) * self.truth["steps"]
            self.check("at stake", f"{saved:.3f} s ± 25 %", found["seconds"], 0.75 * saved <= found["seconds"] <= 1.25 * saved)
        fast = self.finding("slow-neighbour", "select_values", "advantages")
        if fast:
            self.check("the good neighbour", "after part_values", fast["title"], "part_values" in fast["title"])
        for before, key in (("shuffle_values", "after_shuffle_s"), ("part_values", "after_part_s")):
            rows = [row for row in self.report["patterns"]
                    if row["after"]["name"] == "(any)" and score.last_name(row["before"]["name"]) == before and
                    row["space"] == self.functions["select_values"]["id"]]
            self.check(f"patterns of select_values after {before}", 1, len(rows), len(rows) == 1)
            if rows:
                self.check(f"occurrences after {before}", self.count, rows[0]["count"], SEEN * self.count <= rows[0]["count"] <= self.count)
                terms = rows[0]["terms"]
                self.near(f"mean after {before}", self.mean(key), (terms["user_s"] + terms["system_s"]) / rows[0]["count"])

    def pause(self):
        pauses = sum(worker["pauses"] for worker in self.workers.values())
        each = self.mean("pause_s")
        found = self.finding("periodic-pause", "checkpoint")
        if found:
            every = f"Every {self.truth['steps_to_checkpoint']} rounds of the loop in `story::run`"
            self.check("how often", every, found["title"], found["title"].startswith(every))
            self.check("pauses", pauses, len(found["when_s"]), len(found["when_s"]) == pauses)
            self.check("time in pauses", f"{pauses * each:.3f} s ± 10 %", found["seconds"],
                       0.9 * pauses * each <= found["seconds"] <= 1.1 * pauses * each)
        gaps = {entry["space"]: entry for entry in self.report["intervals"]}
        longest = gaps[self.functions["smooth"]["id"]]["longest"]
        self.check("longest gap of smooth", f"{each:.3f} s and what else a step has", longest["length_s"], longest["length_s"] > each)
        asleep = sum(wait["seconds"] for wait in longest["waits"] if wait["kind"] == "sleep")
        is_the_slow_step = longest["terms"]["user_s"] > 0.9 * self.mean("slow_s")  # which may be longer, and has no pause in it
        self.check("asleep in it", f"{each:.3f} s, or advancing for {self.mean('slow_s'):.3f} s", longest["terms"],
                   is_the_slow_step or abs(asleep - each) <= DURATION * each)

    def slow_step(self):
        found = self.finding("slow-instance", "advance")
        if not found:
            return
        beyond = sum(worker["slow_s"] - worker["advance_s"] for worker in self.workers.values())
        self.check("excess", f"{beyond:.3f} s ± {DURATION:.0%}", found["seconds"], abs(found["seconds"] - beyond) <= DURATION * beyond)
        self.check("how many are slow", f"{len(self.workers)} of the {self.count} occurrences", found["title"],
                   found["title"].startswith(f"{len(self.workers)} of the {self.functions['advance']['occurrences']} occurrences"))
        names = [thread["name"] for thread in self.report["threads"]]
        occurrences = next(entry for entry in self.report["intervals"] if entry["space"] == self.functions["advance"]["id"])["occurrences"]
        for name, worker in self.workers.items():
            own = sorted((occurrence["begin_s"], occurrence["end_s"]) for occurrence in occurrences if names[occurrence["thread"]] == name)
            slow = [step for step, (begin, end) in enumerate(own)
                    if any(abs(begin - at[0]) < 1e-6 and abs(end - at[1]) < 1e-6 for at in found["when_s"])]
            self.check(f"slow step of {name}", [worker["slow_step"]], slow, slow == [worker["slow_step"]])

    def order(self):
        kinds = [finding["kind"] for finding in self.report["findings"] if finding["kind"] != "outside-interference"]
        # The neighbour costs about as much as the pauses do: either may be first.
        first = ["periodic-pause", "slow-neighbour"]
        self.check("findings, most at stake first", [*first, "slow-instance"], kinds,
                   sorted(kinds[:2]) == first and kinds[2:] == ["slow-instance"])

    def told(self):
        for part in (self.phases, self.neighbour, self.pause, self.slow_step, self.order):
            try:
                part()
            except (KeyError, StopIteration) as missing:
                self.wrong.append(f"{part.__name__}: {missing!r} is not in the report")
        return self.wrong


def body(test):
    with planted.Others() as others:
        truth, report, _ = test.recorded_truth("kymo-story", "--truth", out="story.kymo", **planted.own_session())
    print(f"note: others had {others.share:.0%} of the machine")
    for finding in report["findings"]:
        print(f"note: {score.describe(finding)}")
    test.equal("what of the story that the program has is not told", [], Story(truth, report).told())


main(body)
