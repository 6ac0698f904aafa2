"""Exports as the tools themselves open them: go tool pprof, speedscope in a browser, sqlite3. A tool that cannot be had here is told and passed over.

Arguments: BUILD any
"""

import base64
import json
import pathlib
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "replay"))
import replay  # first: it knows where the other modules are

from harness import main

RECORDING = "story"


def pprof(test, export, told):
    if shutil.which("go") is None:
        return "go is not installed (golang-go)"
    file = export("pprof")
    for kind, keys in (("cpu", ("user_s", "system_s")), ("off-cpu", ("off_cpu_s",))):
        shown = test.must("go", "tool", "pprof", "-unit=ms", f"-sample_index={kind}", "-top", file)
        total = re.search(r"Total samples = ([\d.]+)(ms|s)|of ([\d.]+)(ms) total", shown)
        seen = float(total[1] or total[3]) * (1000 if (total[2] or total[4]) == "s" else 1)
        wanted = sum(told["recording"][key] for key in keys) * 1000
        test.check(f"pprof, {kind}: ms", round(wanted, 2), seen, abs(seen - wanted) <= max(0.01, wanted * 0.001))
    focused = test.must("go", "tool", "pprof", "-unit=ms", "-tagfocus=thread=worker-0", "-top", file)
    test.check("pprof: one thread's functions", "relax", focused[:300], "relax" in focused)
    return None


def speedscope(test, export, told):
    browser = shutil.which("chromium")
    if browser is None or shutil.which("npm") is None:
        return "a browser or npm is not installed"
    if test.run("npm", "install", "--no-audit", "--no-fund", "--prefix", test.work, "speedscope").returncode != 0:
        return "npm cannot fetch speedscope here"
    script = test.work / "profile.js"
    content = base64.b64encode(export("speedscope").read_bytes()).decode()
    script.write_text(f'speedscope.loadFileFromBase64("profile.json", {json.dumps(content)})')
    page = test.work / "node_modules/speedscope/dist/release/index.html"
    shown = test.must(browser, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--virtual-time-budget=10000", "--dump-dom",
                      f"file://{page}#localProfilePath={script}")
    busiest = max(told["threads"], key=lambda thread: thread["on_cpu_s"])
    test.check("speedscope shows the busiest thread", busiest["name"], re.findall(r"<title>(.*?)</title>", shown), f"{busiest['name']} {busiest['tid']}" in shown)
    return None


def sqlite(test, export, told):
    if shutil.which("sqlite3") is None:
        return "sqlite3 is not installed"
    file = export("sqlite")
    test.equal("sqlite3: the database's own checks", "ok", test.must("sqlite3", file, "pragma foreign_key_check; pragma integrity_check").strip())
    test.equal("sqlite3: threads", str(len(told["threads"])), test.must("sqlite3", file, "select count(*) from thread").strip())
    return None


def body(test):
    images = replay.unpack(replay.IMAGES, test.folder)
    path = replay.unpack(RECORDING, test.folder)
    told = json.loads(replay.report(test, path, images, "--json=full"))

    def export(form):
        out = test.work / f"export.{form}"
        test.must(test.kymo, "export", path, "--to", form, "-o", out, "--images", images, "--only-images")
        return out

    left_out = {consumer.__name__: consumer(test, export, told) for consumer in (pprof, speedscope, sqlite)}
    for name, why in left_out.items():
        if why is not None:
            print(f"left out: {name}: {why}")
    if all(left_out.values()):
        test.skip("none of the tools is here")


main(body)
