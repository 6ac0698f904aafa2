"""kymo confirm on stored recordings: the experiments that there are, and what it says where it cannot do one. The runs themselves are in
tests/unit/confirm.

Arguments: BUILD any."""

import sys

sys.dont_write_bytecode = True
import replay  # first: it knows where the other modules are

from harness import main


def confirm(test, path, *options):
    return test.run(test.kymo, "confirm", *options, path)


def check_speed_up(test, path, images):
    """Where the program's file is at hand, the code of its functions is known."""
    known = ("--images", images, "--only-images")
    listed = confirm(test, path, "--list", *known)
    test.check("a virtual speed-up is listed", "virtual-speed-up", listed.stdout, "   virtual-speed-up: " in listed.stdout)
    gone = confirm(test, path, "--experiment", "virtual-speed-up", "-q", *known)
    test.equal("a virtual speed-up of a program that is not here: exit status", 3, gone.returncode)
    unknown = confirm(test, path, "--function", "nobody", "--speed-up", "50", *known)
    test.equal("a function that is not there: exit status", 2, unknown.returncode)
    test.check("a function that is not there: which", "nobody", unknown.stderr, "--function nobody" in unknown.stderr)
    for what, options in (("with a finding", ("--finding", "1", "--function", "main", "--speed-up", "50")),
                          ("without by how much", ("--function", "main")), ("of more than all", ("--speed-up", "101"))):
        test.equal(f"a speed-up {what}: exit status", 2, confirm(test, path, *options).returncode)


def body(test):
    churn = replay.unpack_one("allocation-churn.bad", test.folder)
    listed = confirm(test, churn, "--list")
    test.equal("--list: exit status", 0, listed.returncode)
    for text in ("1. allocation-churn", "   keep-memory: ", "GLIBC_TUNABLES=glibc.malloc."):
        test.check("--list", text, listed.stdout, text in listed.stdout)
    wrong = confirm(test, churn, "--experiment", "magic")
    test.equal("no such experiment: exit status", 2, wrong.returncode)
    test.check("no such experiment: the others", "keep-memory", wrong.stderr, "keep-memory" in wrong.stderr)
    beyond = confirm(test, churn, "--finding", "99")
    test.equal("no such finding: exit status", 2, beyond.returncode)
    test.check("no such finding: the next step", "--list", beyond.stderr, "--list" in beyond.stderr)
    gone = confirm(test, churn)
    test.equal("a program that is not here: exit status", 3, gone.returncode)
    serial = replay.unpack_one("serial-section.bad", test.folder)
    by_hand = confirm(test, serial)
    test.equal("an experiment by hand: exit status", 10, by_hand.returncode)
    test.check("an experiment by hand: which", "Amdahl", by_hand.stderr, "by hand" in by_hand.stderr and "Amdahl" in by_hand.stderr)
    check_speed_up(test, serial, replay.unpack(replay.IMAGES, test.folder))
    sound = confirm(test, replay.unpack_one("load-imbalance.fixed", test.folder), "--list")
    test.check("nothing to confirm", "it says so", sound.stdout, "there is nothing to confirm" in sound.stdout)


main(body)
