"""A program in a file system that only its own mount namespace sees: the recording has a copy of it, and its functions have their names when
that file system is gone and another file lies at the program's path."""

import shutil

from harness import main


def body(test):
    if not shutil.which("unshare"):
        test.skip("unshare is not installed (apt-get install util-linux)")
    unshare = ["unshare", "--map-root-user", "--mount"]
    if test.run(*unshare, "true").returncode != 0:
        test.skip("a mount namespace cannot be made here")
    program = test.program("until_file")
    app = test.work / "app"
    test.must("mkdir", app)
    test.must("cp", "/bin/true", app / "prog")
    # The program ends when its copy is there.
    inside = (f"mount -t tmpfs none app && cp '{program}' app/prog || exit 9; "
              "(until ls \"$0\"/images/.build-id/*/* > /dev/null 2>&1; do sleep 0.05; done; touch done) & exec app/prog done")
    done, path = test.record(*unshare, "sh", "-c", inside, test.work / "r.kymo", out="r.kymo")
    test.equal("status", 0, done.returncode)
    report = test.report(path)
    if report is None:
        return
    names = {function["function"] for function in report["functions"]}
    test.check("functions", "inner_work", sorted(names), "inner_work" in names)
    copies = list(path.glob("images/.build-id/*/*"))
    test.equal("copies", 1, len(copies))
    test.equal("the copy is the program", True, bool(copies) and copies[0].read_bytes() == program.read_bytes())


main(body)
