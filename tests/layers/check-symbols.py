"""check-symbols.py LIBRARY LIST: the monitor takes from outside only the symbols named in LIST, and links only the C library.

It is loaded into programs that may lack everything else; a new symbol here is a decision, made by adding it to LIST.
"""

import pathlib
import re
import shutil
import subprocess
import sys

library, list_file = sys.argv[1], sys.argv[2]
for tool in ("nm", "readelf"):
    if not shutil.which(tool):
        print(f"skipped: {tool} is not installed (apt-get install binutils)")
        sys.exit(77)

allowed = {w for l in pathlib.Path(list_file).read_text().splitlines() for w in l.split("#")[0].split()}
undefined = set()
for line in subprocess.run(["nm", "-D", "--undefined-only", library], capture_output=True, text=True, check=True).stdout.splitlines():
    undefined.add(line.split()[-1].split("@")[0])
dynamic = subprocess.run(["readelf", "-dW", library], capture_output=True, text=True, check=True).stdout
needed = re.findall(r"\(NEEDED\).*\[(.*?)\]", dynamic)

print(f"{len(undefined)} undefined symbols, {len(allowed)} allowed; needs {' '.join(needed)}")
failed = False
for symbol in sorted(undefined - allowed):
    print(f"FAILED: {symbol} is not in {list_file}")
    failed = True
for name in needed:
    if not re.fullmatch(r"libc\.so\.6|ld-linux.*", name):
        print(f"FAILED: links {name}")
        failed = True
if "TEXTREL" in dynamic:
    print("FAILED: has text relocations")
    failed = True
if not undefined:
    print("FAILED: no undefined symbol at all: not the library that was meant?")
    failed = True
for symbol in sorted(allowed - undefined):
    print(f"note: {symbol} is allowed but not used")
sys.exit(1 if failed else 0)
