"""test_reproducible.py SOURCE CMAKE: two builds of the packages from the same files at the same path, one after the other and
without a compiler cache, are the same to the byte.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

source, cmake = sys.argv[1:3]
EPOCH = "1700000000"


def must(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        print(done.stdout[-2000:], done.stderr[-2000:])
        sys.exit(f"FAILED: {' '.join(map(str, command))}")


def packages(copy):
    out = copy / "build"
    must(cmake, "-S", copy, "-B", out, "-G", "Ninja", "-DKYMO_TESTS=OFF", "-DKYMO_BENCH=OFF", "-DKYMO_CCACHE=FALSE")
    must(cmake, "--build", out, "--target", "packaged")
    must("cpack", cwd=out, env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH})
    made = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in [*out.glob("*.deb"), *out.glob("*.tar.gz")]}
    shutil.rmtree(out)
    return made


with tempfile.TemporaryDirectory(prefix="kymo-twice-") as folder:
    copy = pathlib.Path(folder) / "kymo"
    # What git has, and not what else lies about; without git all but builds.
    tracked = subprocess.run(["git", "-C", source, "ls-files", "-z"], capture_output=True, text=True)
    if tracked.returncode == 0 and tracked.stdout:
        for name in tracked.stdout.split("\0"):
            if name and (pathlib.Path(source) / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(pathlib.Path(source) / name, copy / name)
    else:
        shutil.copytree(source, copy, ignore=shutil.ignore_patterns("build*", ".git", "node_modules"))
    modules = pathlib.Path(source) / "web/node_modules"
    if modules.is_dir():
        shutil.copytree(modules, copy / "web/node_modules", symlinks=True)
    first = packages(copy)
    second = packages(copy)

print(*(f"{digest[:16]}  {name}" for name, digest in sorted(first.items())), sep="\n")
unlike = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
if not first or unlike:
    sys.exit(f"FAILED: two builds differ in {' '.join(unlike) or 'nothing: no packages were made'}")
