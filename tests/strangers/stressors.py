#!/usr/bin/env python3
"""Stressors of stress-ng under Kymo: do they end as they do without, and is what is told of them right?

    python3 tests/strangers/stressors.py BUILD [--only NAME,…] [--half 0|1] [--seconds S] [--told FILE]

Each does one odd thing as fast as it can, for a second or two: signals in signals, mappings that come and go, stacks of its own, processes by the
thousand. The exit status must be the same as without Kymo, and the recording must be readable. Of those whose nature the manual tells, EXPECTED
says which kinds may come first (written from the manual, before any was recorded): an empty set asks for silence. `--half 1` are those that no rule
was ever looked at with. Not part of `make test`: stress-ng is a package of its own, and it takes a quarter of an hour.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))
from harness import run  # noqa: E402

# They change the machine, need devices, or end it.
LEFT_OUT = set("""bind-mount binderfs bigheap cpu-online cyclic dev efivar gpu icmp-flood ioport ipsec-mb klog kvm l1cache loop memhotplug netdev
 oom-pipe pci physpage quota rawdev rawpkt reboot resources smi swap tun umount watchdog softlockup handle idle-page sysfs dev-shm
 pageswap sockmany rawudp rawsock""".split())

COMPUTE = """cpu matrix matrix-3d memcpy qsort mergesort heapsort radixsort shellsort stream vecmath vecfp vecwide vecshuf wcs str tree
 tsearch hsearch lsearch bsearch skiplist sparsematrix crypt branch cache prefetch funccall funcret goto fp nop judy randlist hash tsc vdso
 longjmp regs revio""".split()
CALLS = """get getrandom getdent access chmod chdir chown dup fstat enosys sysinfo prctl rlimit seek utime xattr yield zero null full urandom
 fcntl flock kcmp mprotect madvise mincore lease lockf lockofd sigpending rename link symlink dentry dir prctl pidfd poll procfs touch
 fiemap inode-flags personality nice ioprio sockdiag resched sysinval file-ioctl filename""".split()
EXPECTED = {
    **{name: set() for name in COMPUTE},
    **{name: {"syscall-storm", "small-io"} for name in CALLS},
    **{name: {"page-faults"} for name in "fault brk stack vm userfaultfd remap mremap vm-segv".split()},
    **{name: {"page-faults", "allocation-churn"} for name in "mmap malloc memfd mmaphuge munmap mmapfixed mmapmany shm shm-sysv tlb-shootdown".split()},
    **{name: {"process-churn", "page-faults"} for name in "fork vfork exec spawn daemon zombie forkheavy exit-group mmapfork".split()},
    **{name: {"thread-churn"} for name in ["pthread"]},
    **{name: {"lock-contention", "syscall-storm"} for name in "mutex futex sem sem-sysv".split()},
    **{name: {"io-wait", "syscall-storm"} for name in "hdd io iomix sync-file msync aio copy-file fallocate".split()},
    **{name: {"busy-wait"} for name in "dekker peterson".split()},
}


def expected(name):
    return EXPECTED.get(name)


def half(name):
    return zlib.crc32(name.encode()) & 1


def timed(command, folder, limit):
    """Its exit status, or None where it was still running; what it printed; seconds."""
    began = time.monotonic()
    try:
        done = run(*command, cwd=folder, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, "", limit
    return done.returncode, done.stdout + done.stderr, time.monotonic() - began


def tell(kymo, recording):
    """The findings, and what is wrong with the recording."""
    done = run(kymo, "report", "--json", recording, timeout=300)
    if done.returncode != 0:
        return [], done.stderr.strip()[-200:] or f"kymo report ended with {done.returncode}"
    return json.loads(done.stdout)["findings"], ""


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("--only", default="")
    options.add_argument("--half", type=int, choices=(0, 1))
    options.add_argument("--seconds", type=float, default=1.5)
    options.add_argument("--told", type=pathlib.Path, help="all findings, a line each")
    given = options.parse_args()
    if not shutil.which("stress-ng"):
        print("stress-ng is not installed (apt-get install stress-ng)")
        return 1
    names = subprocess.run(["stress-ng", "--stressors"], capture_output=True, text=True, check=True).stdout.split()
    only = set(filter(None, given.only.split(",")))
    names = [name for name in names if (name in only if only else name not in LEFT_OUT and given.half in (None, half(name)))]
    told = given.told.open("w") if given.told else None
    kymo = str((given.build / "bin" / "kymo").resolve())
    different, right, wrong, noisy = [], 0, [], []
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            command = ["stress-ng", f"--{name}", "1", "-t", f"{given.seconds:g}s", "--temp-path", folder]
            status, _, plain_s = timed(command, folder, 60)
            if status not in (0, 2):  # 3, 4: not on this machine
                continue
            recording = f"{folder}/out.kymo"
            recorded, output, took = timed([kymo, "record", "-o", recording, "--", *command], folder, 180)
            if recorded != status:
                different.append(f"{name}: {'still running' if recorded is None else f'status {recorded}'} instead of {status}: {output[-300:]}")
                print(different[-1], flush=True)
                continue
            findings, broken = tell(kymo, recording)
            if broken:
                different.append(f"{name}: {broken}")
            kinds = [finding["kind"] for finding in findings]
            want = expected(name)
            is_right = want is None or (kinds[0] in want if kinds and want else not kinds and not want)
            mark = " " if want is None else "+" if is_right else "-"
            print(f"{mark} {name:<16} {took - plain_s:5.1f} s more  {' '.join(kinds) or '·'}{'' if is_right else '   expected ' + (' '.join(sorted(want)) or '·')}", flush=True)
            for finding in findings if told else ():
                told.write(f"{name}\t{finding['kind']}\t{finding['share']:.3f}\t{finding['title']}\n")
                told.flush()
            if want is not None:
                right += is_right
                if not is_right:
                    (noisy if not want else wrong).append(name)
    print(f"{len(names)} stressors, {len(different)} that ended otherwise; first finding right in {right} of {right + len(wrong) + len(noisy)}; "
          f"told of sound ones: {' '.join(noisy) or 'nothing'}")
    return 1 if different else 0


sys.exit(main())
