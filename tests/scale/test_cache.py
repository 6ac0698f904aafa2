"""test_cache.py BUILD any: names that were kept on disk give the report that looking them up gives, whatever has happened to the cache.
"""

import os
import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/truth"))

from harness import main


def run(test):
    job, rec, folder = test.work / "job.kymo", test.work / "kymo.kymo", test.work / "cache"
    test.run(test.build / "bench/generate_job", job, "--ranks", 8, "--samples", 20_000, "--slow", 3)
    # Kymo itself: megabytes of debug information, of which a report needs what many places are called.
    done = test.run(test.kymo, "record", "-q", "-o", rec, "--", test.kymo, "report", job)
    test.equal("recorded", 0, done.returncode)
    cached = {**os.environ, "KYMO_CACHE": str(folder)}

    def report(env=cached):
        done = test.run(test.kymo, "report", rec, "--all", env=env)
        return done.returncode, done.stdout, done.stderr

    def same(what, seen):
        test.check(what, "the report without a cache", (seen[0], len(seen[1]), seen[2]), seen == expected)

    def stored():
        return sorted(folder.rglob("*.names"))

    def cache(*words, env=cached):
        return test.run(test.kymo, "cache", *words, env=env).stdout

    expected = report({**os.environ, "KYMO_CACHE": "off"})
    test.check("nothing is stored without a cache", "nothing", stored(), expected[0] == 0 and not stored())
    same("the first report", report())
    files = stored()
    test.check("what took long is stored", "a file or more, for this user alone", [oct(file.stat().st_mode) for file in files],
               bool(files) and all(file.stat().st_mode & 0o777 == 0o600 for file in files) and folder.stat().st_mode & 0o777 == 0o700)
    same("the second", report())
    files = stored()  # on a busy machine another image may have taken long
    test.check("kymo cache", "the folder, and how many images", cache(), str(folder) in cache() and f"  {len(files)} image" in cache())
    for damage, spoil in (("cut", lambda data: data[: len(data) // 2]), ("of other bytes", lambda data: b"nothing of ours"), ("empty", lambda data: b"")):
        for file in stored():
            file.write_bytes(spoil(file.read_bytes()))
        same(f"after the files were {damage}", report())
        same(f"and once more, {damage}", report())
    with ThreadPoolExecutor(3) as users:
        for file in stored():
            file.unlink()
        for seen in users.map(lambda _: report(), range(3)):
            same("several at once", seen)
    test.check("kymo cache --clear", "removed", cache("--clear"), not stored())
    folder.chmod(0o777)
    same("in a directory that others may write to", report())
    test.check("which is not used", "nothing in it", (stored(), cache()), not stored() and "no names are kept" in cache())
    home = test.work / "home"
    home.mkdir()
    at_home = {name: value for name, value in os.environ.items() if name not in ("KYMO_CACHE", "XDG_CACHE_HOME")} | {"HOME": str(home)}
    same("below the home directory", report(at_home))
    test.check("is ~/.cache/kymo", "files", list(home.rglob("*.names")), any((home / ".cache/kymo/names").rglob("*.names")))


main(run)
