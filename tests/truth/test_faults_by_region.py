"""Page faults by region: a program that touches known numbers of new pages of five kinds of memory, each fault sampled with its address."""

from harness import main


def body(test):
    if test.barred:
        test.skip("the kernel's records are not allowed here")
    truth, report, path = test.recorded_truth("faults_by_region", test.work / "pages", options=("-e", "page-faults:period=1"))
    maps = report["address_map"]
    if not test.equal("processes with a map", 1, len(maps)):
        test.end()
    regions = {region["name"]: region for region in maps[0]["page_faults_by_region"]}
    wanted = {"heap": ("heap", truth["heap"]), "shared memory /dev/zero (deleted)": ("shared", truth["anonymous"]), "pages": ("file", truth["file"]),
              "memory behind the data of faults_by_region": ("anonymous", truth["zeros"]), f"stack of thread {truth['tid']}": ("stack", truth["stack"])}
    for name, (kind, pages) in wanted.items():
        if test.check(f"{name} has page faults", "a region", list(regions), name in regions):
            region = regions[name]
            test.equal(f"{name}: its kind", kind, region["kind"])
            # The C library's own few pages are among those of the heap, the stack and the data.
            test.check(f"{name}: one fault a page", f"{pages} to {pages + 40}", region["faults"], pages <= region["faults"] <= pages + 40)
            test.equal(f"{name}: each fault is a sample", region["faults"], region["samples"])
    text = test.must(test.kymo, "report", "--map", path)
    print(text)
    test.check("the table is there", "Page faults by region", None, "Page faults by region" in text)


main(body)
