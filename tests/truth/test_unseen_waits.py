"""Time off the processor in a call that nothing wraps is shown as such below the caller, and is never charged to the code that computes after it."""

from harness import main, plain


def body(test):
    if test.barred:
        test.skip("performance events are barred here: no switch records")
    truth, report, _ = test.recorded_truth("unseen_waits")
    nodes = report["call_tree"]
    whole = truth["wait_turn"] / 1e9

    def is_in(node, name):
        while node["parent"] is not None:
            if plain(node["function"]) == name:
                return True
            node = nodes[node["parent"]]
        return False

    unknown = [node for node in nodes if node["kind"] == "unknown_call" and node["self"]["off_cpu_s"] > 0]
    test.check("nodes of calls that are not known", "one below main at least", [nodes[node["parent"]]["function"] for node in unknown],
               any(is_in(node, "main") for node in unknown))
    computing = sum(node["self"]["off_cpu_s"] for node in nodes if node["kind"] == "frame" and plain(node["function"]) == "compute")
    shown = sum(node["self"]["off_cpu_s"] for node in unknown)
    # With what it waited for a processor.
    test.figure("time off the processor where it only computes, s", f"≤ {0.2 * whole:.3f}", computing, computing <= 0.2 * whole)
    test.near("time off the processor in calls that are not known, s", whole, shown, 0.15 * whole + 0.01)


main(body)
