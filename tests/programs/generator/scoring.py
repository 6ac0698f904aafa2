"""Builds, times and records one generated program, and compares what Kymo says with what is true."""

import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import time

from .build import build, environment, run_once, write

RATIO = 1.15
PLAIN = 3
PRIORITY = -15  # of the session of a measured program, where that is allowed
NEEDS_FAIR = {"oversubscription", "busy-wait", "thundering-herd", "thread-churn", "fine-grained-tasks"}


def _in_front(fair):
    def before():
        if not fair:
            try:
                os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(5))
                return
            except OSError:
                pass
        try:
            pathlib.Path("/proc/self/autogroup").write_text(str(PRIORITY))
        except OSError:
            pass
    return before


def _own(function):
    """The words of a function's name, without template arguments and parameters."""
    name = re.sub(r"\(anonymous namespace\)::", "", function or "")
    for _ in range(4):
        name = re.sub(r"<[^<>]*>", "", name)
    words = set(re.findall(r"[~A-Za-z_][A-Za-z_0-9]*", name.split("(")[0]))
    return words | {word.split(".")[0] for word in words}


def right(finding, truth):
    words = _own((finding.get("place") or {}).get("function"))
    return any(finding["kind"] in answer["kinds"] and ("*" in answer["functions"] or words & set(answer["functions"]))
               for answer in truth["accepted"])


def _planted_kind(finding, truth):
    return any(finding["kind"] in answer["kinds"] for answer in truth["accepted"])


class Disturbed(Exception):
    """A program that ends or prints otherwise when it is recorded."""


def _record(kymo, folder, truth, version, number, plain):
    path = pathlib.Path(folder) / "recordings" / f"{version}{number}.kymo"
    path.parent.mkdir(exist_ok=True)
    done = run_once(folder, truth, version, timeout=180, prefix=[kymo, "record", "-o", str(path), "--"], before=_in_front(truth["kind"] in NEEDS_FAIR))
    if (done.returncode, done.stdout) != plain:
        raise Disturbed(f"{version} recorded: exit status {done.returncode}, without Kymo {plain[0]}; {done.stderr[-200:]}")
    report = subprocess.run([kymo, "report", "--json", str(path)], capture_output=True, text=True, timeout=300, env=environment(truth))
    shutil.rmtree(path, ignore_errors=True)
    path.unlink(missing_ok=True)
    try:
        findings = json.loads(report.stdout)["findings"]
    except (ValueError, KeyError):
        return {"error": (report.stderr or done.stderr)[-300:]}
    return {"findings": [{"kind": f["kind"], "share": f.get("share"), "gain": [f.get("gain_low"), f.get("gain_high")], "place": {"function": (f.get("place") or {}).get("function")},
                          "right": right(f, truth), "planted": _planted_kind(f, truth)} for f in findings]}


def score(made, folder, kymo, runs):
    """One program's result; "state" says how far it came."""
    truth = made.truth
    result = {"seed": truth["seed"], "kind": truth["kind"], "topology": truth["topology"], "variant": truth["variant"], "accepted": truth["accepted"]}
    folder = os.path.abspath(folder)
    try:
        write(made, folder)
        problem = build(folder, truth)
        if problem:
            return result | {"state": "broken", "why": problem}
        sound = truth["kind"] == "sound"
        walls, outputs = _plain(folder, truth, ("bad",) if sound else ("bad", "fixed"))
        result["walls"] = walls
        if len(outputs) != 1:
            return result | {"state": "broken", "why": "results differ or a version failed"}
        if not sound:
            result["ratio"] = statistics.median(walls["bad"]) / statistics.median(walls["fixed"])
            if result["ratio"] < RATIO:
                return result | {"state": "no effect"}
        for version in walls:
            result[version] = [_record(kymo, folder, truth, version, number, next(iter(outputs))) for number in range(runs)]
    except Disturbed as error:
        return result | {"state": "disturbed", "why": str(error)}
    except (subprocess.TimeoutExpired, OSError) as error:
        return result | {"state": "broken", "why": f"{type(error).__name__}: {error}"[:300]}
    if any("error" in run for version in walls for run in result[version]):
        return result | {"state": "broken", "why": "no report: " + next(r["error"] for v in walls for r in result[v] if "error" in r)}
    return result | {"state": "scored"}


def _plain(folder, truth, versions):
    walls, outputs = {version: [] for version in versions}, set()
    for _ in range(PLAIN):
        for version in versions:
            begin = time.monotonic()
            done = run_once(folder, truth, version, before=_in_front(truth["kind"] in NEEDS_FAIR))
            walls[version].append(round(time.monotonic() - begin, 4))
            outputs.add((done.returncode, done.stdout))
    return walls, outputs if all(code == 0 for code, _ in outputs) else set()


def counts(result):
    """What is counted of a scored program, summed over its runs."""
    bad = [run["findings"] for run in result["bad"]]
    if result["kind"] == "sound":
        return {"sound runs": len(bad), "sound findings": sum(map(len, bad)), "sound with any": sum(map(bool, bad))}
    fixed = [run["findings"] for run in result["fixed"]]
    realised = 1 - statistics.median(result["walls"]["fixed"]) / statistics.median(result["walls"]["bad"])
    said = [next((x["gain"] for x in f[:3] if x["right"] and x["gain"][0] is not None), None) for f in bad]
    said = [gain for gain in said if gain]
    return {"gains": len(said), "gains inside": sum(low <= realised <= high for low, high in said),
            "runs": len(bad), "first right": sum(bool(f) and f[0]["right"] for f in bad), "first kind": sum(bool(f) and f[0]["planted"] for f in bad),
            "third right": sum(any(x["right"] for x in f[:3]) for f in bad), "silent": sum(not f for f in bad),
            "first wrong": sum(bool(f) and not f[0]["right"] for f in bad), "noise": sum(sum(not x["planted"] for x in f) for f in bad),
            "twin runs": len(fixed), "twin planted": sum(any(x["planted"] for x in f) for f in fixed), "twin findings": sum(map(len, fixed))}


def without_details(result):
    """Of a seed that is not looked at: only what the table sums."""
    kept = {key: result[key] for key in ("seed", "state")}
    if result["state"] == "scored":
        kept["counts"] = counts(result)
    return kept


def line(result):
    """One line for a seed that may be looked at."""
    head = f"{result['seed']:4} {result['kind']:26} {result['topology']:10} {result['variant']:16}"
    if result["state"] != "scored":
        return f"{head} {result['state']} {result.get('why', '')[:200]}" + (f" ({result['ratio']:.2f})" if "ratio" in result else "")
    def said(runs):
        return "; ".join(", ".join(f"{'+' if f['right'] else '~' if f['planted'] else '-'}{f['kind']} @{(f['place']['function'] or '')[:40]}" for f in run["findings"][:3]) or "nothing" for run in runs)
    text = f"{head} {result.get('ratio', 1):.2f} | {said(result['bad'])}"
    return text + (f" | twin: {said(result['fixed'])}" if "fixed" in result else "")


def wilson(hits, count):
    """A share with its 95 % interval."""
    if not count:
        return "      -"
    z, share = 1.96, hits / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return f"{hits:4}/{count:<4} {share:6.1%}  [{middle - half:.1%}, {middle + half:.1%}]"


def table(results):
    total = {}
    states = [result["state"] for result in results]
    for result in results:
        if result["state"] == "scored":
            for key, value in (result.get("counts") or counts(result)).items():
                total[key] = total.get(key, 0) + value
    get = total.get
    runs, twins, sound = get("runs", 0), get("twin runs", 0), get("sound runs", 0)
    rows = [f"programs {len(results)}: scored {states.count('scored')}, no effect here {states.count('no effect')}, broken {states.count('broken')}, disturbed by recording {states.count('disturbed')}"]
    for title, key, count in (("first finding right (kind and place)", "first right", runs), ("first finding of the right kind", "first kind", runs),
                              ("right among the first three", "third right", runs), ("says nothing", "silent", runs), ("first finding wrong", "first wrong", runs),
                              ("repaired twin has the planted kind", "twin planted", twins), ("sound program has a finding", "sound with any", sound),
                              ("realised gain in the expected interval", "gains inside", get("gains", 0))):
        rows.append(f"{title:38} {wilson(get(key, 0), count)}")
    for title, key, count in (("noise a run, beside the planted", "noise", runs), ("findings a run of repaired twins", "twin findings", twins),
                              ("findings a run of sound programs", "sound findings", sound)):
        rows.append(f"{title:38} {get(key, 0) / count:6.2f}" if count else f"{title:38}      -")
    return "\n".join(rows)
