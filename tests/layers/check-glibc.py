"""check-glibc.py NEWEST LIBRARY...: the libraries ask for no symbol version of the C library above NEWEST (such as 2.17), and for no
other library: they are loaded into programs on systems older than the one they were built on.
"""

import re
import shutil
import subprocess
import sys

if not shutil.which("readelf"):
    print("skipped: readelf is not installed (apt-get install binutils)")
    sys.exit(77)


def number(version):
    return [int(part) for part in version.split(".")]


failed = False
for library in sys.argv[2:]:
    text = subprocess.run(["readelf", "-VdW", library], capture_output=True, text=True, check=True).stdout
    versions = sorted(set(re.findall(r"GLIBC_(2[.0-9]+)", text)), key=number)
    needed = re.findall(r"\(NEEDED\).*\[(.*?)\]", text)
    print(f"{library}: needs {' '.join(needed)}, up to GLIBC_{versions[-1] if versions else '?'}")
    if not versions or number(versions[-1]) > number(sys.argv[1]):
        print(f"FAILED: more than GLIBC_{sys.argv[1]}")
        failed = True
    for name in needed:
        if not re.fullmatch(r"lib(c|dl|pthread)\.so\.\d|ld-linux.*", name):
            print(f"FAILED: links {name}")
            failed = True
sys.exit(1 if failed else 0)
