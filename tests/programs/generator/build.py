"""Writes, builds and runs a generated program."""

import json
import os
import pathlib
import signal
import subprocess

MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def write(made, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*"):
        if old.is_file():
            old.unlink()
    (folder / f"bad{made.suffix}").write_text(made.bad)
    (folder / f"fixed{made.suffix}").write_text(made.fixed)
    (folder / "truth.json").write_text(json.dumps(made.truth, indent=1) + "\n")


def _source(folder, version):
    return next(str(path) for path in sorted(pathlib.Path(folder).glob(version + ".*")) if path.suffix in (".cpp", ".c", ".py"))


def argv(folder, truth, version, key):
    names = {"SOURCE": _source(folder, version), "BINARY": os.path.join(os.path.abspath(folder), version)}
    return [names.get(word, word) for word in truth[key]]


def environment(truth):
    return os.environ | MPI | dict(setting.split("=", 1) for setting in truth.get("environment", []))


def build(folder, truth, flags=()):
    """Builds both versions; returns what the compiler said, or nothing."""
    if not truth["build"]:
        return ""
    for version in ("bad", "fixed"):
        command = argv(folder, truth, version, "build")
        done = subprocess.run([*command, *flags], capture_output=True, text=True)
        if done.returncode:
            return f"{version}: {done.stderr[:800]}"
    return ""


def run_once(folder, truth, version, timeout=60, prefix=(), before=None):
    """Runs one version in a session of its own, which ends with it."""
    with subprocess.Popen([*prefix, *argv(folder, truth, version, "run")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment(truth), cwd=folder, start_new_session=True, preexec_fn=before) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)
