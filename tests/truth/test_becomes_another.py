"""A process that becomes another program, and another: what it used up before is the first one's, and told once."""

from harness import check_identity, main


def body(test):
    truth, report, _ = test.recorded_truth("becomes_another")
    check_identity(test, report)
    spent = truth["spent"] / 1e9
    programs = 3
    # What each spends before and behind its main: it is linked, and says its last words.
    around = 0.02 * programs + test.taken
    recording = report["recording"]
    test.near("processor time", spent, recording["user_s"] + recording["system_s"], 0.01 * spent + around, " s")
    events = {event["name"]: event for event in recording["events"]}
    clock = events["task-clock"]
    test.near("task-clock", spent, clock["count"] / 1e9, 0.01 * spent + around, " s")
    test.near("task-clock, of the process", spent, clock["process_count"] / 1e9, 0.01 * spent + around, " s")
    # Kymo's own tables and files take pages too, of which the program's account has some; samples of faults count user mode alone.
    faults = events["page-faults"]
    own = 400 * programs
    for name in ("count", "process_count"):
        # A timer's sample of Kymo's own work takes along what was counted since the sample before, and is told as Kymo's: of the threads'
        # count there may be less then, of the process's never.
        least = 0 if name == "count" and recording["own_work_samples"] > 0 else int(0.9 * 2800)
        test.figure(f"page-faults, {name}", f"{least} to {truth['faults'] + own}", faults[name], least <= faults[name] <= truth["faults"] + own)
    switches = sum(thread["voluntary_switches"] + thread["involuntary_switches"] for thread in report["threads"])
    # One or two at each end; and on a busy machine the thread is preempted before and behind its mains as often as in them, which are
    # nearly all of its life.
    most = int(1.15 * truth["switches"]) + 4 * programs
    test.figure("switches", f"{truth['switches'] - 2 * programs} to {most}", switches, truth["switches"] - 2 * programs <= switches <= most)


main(body)
