"""check-runtime.py ARCHIVE MEMBER...: the members take no symbol from elsewhere but the clock, and use no vector or x87 register."""

import re
import shutil
import subprocess
import sys

archive, members = sys.argv[1], sys.argv[2:]
if not shutil.which("nm") or not shutil.which("objdump"):
    print("skipped: binutils are not installed (apt-get install binutils)")
    sys.exit(77)

defined, undefined, seen, current = set(), set(), set(), None
for line in subprocess.run(["nm", archive], capture_output=True, text=True, check=True).stdout.splitlines():
    words = line.split()
    if len(words) == 1 and words[0].endswith(":"):
        current = words[0][:-1]
        seen.add(current)
    elif current in members and len(words) > 1:
        (undefined if words[-2] == "U" else defined).add(words[-1])

vectors = set()
for line in subprocess.run(["objdump", "-d", "--no-show-raw-insn", archive], capture_output=True, text=True, check=True).stdout.splitlines():
    if member := re.match(r"(\S+):\s+file format", line):
        current = member[1]
    elif current in members and re.search(r"%[xyz]?mm\d|%st\b", line):
        vectors.add(f"{current}: {line.strip()}")

missing = [m for m in members if m not in seen]
foreign = sorted(undefined - defined - {"_GLOBAL_OFFSET_TABLE_", "clock_gettime"})
print(f"{len(defined)} symbols of their own, {len(undefined)} asked for")
for name in missing:
    print(f"FAILED: {archive} has no {name}")
for name in foreign:
    print(f"FAILED: {name} is called")
for use in sorted(vectors)[:10]:
    print(f"FAILED: {use}")
sys.exit(1 if missing or foreign or vectors or not undefined else 0)
