#!/usr/bin/env python3
"""Where Kymo and `perf record --call-graph dwarf -e task-clock` find the user and system time of programs that nobody here wrote.

    sudo python3 bench/report/beside_perf.py BUILD [--rounds N] [--only NAME,NAME…] [--rate HZ]

Each program runs N times under each tool, by turns; perf always as root, since it must see the kernel. A function's share is that of the
program's processor time in it alone; system time counts where the program called the C library for it (whose
wrapper of the system call Kymo's own stands in for). Medians of the rounds are compared for every
function above 5 % in either tool, and the largest difference in points is printed, by program and by function. Functions without a name (stripped
programs) are added up by file. Needs perf; programs that are not installed are left out, and listed.
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

KERNEL = 0xFFFF_8000_0000_0000
LEAST = 0.05  # of the program's time, in either tool
PORT = 17391
NO_CALLER = "perf has no caller of the C library"


def work_folder():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="beside-perf-", dir="/tmp"))
    folder.chmod(0o777)
    return folder


# ---- what runs -------------------------------------------------------------------------------------------


def prepare(folder):
    """Input files for all jobs, made once."""
    big = folder / "big"
    with open(big, "wb") as file:
        for i in range(400):
            file.write(os.urandom(4096) * 256)  # 400 MiB
    tree = folder / "tree"
    for i in range(4000):
        path = tree / f"{i % 40}" / f"{i}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{i} {j} {i * j}\n" for j in range(300)))
    git = ["git", "-C", tree, "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "all"], check=True)
    (folder / "page").write_bytes(os.urandom(1024) * 30)
    (folder / "empty.conf").write_text("")
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {folder}/nginx.pid; error_log stderr;\n"
        "events {}\n"
        f"http {{ access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u;"
        f" scgi_temp_path {folder}/s; server {{ listen 127.0.0.1:{PORT}; root {folder}; gzip on; gzip_min_length 1; gzip_types *; }} }}\n")
    subprocess.run(["chmod", "-R", "a+rwX", folder], check=True)


SQL = ("PRAGMA journal_mode=OFF; CREATE TABLE t(a INTEGER, b TEXT); "
       "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<600000) INSERT INTO t SELECT x, hex(x*7919%100003) FROM c; "
       "CREATE INDEX i ON t(b); SELECT count(*), sum(length(b)) FROM t WHERE b LIKE '%33%'; SELECT count(DISTINCT b) FROM t;")


def until_open(port):
    import socket
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise SystemExit(f"nobody listens on port {port}")


def quiet(*command, check=True):
    subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=check)


def load_redis(_pid):
    quiet("redis-benchmark", "-p", PORT, "-t", "set,get,lrange_100", "-n", 150000, "-c", 20, "-r", 10000)
    quiet("redis-cli", "-p", PORT, "shutdown", "nosave", check=False)


def load_nginx(pid):
    quiet("ab", "-q", "-n", 30000, "-c", 10, "-H", "Accept-Encoding: gzip", f"http://127.0.0.1:{PORT}/page")
    os.kill(pid, 3)


def load_python(pid):
    quiet("ab", "-q", "-n", 2500, "-c", 4, f"http://127.0.0.1:{PORT}/page", check=False)  # it resets some connections
    os.kill(pid, 2)


class Job:
    """`short_threads`: its name, of a program whose threads end before a sample is due. A counter that threads inherit starts anew in each, so perf
    would never see what they do in their first millisecond: then it samples the processors, and the program's samples are taken out."""

    def __init__(self, *command, load=None, needs=(), short_threads=None):
        self.command, self.load = command, load
        self.needs = [command[0], *needs]
        self.short_threads = short_threads
        self.perf_events = ["-a", "-e", "cpu-clock"] if short_threads else ["-e", "task-clock"]


def jobs(folder):
    return {
        "dd": Job("dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=30000"),
        "cat": Job("sh", "-c", "for i in 1 2 3; do cat big big big big big big > /dev/null; done"),
        "sqlite3": Job("sqlite3", ":memory:", SQL),
        "redis-server": Job("redis-server", folder / "empty.conf", "--port", PORT, "--save", "", load=load_redis, needs=["redis-benchmark"]),
        "nginx": Job("nginx", "-p", folder, "-c", folder / "nginx.conf", load=load_nginx, needs=["ab"]),
        "git": Job("sh", "-c", "for i in 1 2 3 4 5 6; do git -c safe.directory='*' -C tree grep -c 77 | wc -l; git -c safe.directory='*' -C tree log -p --stat | wc -c; done"),
        "tar": Job("sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do tar cf out.tar tree; done"),
        "python3 -m http.server": Job("/usr/bin/python3", "-m", "http.server", "--bind", "127.0.0.1", PORT, load=load_python, needs=["ab"], short_threads="python3"),
    }


def run(prefix, job, folder):
    """The recorder's process ends with the program's. A server's signals go to the program, not to the recorder."""
    words = [str(word) for word in [*prefix, *job.command]]
    started = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(folder)})
    if job.load:
        until_open(PORT)
        job.load(child_of(started.pid))
    started.communicate(timeout=300)


def child_of(pid):
    """The program below a recorder: the first descendant that is no recorder itself."""
    while True:
        children = [int(word) for task in pathlib.Path(f"/proc/{pid}/task").iterdir() for word in (task / "children").read_text().split()]
        if not children:
            return pid
        pid = children[0]


# ---- what was found --------------------------------------------------------------------------------------


def plain(name):
    name = re.sub(r"[@(<].*", "", name)
    name = re.sub(r"\.(part|cold|isra|constprop|localalias|lto_priv|llvm)\b.*", "", name)
    name = re.sub(r"^(__GI_|__libc_|_IO_)+", "", name).lstrip("_")
    name = re.sub(r"^(libc|GI)_+", "", name)
    # One function of the C library under the processor's names for it.
    return re.sub(r"_(avx\w*|sse\w*|evex\w*|erms|unaligned\w*)(_.*)?$", "", name)


def key(module, function):
    module = os.path.basename(module or "?").split(" ")[0]
    module = "redis-server" if module == "redis-check-rdb" else re.sub(r"\.so.*", ".so", module)
    if not function or function.startswith("[") or "+0x" in function:
        return f"{module} (no names)"
    return f"{plain(function)} [{module}]"


def is_way_into_kernel(module):
    return bool(re.match(r"(libc|ld-linux|\[vdso|libpthread)", os.path.basename(module or "")))


def by_perf(file, name):
    """Shares of (user, system) by function; of the threads of that name, or of all."""
    of_name = ["--comm", name] if name else []
    text = subprocess.run(["perf", "script", "-i", file, *of_name, "--no-inline", "-F", "ip,sym,dso"], capture_output=True, text=True, errors="replace", check=True).stdout
    found, whole = collections.defaultdict(lambda: [0, 0]), 0
    for sample in text.split("\n\n"):
        frames = [match.groups() for match in re.finditer(r"^\s*([0-9a-f]+) (.*?)(?: \(([^()]*(?:\([^()]*\))?)\))?$", sample, re.M)]
        if not frames:
            continue
        whole += 1
        in_kernel = int(frames[0][0], 16) >= KERNEL
        user = [frame for frame in frames if int(frame[0], 16) < KERNEL]
        if not user:
            found["no user frame"][1] += 1
            continue
        if in_kernel:
            user = [frame for frame in user if not is_way_into_kernel(frame[2])]
        if not user:
            found[NO_CALLER][1] += 1
            continue
        _, name, module = user[0]
        found[key(module, "" if name == "[unknown]" else name)][in_kernel] += 1
    return {name: (user / whole, system / whole) for name, (user, system) in found.items()}


def outermost_inlined(nodes, node):
    """perf names the function whose code was compiled, not what was inlined into it."""
    while node["kind"] == "frame" and node["inlined"] and node["parent"]:
        node = nodes[node["parent"]]
    return node


def by_kymo(kymo, recording):
    report = json.loads(subprocess.run([kymo, "report", recording, "--json=full"], capture_output=True, text=True, check=True).stdout)
    whole = report["recording"]["user_s"] + report["recording"]["system_s"]
    found = collections.defaultdict(lambda: [0.0, 0.0])
    nodes = report["call_tree"]
    for node in nodes:
        user, system = node["self"]["user_s"] / whole, node["self"]["system_s"] / whole
        caller = outermost_inlined(nodes, node)
        name = node["function"] if node["kind"] != "frame" else key(caller["module"], caller["function"])
        found[name][0] += user
        while caller["kind"] == "frame" and is_way_into_kernel(caller["module"]) and caller["parent"]:
            caller = outermost_inlined(nodes, nodes[caller["parent"]])
        name = node["function"] if node["kind"] != "frame" else key(caller["module"], caller["function"])
        found[name][1] += system
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--only", default="")
    options.add_argument("--rate", default="1000", help="perf's samples a second; each costs the program some 50 µs in a virtual machine")
    given = options.parse_args()
    if os.geteuid() != 0 or not shutil.which("perf"):
        sys.exit("needs to be root (perf must see the kernel), and perf (apt-get install linux-perf)")
    kymo = given.build.resolve() / "bin/kymo"
    folder = work_folder()
    prepare(folder)
    print(f"{'program':24} {'functions':>9} {'largest difference, points':>28}  function: perf user + system, kymo user + system (%)")
    for name, job in jobs(folder).items():
        if given.only and name.split()[0] not in given.only.split(","):
            continue
        missing = [tool for tool in job.needs if not shutil.which(str(tool), path="/usr/sbin:/usr/bin:/sbin:/bin")]
        if missing:
            print(f"{name:24} not installed: {', '.join(missing)}")
            continue
        perf, ours = [], []
        for i in range(given.rounds):
            data, recording = folder / "perf.data", folder / f"{name.split()[0]}-{i}.kymo"
            run(["perf", "record", "-q", *job.perf_events, "-F", given.rate, "--call-graph", "dwarf", "-o", data, "--"], job, folder)
            perf.append(by_perf(data, job.short_threads))
            run([kymo, "record", "-o", recording, "--"], job, folder)
            ours.append(by_kymo(kymo, recording))
        names = sorted({function for each in perf + ours for function in each})

        def median(rounds, function, part):
            return statistics.median(each.get(function, (0, 0))[part] for each in rounds)

        rows = []
        for function in names:
            values = [median(rounds, function, part) for rounds in (perf, ours) for part in (0, 1)]
            if max(values[0] + values[1], values[2] + values[3]) >= LEAST:
                rows.append((100 * max(abs(values[0] - values[2]), abs(values[1] - values[3])), function, [100 * value for value in values]))
        rows.sort(reverse=True)
        for i, (difference, function, v) in enumerate(rows):
            head = f"{name:24} {len(rows):9} {difference:28.1f}" if i == 0 else f"{'':24} {'':9} {difference:28.1f}"
            print(f"{head}  {function}: {v[0]:.1f} + {v[1]:.1f}, {v[2]:.1f} + {v[3]:.1f}", flush=True)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
