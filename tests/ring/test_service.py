"""The ring's own channels are channels: what its members say of them is what went over them.

Four agents and a manager on the loopback, in reduce mode, so that each token has one known size and passes each channel once: N + 1 of
them, with heartbeats between. What a channel's two ends say must be alike, and the same in the agents' own words, in the manager's lines, for Prometheus, and in what
kymo top shows of this host.
"""

import json
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "truth"))
from harness import main  # noqa: E402
from hosts import kill  # noqa: E402

AGENTS = 4
ROUNDS = 12
TOKEN_HEAD, ENTRY, RECORD = 232, 16, 48  # docs/ring-protocol.md


def channel(told, direction, peer):
    found = [each for each in told if each["direction"] == direction and each["peer"] == peer]
    return found[0] if found else {"messages": 0, "bytes": 0}


def body(test):
    folder = test.folder / "ring"
    environment = test.apart()
    agents = []
    try:
        for number in range(AGENTS):
            agents.append(test.start(test.kymo, "agent", "--rendezvous", folder, "--plain", "--name", f"n{number}", "--heartbeat", "20", "--json",
                                     env=environment))
            line = agents[-1].stderr.readline()
            test.check(f"agent {number} begins", f"slot {number}", line.strip(), f"slot {number}," in line)
        out = test.folder / "ring.kymo"
        manager = test.run(test.kymo, "top", "--rendezvous", folder, "--plain", "--json", "-n", ROUNDS, "--period", "0.2", "--totals",
                           "--segments", "1", "--agent-share", "1", "--record", out, env=environment, timeout=240)
        test.equal("kymo top ends", 0, manager.returncode)
        local = json.loads(test.run(test.kymo, "top", "--json", "-n", "1", "--period", "0.1", env=environment).stdout)
        told = []
        for agent in agents:  # in the ring's order: who receives ends later
            agent.send_signal(signal.SIGTERM)
            told.append(json.loads(agent.communicate(timeout=60)[0]))
    finally:
        for agent in agents:
            if agent.poll() is None:
                kill(agent)
    lines = [json.loads(line) for line in manager.stdout.splitlines()]
    last = lines[-1]
    for what, printed, kind in [("kymo top of many hosts", last, "top_hosts"), ("kymo top", local, "top"), ("kymo agent", told[0], "agent")]:
        test.of_schema(what, printed, kind)
    entries = len(last["metrics"])
    size = TOKEN_HEAD + entries * (ENTRY + RECORD)
    rounds = told[0]["received"]
    test.check("rounds", f"at least {ROUNDS}", rounds, rounds >= ROUNDS)

    # Tokens and heartbeats, of 72 bytes each, go from an agent to the next.
    def due(messages):
        return rounds * size + (messages - rounds) * 72

    for number in range(AGENTS - 1):
        sent = channel(told[number]["channels"]["each"], "service-send", number + 1)
        came = channel(told[number + 1]["channels"]["each"], "service-receive", number)
        test.check(f"tokens {number} to {number + 1}", f"{rounds} and some heartbeats", sent["messages"], rounds < sent["messages"] < 2 * rounds)
        test.equal(f"bytes {number} to {number + 1}", due(sent["messages"]), sent["bytes"])
        test.equal(f"the largest {number} to {number + 1}", size, sent["largest_bytes"])
        test.equal(f"they came from {number}", (sent["messages"], sent["bytes"]), (came["messages"], came["bytes"]))
    from_manager = channel(told[0]["channels"]["each"], "service-receive", "manager")
    test.equal("bytes from the manager", due(from_manager["messages"]), from_manager["bytes"])
    for number in range(AGENTS):
        used = {(each["direction"], each["peer"]) for each in told[number]["channels"]["each"] if each["messages"]}
        test.equal(f"channels that {number} has used",
                   {("service-receive", number - 1 if number else "manager"), ("service-send", number + 1 if number + 1 < AGENTS else "manager")}, used)
    test.equal("channels open", AGENTS + 1, last["channels_open"])
    test.equal("of the agents", AGENTS, last["metrics"]["channel/system/0/service-open"]["sum"])

    first = channel(last["channels"], "service-send", 0)
    requests = (first["bytes"] - 72 * first["messages"]) / (size - 72)  # the rest are heartbeats
    test.check("the manager's requests", f"{last['sequence']} and what is under way of {rounds}", requests,
               last["sequence"] <= requests <= rounds and requests == int(requests))
    test.check("those that came home", f"at least {last['sequence']}", first["trips"], last["sequence"] <= first["trips"] <= requests)
    round_trips = sum(line["round_trip_ms"] for line in lines) / 1e3
    test.check("their round trip", f"at least {round_trips:.4f} s", first["round_trip_s"], first["round_trip_s"] >= round_trips * 0.999)

    # In figures of the ring itself. Cells are read when the token passes, so that this round's are in them but for itself.
    sums = {name: last["metrics"][f"channel/system/0/service-{name}"]["sum"] for name in ("sent", "received", "sent-bytes", "received-bytes")}
    test.check("sent by agents", f"at least {AGENTS} x {last['sequence'] - 1} tokens", sums["sent"], sums["sent"] >= AGENTS * (last["sequence"] - 1))
    test.check("their bytes", f"at least {AGENTS} x {(last['sequence'] - 1) * size}", sums["sent-bytes"],
               sums["sent-bytes"] >= AGENTS * (last["sequence"] - 1) * size)
    test.check("received", "at least as many tokens", sums["received"], sums["received"] >= AGENTS * (last["sequence"] - 1))
    test.equal("messages of programs", 0, last["metrics"]["channel/system/0/messages"]["sum"])

    # kymo top of this host: the agents' rows (other tests may have some, too).
    pids = {agent.pid: number for number, agent in enumerate(agents)}
    rows = [each for each in local["channels"] if each["direction"].startswith("service-") and each["pid"] in pids]
    test.equal("agents with rows", set(pids), {each["pid"] for each in rows})
    test.equal("programs of these rows", {"kymo-agent"}, {each["program"] for each in rows})
    for each in rows:
        number = pids[each["pid"]]
        peer = "manager" if each["peer"] == 0xFFFFFFFF else each["peer"]
        final = channel(told[number]["channels"]["each"], each["direction"], peer)
        test.check(f"row of {number}, {each['direction']} {peer}", f"some of {final['messages']}", each["messages"],
                   0 < each["messages"] <= final["messages"])

    recorded = {metric["name"]: metric for metric in test.report(out)["metrics"]}
    grown = recorded["service-sent"]["total"]
    test.check("recorded: sent since the first sample", f"at least {AGENTS} x {ROUNDS - 1} tokens, at most all", grown,
               AGENTS * (ROUNDS - 1) <= grown <= sums["sent"])
    test.equal("recorded: channels open", AGENTS, recorded["service-open"]["total"])


main(body)
