"""Messages through pipes, sockets, FIFOs and declared channels, by who sent and who received: what the program says of itself, exactly."""

from harness import main


def total(rows, key):
    return sum(row[key] for row in rows)


def body(test):
    truth, report, _ = test.recorded_truth("channels", str(test.work))
    rows = report["channels"]
    pairs = {}
    for channel in truth["channels"]:
        known = pairs.setdefault((channel["kind"], channel["from"], channel["to"]), [0, 0])
        known[0] += channel["messages"]
        known[1] += channel["bytes"]
    for (kind, sender, receiver), expected in pairs.items():
        for direction, caller, other in (("send", sender, receiver), ("receive", receiver, sender)):
            found = [row for row in rows if row["kind"] == kind and row["direction"] == direction and row["pid"] == caller
                     and row["other"] == f"channels {other}"]
            test.equal(f"{kind}: {caller} {direction}, {other}", expected, [total(found, "messages"), total(found, "bytes")])
            test.equal(f"{kind}: nobody outside", [False], sorted({row["outside"] for row in found}))
    test.equal("what found nothing to do yet is no error", 0, total(rows, "errors"))
    counted = [row for row in rows if not row["outside"] and row["direction"] == "send"]
    test.equal("messages in all", sum(each[0] for each in pairs.values()), total(counted, "messages"))

    _, report, _ = test.recorded_truth("channels", str(test.work), "threads", out="threads.kymo")
    rows = [row for row in report["channels"] if row["kind"] == "pipe" and not row["outside"]]
    sent = sorted(row["messages"] for row in rows if row["direction"] == "send")
    received = sorted(row["messages"] for row in rows if row["direction"] == "receive")
    test.equal("two threads write to one pipe, two read it", ([20, 30], [25, 25]), (sent, received))
    test.equal("who read what is not known", {"several"}, {row["other"] for row in rows})
    declared = [row for row in report["channels"] if row["kind"] == "declared"]
    test.equal("a declared channel between two threads", [("receive", 5, 500, 100, 5), ("send", 5, 500, 100, 5)],
               sorted((row["direction"], row["messages"], row["bytes"], row["largest_bytes"], row["calls"]) for row in declared))
    test.equal("each names the other", [row["party"] for row in reversed(declared)], [row["other"] for row in declared])


main(body)
