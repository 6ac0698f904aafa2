"""test_packages.py BUILD any: the Debian packages hold what they should, and the program works where they are unpacked; manual pages of every verb are
well-formed, and shells complete verbs and options.
"""

import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))
from harness import main  # noqa: E402

PATIENCE = 600  # seconds, for what a busy machine takes to pack


def packages(test):
    out = test.work / "packages"
    test.must("cpack", "--config", test.build / "CPackConfig.cmake", "-B", out, cwd=test.build, timeout=PATIENCE)
    return {path.name.split("_")[0]: path for path in out.glob("*.deb")}, next(out.glob("*.tar.gz"))


def works(test, what, root):
    """The program below a root of its own: it records, reports and exports."""
    kymo = root / "bin/kymo"
    recording = test.work / f"{what}.kymo"
    test.equal(f"{what}: record", 0, test.run(kymo, "record", "-q", "-o", recording, "--", "/bin/ls", "/").returncode)
    test.equal(f"{what}: report", 0, test.run(kymo, "report", recording).returncode)
    test.equal(f"{what}: export", 0, test.run(kymo, "export", recording, "--to", "perfetto", "-o", test.work / f"{what}.pftrace").returncode)


def completed(test, script, line):
    """What bash offers for a line that ends where the cursor is."""
    shell = f'source "{script}"; COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _kymo; printf "%s\\n" "${{COMPREPLY[@]}}"'
    path = f"{pathlib.Path(test.kymo).resolve().parent}:{os.environ['PATH']}"
    return test.run("bash", "-c", shell, env={**os.environ, "PATH": path}).stdout.split()


def shells(test, completions):
    script = completions / "bash-completion/completions/kymo"
    test.equal("bash: verbs", {"record", "report"}, set(completed(test, script, "kymo re")))
    test.equal("bash: options", {"--to"}, set(completed(test, script, "kymo export x.kymo --to")))
    test.equal("bash: sub-verbs", {"sweep"}, set(completed(test, script, "kymo gpu sw")))
    test.equal("bash: a sub-verb's options", {"--gpu"}, set(completed(test, script, "kymo gpu run x --gp")))
    test.equal("bash: nothing of a program's own words", set(), set(completed(test, script, "kymo record -- ls --a")))
    for shell, file in (("zsh", completions / "zsh/vendor-completions/_kymo"), ("fish", completions / "fish/vendor_completions.d/kymo.fish")):
        if shutil.which(shell):
            test.equal(f"{shell}: the script is well-formed", 0, test.run(shell, "-n", file).returncode)
        else:
            print(f"left out: {shell} is not installed")
    if shutil.which("fish"):
        told = test.run("fish", "-c", f"source {completions}/fish/vendor_completions.d/kymo.fish; complete -C 'kymo rep'",
                        env={**os.environ, "PATH": f"{pathlib.Path(test.kymo).resolve().parent}:{os.environ['PATH']}"}).stdout
        test.check("fish: verbs", "report", told, "report" in told)


# As a user who has never seen Kymo: docs/getting-started.md, "From the package to two runs compared".
FIRST_STEPS = """set -e
cd /root
apt-get install -y -q ./kymo_*.deb
kymo record -q -o before.kymo -- /bin/ls -R /usr
kymo export before.kymo --to perfetto -o trace.pftrace
kymo export before.kymo --to pprof -o profile.pb.gz
kymo record -q -o after.kymo -- /bin/ls -R /usr
kymo diff before.kymo after.kymo > compared
apt-get install -y -q ./kymo-dev_*.deb $(ls ./kymo-mpi_*.deb 2>/dev/null)
test -e /usr/include/kymo/metrics.h
apt-get purge -y -q kymo kymo-dev $(ls ./kymo-mpi_*.deb >/dev/null 2>&1 && echo kymo-mpi)
find / -xdev -name '*kymo*' -not -path '/root/*' -not -path '/proc/*' -not -path '/var/log/*' > left
"""


def fresh_machine(test, debs):
    """A minimal Debian of its own: the packages install, work and leave nothing when they are removed."""
    root = test.work / "fresh"
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        print("left out: a fresh Debian needs root and debootstrap")
        return
    if test.run("debootstrap", "--variant=minbase", "bookworm", root, timeout=PATIENCE).returncode != 0:
        print("left out: debootstrap cannot fetch a Debian here")
        return
    for path in debs.values():
        shutil.copy(path, root / "root")
    (root / "root/first_steps.sh").write_text(FIRST_STEPS)
    done = test.run("unshare", "-m", "sh", "-c", f"mount -t proc proc '{root}/proc' && exec chroot '{root}' sh /root/first_steps.sh", timeout=PATIENCE)
    if done.returncode != 0:
        print(done.stdout[-1500:], done.stderr[-1500:])
    test.equal("a fresh Debian: install, record, export, compare, remove", 0, done.returncode)
    if done.returncode == 0:
        test.check("two runs are compared", "wall time", (root / "root/compared").read_text()[:300], "wall time" in (root / "root/compared").read_text())
        test.equal("what is left after removal", "", (root / "root/left").read_text())


def body(test):
    if not shutil.which("dpkg-deb") or not shutil.which("dpkg-shlibdeps"):
        test.skip("dpkg-dev is not installed")
    debs, tarball = packages(test)
    test.equal("packages", {"kymo", "kymo-dev"}, set(debs) - {"kymo-mpi"})
    root = test.work / "root"
    for name, path in debs.items():
        test.must("dpkg-deb", "-x", path, root)
        control = test.must("dpkg-deb", "-f", path)
        test.check(f"{name}: its control file", "version and dependencies", control, "Version: " in control and "Depends: " in control)
    for name in ("bin/kymo", "lib/kymo/libkymo-monitor.so", "include/kymo/metrics.h", "lib/cmake/kymo/kymoConfig.cmake", "share/man/man1/kymo.1", "share/doc/kymo/copyright"):
        test.equal(f"{name} is in a package", True, (root / "usr" / name).exists() or (root / "usr" / f"{name}.gz").exists())
    works(test, "unpacked", root / "usr")
    test.must("tar", "-xzf", tarball, "-C", test.work)
    works(test, "tarball", next(path for path in test.work.iterdir() if path.name.startswith("kymo-") and path.is_dir()))

    verbs = [line.split("\t")[0] for line in test.must(test.kymo, "--help-options").splitlines()]
    pages = sorted((root / "usr/share/man/man1").iterdir())
    test.equal("a page for every verb", [], [verb for verb in verbs if not any(page.name.startswith(f"kymo-{verb}.1") for page in pages)])
    if shutil.which("man"):
        for page in pages:
            shown = test.run("man", "--warnings", "-l", page, env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "120"})
            test.check(f"{page.name} is well-formed", "no warnings", shown.stderr[:300], shown.returncode == 0 and not shown.stderr and "NAME" in shown.stdout)
    shells(test, root / "usr/share")
    fresh_machine(test, debs)


main(body)
