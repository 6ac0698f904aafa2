"""Makes the stored recordings anew, on a calm machine, and what is expected of them.

    python3 tests/replay/record.py BUILD [NAME…]   records; NAME: lock-contention.bad, story …; all without
    python3 tests/replay/record.py BUILD --renew   takes what is reported of them now for right, and shows what has changed

Kymo is installed below /tmp/kymo for that and the programs are copied there, so that no path of this machine is stored. A recording is kept if Kymo says the right thing of it on the spot; five tries. Images are added to those that are there.
"""

import pathlib
import shutil
import subprocess
import sys
import typing

sys.dont_write_bytecode = True
import replay  # first: it knows where the other modules are

import hosts
import planted
import score
from harness import Test

TRIES = 5
PLACE = pathlib.Path("/tmp/kymo")


TOP = replay.HERE.parent.parent
PROGRAM, OUT = "{program}", "{out}"


class Other(typing.NamedTuple):
    """What the program is compiled with, places of sources being from the checkout (nothing: a GPU's needs no program), and what kymo is called with."""

    compiler: list
    runs: list


def cplusplus(*words):
    return ["g++", "-std=c++20", "-pthread", *words]


OTHERS = {
    "story": Other(cplusplus("examples/story/story.cpp"), [["record", "-o", OUT, "--", PROGRAM, "--truth"]]),
    "openmp": Other(cplusplus("-fopenmp", "tests/truth/programs/omp_triangle.cpp"), [["record", "-o", OUT, "--", PROGRAM]]),
    "mpi": Other(["mpicc", "tests/mpi/programs/collective_imbalance.c"],
                 [["record", "-o", OUT, "--", "mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4", PROGRAM, "bad"]]),
    # A thread a request, most of them gone before a sample is due.
    "server": Other(cplusplus("tests/truth/programs/brief_threads.cpp"), [["record", "-o", OUT, "--", PROGRAM, "2000"]]),
    # Processes that come and go, two at a time.
    "build": Other(["gcc", "-pthread", "tests/truth/programs/children.c"],
                   [["record", "-o", OUT, "--", "sh", "-c", f"for i in 1 2 3 4 5 6 7 8; do {PROGRAM} work 30 & {PROGRAM} work 20; wait; done"]]),
    "hunt": Other(["gcc", "tests/truth/programs/hunted_faults.c"], [["hunt", "-q", "-e", "page-faults", "-o", OUT, "--", PROGRAM, "60"]]),
    "second-look": Other(cplusplus("tests/truth/programs/looked_at.cpp"),
                         [["record", "-o", f"{OUT}.first", "--", PROGRAM],
                          ["record", "--for", f"{OUT}.first", "-e", "page-faults:period=1", "-o", OUT, "--", PROGRAM]]),
    "gpu": Other([], [["gpu", "run", str(TOP / "tests/programs/gpu/kernels/linear_algebra.ptx"), "--kernel", "vector_add", "--grid", "40", "--block", "256",
                       "--args", "f32[10000]=random", "f32[10000]=random", "f32[10000]", "10000", "--gpu", "a100-pcie", "-o", OUT]]),
}


HOSTS = "hosts"  # a ring's two, each with a program of three threads that count


def wanted():
    return [f"{kind}.{version}" for kind in planted.KINDS for version in ("bad", "fixed")] + [*OTHERS, HOSTS]


def record_hosts(test, name, images):
    ring, path = PLACE / "ring", PLACE / f"{name}.kymo"
    replay.clean(ring)
    replay.clean(path)
    programs, agents = [], []
    for number in range(2):
        environment = test.apart()
        programs.append(hosts.start_program(test, environment, f"host{number}.kymo", test.program("named_threads"), "3", str(1000 * (number + 1))))
        programs[-1].stdout.readline()
        agents.append(hosts.start_agent(test, environment, ring, number))
        agents[-1].stderr.readline()
    test.must(test.kymo, "top", "--rendezvous", ring, "--address", "127.0.0.1", "--agent-share", "1", "--period", "0.2", "-n", "8",
              "--metric", hosts.METRIC, "--record", path, "--json")
    for agent, program in zip(agents, programs):
        agent.terminate()
        agent.communicate()
        hosts.let_end(program)
    for number in range(2):
        replay.clean(PLACE / f"host{number}.kymo")
    replay.clean(ring)
    (path / "truth.txt").write_text("")
    keep(test, name, path, images)


def record_other(test, name, images):
    other = OTHERS[name]
    program, path = PLACE / name, PLACE / f"{name}.kymo"
    replay.clean(path)
    if other.compiler:
        subprocess.run([*other.compiler, "-O2", "-g", f"-ffile-prefix-map={TOP}/=", "-Wl,--build-id", "-o", program], cwd=TOP, check=True)
    for run in other.runs:
        done = test.run(test.kymo, *[word.format(program=program, out=path) for word in run])
        if done.returncode not in (0, 7):  # children end with 7
            sys.exit(f"{name} ended with {done.returncode}: {done.stderr}")
    (path / "truth.txt").write_text(done.stdout)
    first = pathlib.Path(f"{path}.first")  # of a second look, which is laid beside it
    keep(test, name, path, images, *([first] if first.exists() else []))


def keep(test, name, path, images, *earlier):
    """Stores it, with an earlier one that it refers to, and leaves nothing behind."""
    test.must(test.kymo, "export", path, "--to", "images", "-o", images)
    replay.pack(name, path, *earlier)
    for one in (path, *earlier):
        replay.clean(one)
    print(f"{name}: {(replay.STORED / f'{name}.tar.xz').stat().st_size / 1000:.0f} kB", flush=True)


def is_right(name, recorded):
    if name.endswith(".bad"):
        return score.score_bad(recorded).strict
    return not recorded.truth.kinds & set(score.false_alarms(recorded))


def record(test, name, images):
    kind, version = name.split(".")
    program = PLACE / planted.program_of(kind)
    shutil.copy(test.program(program.name), program)
    for _ in range(TRIES):
        with planted.Others() as others, planted.outsiders(kind, version):
            done, path = test.record(program, version, out=f"{name}.kymo", options=planted.OPTIONS.get(kind, []), **planted.own_session())
        told = test.report(path)
        if done.returncode == 0 and is_right(name, planted.Recorded(planted.read_truth(done.stdout), told, others.share)):
            (path / "truth.txt").write_text(done.stdout)
            keep(test, name, path, images)
            return
        replay.clean(path)
    print(f"{name}: not right in {TRIES} tries: {told['findings'][:1] if told else done.stderr}", flush=True)


def keep_ours(images):
    """Of the images only the test programs, which are ours to give away: libraries' functions are shown as offsets."""
    for path in [path for path in images.rglob("*") if path.is_file()]:
        if subprocess.run(["grep", "-qaE", "(tests|examples)/[a-z/_]+[.]c", path], check=False).returncode != 0:
            path.unlink()


def renew(test):
    images = replay.unpack(replay.IMAGES, test.folder)
    for name in replay.names():
        path = replay.unpack_one(name, test.folder)
        texts = {**replay.texts(test, name, path, images)[1], **replay.screens(test, name, path, images)}
        for file, text in texts.items():
            print(replay.hold(file, text, renew=True), end="")
        replay.clean(path)


def main():
    build, *words = sys.argv[1:]
    test = Test(build, "any")
    if "--renew" not in words:
        subprocess.run(["cmake", "--install", test.build, "--prefix", PLACE], check=True, stdout=subprocess.DEVNULL)
        test.kymo, test.work = PLACE / "bin" / "kymo", PLACE
        images = test.folder / replay.IMAGES
        if (replay.STORED / f"{replay.IMAGES}.tar.xz").exists():
            replay.unpack(replay.IMAGES, test.folder)
        for name in words or wanted():
            (record_hosts if name == HOSTS else record_other if name in OTHERS else record)(test, name, images)
        keep_ours(images)
        replay.pack(replay.IMAGES, images)
        print(f"images: {(replay.STORED / f'{replay.IMAGES}.tar.xz').stat().st_size / 1000:.0f} kB")
    renew(test)
    replay.clean(test.folder)


main()
