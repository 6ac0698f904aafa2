#!/usr/bin/env python3
"""Runs the guest programs under another kernel, in an emulated machine: plain and under `kymo record`, and compares what they print and how they end.

    tests/guest/other_kernel.py BUILD KERNEL [--only NAME,NAME…] [--minutes N]

KERNEL is a kernel's image file (vmlinuz), as in Debian's packages: apt-get download linux-image-6.1.0-56-amd64, and dpkg -x. The machine is
emulated (qemu-system-x86_64 -cpu max, no privileges needed), with protection keys and without a hardware counter; all programs take some five
minutes. Beside heavy load the emulated machine may stop for good: its kernel patches its own code when the first performance event of a kind is
opened, and the emulator's other processor goes on meeting the old bytes (int3 in __schedule, again and again; "soft lockup"). That is none of the
programs' doing; run it again. Needs qemu-system-x86 and busybox-static. Ends with 0 when nothing differs. By hand, not in a suite: docs/testing.md.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# What is not one program by itself, and what needs files, or an argument, that it is not given here.
OTHERS = {"auditor", "foreign", "locked_memory", "plugin", "sanitized", "trace_me"}
INIT = r"""#!/bin/sh
B=/bin/busybox
$B mount -t proc proc /proc; $B mount -t sysfs sys /sys; $B mount -t devtmpfs dev /dev 2>/dev/null
$B mkdir -p /dev/shm; $B mount -t tmpfs shm /dev/shm; $B mount -t tmpfs -o mode=1777 tmp /tmp
$B ip link set lo up 2>/dev/null
export PATH=/bin
echo "kernel $($B uname -r)"
fresh() { cd /tmp; $B rm -rf /tmp/work /tmp/r.kymo; $B mkdir /tmp/work; cd /tmp/work; }
for name in $($B cat /names); do
    program=/programs/guest_$name
    fresh; $B timeout 40 $program > /tmp/plain 2>/dev/null </input; plain=$?
    fresh; $B timeout 120 /kymo/bin/kymo record -q -o /tmp/r.kymo -- $program > /tmp/recorded 2> /tmp/errors </input; recorded=$?
    if [ $plain = $recorded ] && $B cmp -s /tmp/plain /tmp/recorded; then
        echo "same $name $plain"
    else
        echo "DIFFERENT $name: $plain plain, $recorded recorded"
        $B diff /tmp/plain /tmp/recorded | $B head -n 6
        $B tail -n 2 /tmp/errors
    fi
done
echo "end of all"
$B poweroff -f
"""


def libraries_of(files):
    """Those that the dynamic linker would load here."""
    found = set()
    for file in files:
        listing = subprocess.run(["ldd", file], capture_output=True, text=True)
        found.update(re.findall(r"(?:=> |^\s*)(/\S+) \(0x", listing.stdout, re.M))
    return sorted(path for path in found if pathlib.Path(path).exists())


def make_root(root, build, names):
    for folder in ("bin", "proc", "sys", "dev", "tmp", "etc", "kymo/bin", "kymo/lib", "programs"):
        (root / folder).mkdir(parents=True)
    busybox = shutil.which("busybox") or sys.exit("busybox is not installed (apt-get install busybox-static)")
    shutil.copy(busybox, root / "bin/busybox")
    for name in ("sh", "true", "cat", "echo", "sleep", "ls", "env"):
        (root / "bin" / name).symlink_to("busybox")
    shutil.copy(build / "bin/kymo", root / "kymo/bin")
    shutil.copy(build / "lib/libkymo-monitor.so", root / "kymo/lib")
    programs = build / "tests/programs"
    for file in [*programs.glob("guest_*"), *programs.glob("*.so")]:
        shutil.copy(file, root / "programs")
    files = [file for file in [*(root / "programs").iterdir(), root / "kymo/bin/kymo", root / "kymo/lib/libkymo-monitor.so"] if file.is_file()]
    subprocess.run(["strip", "--strip-debug", *files], stderr=subprocess.DEVNULL)
    for library in libraries_of(files):
        to = root / library.lstrip("/")
        to.parent.mkdir(parents=True, exist_ok=True)
        if not to.exists():
            shutil.copy(library, to)
    (root / "etc/passwd").write_text("root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\nnogroup:x:65534:\n")
    (root / "input").write_text("".join(f"line {i}\n" for i in range(12)))
    (root / "names").write_text("\n".join(names) + "\n")
    (root / "init").write_text(INIT)
    (root / "init").chmod(0o755)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("kernel", type=pathlib.Path)
    options.add_argument("--only", default="")
    options.add_argument("--minutes", type=float, default=20)
    given = options.parse_args()
    qemu = shutil.which("qemu-system-x86_64") or sys.exit("qemu-system-x86_64 is not installed (apt-get install qemu-system-x86)")
    build = given.build.resolve()
    names = sorted({path.stem for kind in ("*.c", "*.cpp") for path in (HERE / "programs").glob(kind)} - OTHERS)
    names = [name for name in names if (build / f"tests/programs/guest_{name}").exists() and (not given.only or name in given.only.split(","))]
    with tempfile.TemporaryDirectory(prefix="kymo-other-kernel-") as name:
        folder = pathlib.Path(name)
        make_root(folder / "root", build, names)
        listing = "\n".join(str(path.relative_to(folder / "root")) for path in sorted((folder / "root").rglob("*")))
        packed = subprocess.run(["busybox", "cpio", "-o", "-H", "newc"], input=listing.encode(), cwd=folder / "root", capture_output=True, check=True)
        (folder / "initrd").write_bytes(packed.stdout)
        machine = [qemu, "-nographic", "-no-reboot", "-cpu", "max", "-smp", "2", "-m", "3000", "-kernel", given.kernel, "-initrd", folder / "initrd",
                   "-append", "console=ttyS0 quiet loglevel=4 panic=-1 rdinit=/init"]
        # After so long it is ended by `timeout`, and what it has printed is still here.
        seen, same, different, is_over = False, 0, 0, False
        with subprocess.Popen(["timeout", str(given.minutes * 60), *map(str, machine)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                              errors="replace") as running:
            for line in running.stdout:
                seen = seen or "kernel " in line
                if seen:
                    print(line, end="", flush=True)
                same += line.startswith("same ")
                different += line.startswith("DIFFERENT ")
                is_over = is_over or line.startswith("end of all")
    print(f"{same} programs the same, {different} different, of {len(names)}" + ("" if is_over else "; the machine did not get to the end"))
    sys.exit(0 if is_over and different == 0 else 1)


if __name__ == "__main__":
    main()
