"""python/kymo.py: a recording's tables as lists of dictionaries, and as DataFrames where pandas is; its errors.

Arguments: BUILD any SOURCES
"""

import os
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "replay"))
import replay  # first: it knows where the other modules are

from harness import main


def body(test):
    sys.path.insert(0, str(pathlib.Path(test.arguments[0]) / "python"))
    import kymo

    os.environ["KYMO"] = str(test.kymo)
    path = replay.unpack("lock-contention.bad", test.work)
    has_pandas, kymo.pandas = kymo.pandas, None
    with kymo.load(path) as run:
        folder = run._folder
        test.check("tables", "thread, wait", run.tables(), {"thread", "wait", "piece"} <= set(run.tables()))
        threads = run["thread"]
        test.equal("threads", ["lock_contention", "worker-0", "worker-1"], sorted(thread["name"] for thread in threads))
        counted = run.sql("select count(*) n from wait where kind = ?", ("mutex",))
        test.check("waits for the lock", "many", counted, counted[0]["n"] > 1000)
        try:
            run["nothing"]
            test.equal("a table that is not there", "KeyError", "no error")
        except KeyError as error:
            test.equal("a table that is not there", "'nothing'", str(error))
    test.equal("nothing is left on disk", False, os.path.exists(folder))
    test.must(test.kymo, "export", path, "--to", "sqlite", "-o", test.work / "run.db")
    with kymo.load(test.work / "run.db") as run:
        test.equal("a database", 3, len(run["thread"]))
        if has_pandas is not None:
            kymo.pandas = has_pandas
            test.equal("a DataFrame", (3, 12), run["thread"].shape)
        else:
            print("left out: pandas is not installed")
    for what, error, wanted in (("no such recording", FileNotFoundError, test.work / "nowhere.kymo"), ("no recording", RuntimeError, test.work)):
        try:
            kymo.load(wanted)
            test.equal(what, error.__name__, "no error")
        except error as seen:
            test.check(what, error.__name__, str(seen), True)


main(body)
