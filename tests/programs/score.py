"""Holding findings against what a planted program says of itself. Pure: no running, no printing.

    rank-1         the first finding is of the planted kind
    strict rank-1  it also names a right place, and only threads that have a part in it
    noise          findings beside the first of the planted kind
    false alarms   findings on the fixed twin, or on a program with nothing wrong
    predicted      share of the run that the finding says could be gained; against 1 - fixed / bad of the twin

What the machine did to a run is no false alarm: where others had the processors for about as long as a finding says that
the program lacked one (outside-interference), it is left out of the count."""

import dataclasses
import os

import planted

# A second that others have a processor keeps a thread waiting for a second at most; what they have is read a little later.
MOST_WAITING = 1.5


@dataclasses.dataclass
class Score:
    rank1: bool
    strict: bool
    place: bool
    threads: bool
    noise: list       # kinds
    predicted: float  # None: no finding of the kind


def true_findings(recorded):
    """The findings that count: without those that tell of a disturbance that there was."""
    findings = recorded.report["findings"]
    is_planted = recorded.truth.kind == "outside-interference" and recorded.truth.version == "bad"
    most = MOST_WAITING * recorded.others * os.cpu_count()
    return [finding for finding in findings
            if is_planted or finding["kind"] != "outside-interference" or finding["share"] > most]


def last_name(function):
    """A function's own name: without arguments, scopes and what compilers append to a clone."""
    name = function.split("(anonymous namespace)::")[-1].split("(")[0].split("[")[0].strip()
    name = name.split("::")[-1].split(" ")[-1]
    return name.split(".")[0]


def is_place_right(truth, finding):
    if not truth.places:
        return True
    place = finding.get("place") or {}
    file = (place.get("file") or "").rsplit("/", 1)[-1]
    for right in truth.places:
        if last_name(place.get("function") or "") == right["function"]:
            return True
        line = place.get("line_begin") or 0
        end = place.get("line_end") or line
        if file == truth.file and right["line_begin"] <= line and end <= right["line_end"]:
            return True
    return False


def thread_names(finding):
    return [thread["name"] if isinstance(thread, dict) else str(thread) for thread in finding.get("threads") or []]


def are_threads_right(truth, finding):
    names = thread_names(finding)
    return not truth.threads or (bool(names) and set(names) <= set(truth.threads))


def score_bad(recorded):
    truth = recorded.truth
    findings = true_findings(recorded)
    of_kind = [finding for finding in findings if finding["kind"] in truth.kinds]
    rank1 = bool(findings) and findings[0]["kind"] in truth.kinds
    place = rank1 and is_place_right(truth, findings[0])
    threads = rank1 and are_threads_right(truth, findings[0])
    noise = [finding["kind"] for finding in findings]
    if of_kind:
        noise.remove(of_kind[0]["kind"])
    return Score(rank1, place and threads, place, threads, noise, of_kind[0]["share"] if of_kind else None)


def false_alarms(recorded):
    """Kinds found on the fixed twin, or on a program with nothing wrong."""
    return [finding["kind"] for finding in true_findings(recorded)]


def describe(finding):
    place = finding.get("place") or {}
    where = f"{place.get('function')} {place.get('file')}:{place.get('line_begin')}-{place.get('line_end')}"
    return f"{finding['kind']} at {where}, threads {thread_names(finding)}, share {finding.get('share')}: {finding.get('title')}"
