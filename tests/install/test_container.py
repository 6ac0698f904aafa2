"""test_container.py SOURCE: the steps of the Containerfile, taken literally on Debians made by debootstrap, where there is no network of
images: each FROM a fresh root, each RUN a shell in it; then the image's own program is asked for its version and for a recording.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PATIENCE = 2000  # seconds


def inside(root, command, folder):
    script = f"mount -t proc proc '{root}/proc' && mount --rbind /dev '{root}/dev' && exec chroot '{root}' sh -c 'cd \"$0\" && eval \"$1\"' '{folder}' \"$0\""
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, command], capture_output=True, text=True, timeout=PATIENCE,
                          env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root"})
    if done.returncode != 0:
        print(done.stdout[-2000:], done.stderr[-2000:])
        sys.exit(f"FAILED: RUN {command}")
    return done.stdout


def fresh(root):
    done = subprocess.run(["debootstrap", "--variant=minbase", "bookworm", root], capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode != 0:
        print("skipped: debootstrap cannot fetch a Debian here")
        sys.exit(77)


def copy(source, target, pattern):
    """COPY: everything there is (.), less what .containerignore names; or files by a pattern."""
    target.mkdir(parents=True, exist_ok=True)
    if pattern == ".":
        ignored = (source / ".containerignore").read_text().split()
        shutil.copytree(source, target, dirs_exist_ok=True, symlinks=True, ignore=lambda folder, names: shutil.ignore_patterns(*ignored)(folder, names) if pathlib.Path(folder) == source else [])
        return
    found = list(source.glob(pattern.lstrip("/")))
    if not found:
        sys.exit(f"FAILED: COPY {pattern}: no such file")
    for path in found:
        shutil.copy(path, target)


def build(source, work):
    stages, root, folder, entry = {}, None, "/", []
    for line in (source / "Containerfile").read_text().splitlines():
        verb, _, rest = line.partition(" ")
        words = rest.split()
        if verb == "FROM":
            root, folder = work / f"stage-{len(stages)}", "/"
            stages[words[2] if len(words) == 3 else len(stages)] = root
            fresh(root)
        elif verb == "WORKDIR":
            folder = rest
            (root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif verb == "COPY":
            origin = source
            if words[0].startswith("--from="):
                origin = stages[words.pop(0).removeprefix("--from=")]
            copy(origin, root / (folder if words[1] == "." else words[1]).lstrip("/"), words[0])
        elif verb == "RUN":
            inside(root, rest, folder)
        elif verb == "ENTRYPOINT":
            entry = json.loads(rest)
        elif line and not line.startswith("#"):
            sys.exit(f"FAILED: {verb} is not known to this test")
    return root, folder, entry


if os.geteuid() != 0 or not shutil.which("debootstrap"):
    print("skipped: needs root and debootstrap")
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="kymo-container-") as temporary:
    root, folder, entry = build(pathlib.Path(sys.argv[1]), pathlib.Path(temporary))
    program = " ".join(entry)
    print(inside(root, f"{program} --version", folder))
    inside(root, f"{program} record -q -o run.kymo -- ls -R /usr > /dev/null", folder)
    if "hot call paths" not in inside(root, f"{program} report run.kymo", folder).lower():
        sys.exit("FAILED: no report")
    told = inside(root, f"{program} --version", folder)
    if "npm ci failed" in told:
        print("left out: no npm registry can be reached from inside, so this image is without the page")
    elif "page" in told:
        sys.exit("FAILED: the image is without the page")
print("ok: the image is built, and its kymo records and reports")
