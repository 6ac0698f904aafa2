"""What Kymo does in a program's threads is told apart: of 40 libraries with 40,000 functions each it must learn where frames lie."""

from harness import main


def body(test):
    library = test.program("libmany_functions.so")
    done, path = test.record(test.program("many_images"), library, options=["-F", "5000"])
    test.equal("exit status", 0, done.returncode)
    report = test.report(path)
    own = report["recording"]["own_work_s"]
    test.check("Kymo's own work was met", "> 0 s", f"{own:.4f} s", own > 0)
    test.check("and is told in a line of its own", "one", report["summary"],
               sum("Kymo itself" in sentence for sentence in report["summary"]) == 1)
    names = [row["function"] for row in report["functions"]] + [frame for frames, _ in test.folded(path) for frame in frames]
    ours = sorted({name for name in names if "kymo::" in name or "libkymo" in name})
    test.equal("functions of Kymo's among the program's", [], ours)
    found = str(report["findings"])
    test.check("and in findings", "none", found[:200], "kymo::" not in found and "libkymo" not in found)
    work = sum(row["self"]["user_s"] for row in report["functions"] if row["function"] == "library_work")
    everything = report["recording"]["user_s"]  # what loading takes in the kernel is the machine's
    test.check("the program's own work is most of the rest", "> 0.3", f"{work / max(1e-9, everything):.3f}",
               work > 0.3 * everything)


main(body)
