"""Each folder of sources has a row in tests/touched.tsv, and each row names tests that there are: check-touched.py SOURCE CTEST BUILD."""

import importlib.machinery
import importlib.util
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
source = pathlib.Path(sys.argv[1])
loader = importlib.machinery.SourceFileLoader("touched", str(source / "scripts" / "touched"))
touched = importlib.util.module_from_spec(importlib.util.spec_from_loader("touched", loader))
loader.exec_module(touched)

# (The checkout may be another user's. Without git, as from an archive, the folders of sources are what is looked at.)
listed = subprocess.run(["git", "-c", "safe.directory=*", "-C", source, "ls-files"], capture_output=True, text=True, check=False).stdout.split("\n")
folders = ("src", "tests", "web", "include", "examples", "docs", "cmake", "scripts", "bench", "gpus")
files = [name for name in listed if name] or [
    str(path.relative_to(source)) for folder in folders for path in (source / folder).rglob("*") if path.is_file() and "node_modules" not in path.parts]
without = sorted({str(pathlib.PurePath(path).parent) for path in files if touched.tests_for(path) is None})
tests = touched.gate(sys.argv[3])
empty = sorted({pattern for path in files if (pattern := touched.tests_for(path)) and not any(re.match(pattern, name) for name in tests)
                and not path.startswith("tests/")})
print(f"{len(files)} files, {len(tests)} tests of the gate")
for folder in without:
    print(f"no row of tests/touched.tsv fits {folder}")
for pattern in empty:
    print(f"tests/touched.tsv: no test of the gate is named like {pattern}")
sys.exit(1 if without or empty else 0)
