"""The same members, and keys of another job: for managers that know all but the key."""

import subprocess


def make_other(test, folder, other):
    other.mkdir(mode=0o700)
    keys = test.folder / "keys"
    agent = subprocess.Popen([str(test.kymo), "agent", "--rendezvous", str(keys), "--name", "none", "--address", "127.0.0.1"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    agent.stderr.readline()
    agent.kill()
    agent.wait()
    job = {line.split()[0]: line for line in (folder / "job").read_text().splitlines()}
    strange = {line.split()[0]: line for line in (keys / "job").read_text().splitlines()}
    (other / "job").write_text("\n".join(strange[word] if word in ("public", "secret") else job[word] for word in job) + "\n")
    (other / "job").chmod(0o600)
    for slot in folder.glob("slot-*[0-9]"):
        (other / slot.name).write_bytes(slot.read_bytes())
        (other / slot.name).chmod(0o600)
