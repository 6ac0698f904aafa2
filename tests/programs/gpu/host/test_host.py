"""CUDA programs under `kymo gpu run -- PROGRAM` and `kymo gpu trace -- PROGRAM`: their results, the findings of planted defects, the
traces, what is said of mistakes, and the library's symbols."""

import json
import os
import pathlib
import re
import signal
import sys
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "truth"))

from harness import main  # noqa: E402

GPU = ["--gpu", "h100-pcie", "--set", "sm.count=8"]  # a small one: what is planted shows as well
PLANTED = {"uncoalesced": "uncoalesced-access", "bank_conflict": "bank-conflict", "divergence": "divergence",
           "low_occupancy": "low-occupancy", "tail_wave": "tail-wave"}
GROUPS = {"symbols": None, "memory": None, "times": None, "refusals": "cudaGraphCreate is not served",
          "outside": "write_behind", "misaligned": "write_behind"}


def program(test, name):
    path = test.build / "tests" / "programs" / "gpu" / name
    if not path.exists():
        test.skip(f"{path} is not built")
    return path


def line_of(name, marker):
    """The number of the line that has the marker as its comment."""
    lines = (HERE / f"{name}.cu").read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if line.endswith(f"// {marker}"))


def modelled(test, what, *command, options=()):
    """kymo gpu run --json of a program; (completed process, the program's own output, the JSON)."""
    told = test.work / "modelled.json"
    told.unlink(missing_ok=True)
    done = test.run(test.kymo, "gpu", "run", *GPU, f"--json={told}", *options, "--", *command)
    if not told.exists():
        test.fail(f"{what}: no JSON: {done.stdout[-300:]!r} {done.stderr[-500:]!r}")
        test.end()
    program = json.loads(told.read_text())
    test.of_schema(what, program, "gpu_program")
    return done, done.stdout, program


def planted_pair(test, name, path, how=""):
    kind = PLANTED[name]
    for version in ("bad", "fixed"):
        what = f"{name} {version}{how}"
        done, output, told = modelled(test, what, path, version)
        test.equal(f"{what}: exit status", 0, done.returncode)
        test.equal(f"{what}: results", "right", output.strip())
        kinds = [finding["kind"] for finding in told["findings"]]
        if version == "fixed":
            test.check(f"{what}: findings without {kind}", f"no {kind}", kinds, kind not in kinds)
            continue
        if not test.check(f"{what}: the first finding", kind, kinds, kinds[:1] == [kind]):
            continue
        place = told["findings"][0]["place"]
        test.equal(f"{what}: file", f"{name}.cu", pathlib.Path(place.get("file", "")).name)
        test.equal(f"{what}: line", line_of(name, "defect"), place["line_begin"])


def planted(test):
    for name in PLANTED:
        planted_pair(test, name, program(test, name))


def calls_of(test, path, how=""):
    for group, problem in GROUPS.items():
        what = f"calls {group}{how}"
        done, output, told = modelled(test, what, path, group)
        test.check(f"{what}: what the interface promises", "right", output.strip(), output.strip().endswith("right"))
        said = [one["what"] for one in told["problems"]]
        if problem is None:
            test.equal(f"{what}: problems", [], said)
            test.equal(f"{what}: exit status", 0, done.returncode)
        else:
            test.check(f"{what}: problems", problem, said, len(said) == 1 and problem in said[0])
            test.check(f"{what}: exit status", "not 0", done.returncode, done.returncode != 0)
        if group == "times":
            elapsed = float(re.search(r"elapsed (\S+)", output)[1])
            test.near(f"{what}: events tell the modelled times", told["time_us"], elapsed, 1e-3 * told["time_us"], " us")
        if group in ("outside", "misaligned") and said:
            fault = line_of("calls", "fault")
            test.check(f"{what}: the message names the source line", f"calls.cu:{fault}", said[0], f"calls.cu:{fault}" in said[0])


def calls(test):
    calls_of(test, program(test, "calls"))
    done, output, told = modelled(test, "many launches", program(test, "many_launches"), "50")
    test.equal("many launches: results, and launches", (0, "right", 50), (done.returncode, output.strip(), len(told["kernels"])))
    # Without kymo around it a program runs as well, on the GPU that is asked for.
    alone = test.run(program(test, "calls"), "memory")
    test.equal("calls memory, without kymo around", (0, "right", ""), (alone.returncode, alone.stdout.strip(), alone.stderr))


def outputs(test):
    path = program(test, "divergence")
    text = test.run(test.kymo, "gpu", "run", *GPU, "--", path, "bad")
    line = line_of("divergence", "defect")
    test.check("the text names finding and place", f"divergence at divergence.cu:{line} in ways", text.stdout,
               f"divergence at divergence.cu:{line} in ways" in text.stdout)
    done, _, told = modelled(test, "recorded", path, "bad", options=["-o", test.work / "out.kymo"])
    test.equal("kernels", ["ways"], [kernel["name"] for kernel in told["kernels"]])
    test.equal("keys of the JSON", ["schema", "exit_status", "time_us", "kernels", "findings", "problems"], list(told))
    _, _, again = modelled(test, "once more", path, "bad", options=["--exact"])
    test.equal("modelled times of another run", told["time_us"], again["time_us"])
    report = test.report(test.work / "out.kymo")
    if report is not None:
        test.check("the recording's report has the finding", "divergence", [f["kind"] for f in report["findings"]],
                   "divergence" in [f["kind"] for f in report["findings"]])
    again = test.run(test.kymo, "gpu", "run", "-o", test.work / "out.kymo", "--", path, "bad")
    test.equal("nothing is overwritten", 5, again.returncode)
    # The same launch by its traces, in either form; what operands held changes no time.
    cycles = told["kernels"][0]["cycles"]
    for form, folder in ((), "compact"), (("--text",), "text"), (("--values",), "values"):
        made = test.run(test.kymo, "gpu", "trace", "--gpu", "h100-pcie", *form, "-o", test.work / folder, "--", path, "bad")
        test.equal(f"{folder} trace: exit status", 0, made.returncode)
        replayed = test.run(test.kymo, "gpu", "run", *GPU, "--json", test.work / folder / "kernelslist.g")
        test.equal(f"{folder} trace: exit status of its replay", 0, replayed.returncode)
        if replayed.returncode == 0:
            test.equal(f"{folder} trace: cycles of its replay", cycles, json.loads(replayed.stdout)["kernels"][0]["cycles"])
    sizes = [(test.work / folder / "kernel-1.kgt").stat().st_size for folder in ("compact", "values")]
    test.check("the trace with values is the larger one", "ten times", sizes, sizes[1] > 10 * sizes[0])


def mistakes(test):
    def refused(what, code, says, *words):
        done = test.run(test.kymo, "gpu", *words)
        test.check(what, f"{code}, {says!r}", (done.returncode, done.stderr), done.returncode == code and says in done.stderr)

    path = program(test, "calls")
    refused("neither trace nor program", 2, "no trace and no program to run", "run")
    refused("both", 2, "both a trace and a program to run", "run", "x.kgt", "--", path)
    refused("no such program", 3, "no such program", "run", "--", test.work / "nothing")
    refused("no such GPU", 3, "no GPU named", "run", "--gpu", "abacus", "--", path)
    refused("--warm", 2, "--warm is for a single launch", "run", "--warm", "--", path)
    refused("a recording of a part, basic", 2, "a stream for each thread of the whole launch", "run", "x.kgt", "--model", "basic", "--partial",
            "-o", test.work / "x.kymo")
    refused("the basic model", 2, "the basic model is for traces", "run", "--model", "basic", "--", path)
    refused("a program without CUDA", 4, "has launched no kernel", "run", "--", "/bin/true")
    refused("a trace into no folder", 8, "", "trace", "-o", test.work / "no" / "where", "--", path)


def relocatable(test):
    """A program as nvcc -rdc=true builds it is refused before it is started, and the flag is named."""
    pieces = test.work / "pieces"
    pieces.write_bytes(bytes(8))
    made = test.run("objcopy", "--add-section", f"__nv_relfatbin={pieces}", program(test, "divergence"), test.work / "linked")
    test.equal("objcopy", 0, made.returncode)
    done = test.run(test.kymo, "gpu", "run", "--", test.work / "linked", "bad")
    test.equal("exit status, output", (4, ""), (done.returncode, done.stdout))
    test.check("what is said", "built with -rdc=true … build it without -rdc=true", done.stderr,
               "is built with -rdc=true" in done.stderr and "build it without -rdc=true" in done.stderr)


def waits(test):
    """A lock between lanes; a flag that nobody sets; and a kernel that is ended from outside, which says where it was."""
    path = program(test, "waits")
    done, output, told = modelled(test, "a lock", path, "locked")
    test.equal("a lock: exit status, output", (0, "64"), (done.returncode, output.strip()))
    share = told["kernels"][0]["waiting_share"]
    test.check("a lock: the share of instructions that wait", "0.5 to 1", share, 0.5 < share < 1)
    text = test.run(test.kymo, "gpu", "run", "--", path, "locked").stdout
    test.check("a lock: its time is called unknown", "and so is the time", text, "and so is the time" in text)
    done = test.run(test.kymo, "gpu", "run", "--", path, "awaiting")
    expected = [f"waits.cu:{line_of('waits', 'flag')}: in awaiting: lanes 0xffffffff of warp 0 wait forever: ld.volatile.global.u32 finds 0 at",
                "the 3 CTAs after it start only when it ends (CTA 0,0,0 thread 0,0,0)"]
    test.check("a flag", expected, done.stderr, done.returncode != 0 and all(part in done.stderr for part in expected))
    for name in ("INT", "TERM", "KILL"):
        folder = test.fresh()
        started = test.start(test.kymo, "gpu", "run", "--", path, "counting", env={**os.environ, "TMPDIR": str(folder)})
        notes = lambda: b"".join(file.read_bytes() for file in folder.glob("kymo-gpu-*/running-*"))  # noqa: B023, E731
        while b"waits.cu:" not in notes() and started.poll() is None:
            time.sleep(0.01)
        number = getattr(signal, f"SIG{name}")
        if name == "KILL":  # the program alone; kymo itself tells
            pid = next(file.name for file in folder.glob("kymo-gpu-*/running-*")).split("-")[1]
            os.kill(int(pid), number)
        else:
            started.send_signal(number)
        said = started.communicate()[1]
        where = f"launch 1, counting, had come to CTA (2,0,0) of the grid (4,1,1), last seen at waits.cu:{line_of('waits', 'count')}"
        test.check(f"ended by SIG{name}", f"{128 + number}, {where}", (started.returncode, said),
                   started.returncode in (128 + number, -number) and where in said and "has launched no kernel" not in said)
        test.equal(f"ended by SIG{name}: what is left in TMPDIR", [], list(folder.iterdir()))


def checks(test):
    path = program(test, "checked")
    unwritten, race = line_of("checked", "unwritten"), line_of("checked", "race")
    asked = ["--check", "initialised,races"]
    done, _, told = modelled(test, "planted", path, "bad", options=asked)
    said = [one["what"] for one in told["problems"]]
    expected = [f"checked.cu:{unwritten}: in smooth: ld.global.f32 reads 4 bytes", "of global memory, which nothing has written",
                f"at checked.cu:{race}, with no barrier in between", "thread 64,0,0"]
    test.check("planted: what is said", expected, said, all(any(part in one for one in said) for part in expected))
    test.check("planted: exit status", "not 0", done.returncode, done.returncode != 0)
    done, output, told = modelled(test, "planted, not checked", path, "bad")
    test.equal("planted, not checked", (0, "right", []), (done.returncode, output.strip(), told["problems"]))
    done, output, told = modelled(test, "fixed", path, "fixed", options=asked)
    test.equal("fixed", (0, "right", []), (done.returncode, output.strip(), told["problems"]))
    wrong = test.run(test.kymo, "gpu", "run", "--check", "racing", "--", path, "bad")
    test.check("a check that is none", "2, no check is called 'racing'", (wrong.returncode, wrong.stderr),
               wrong.returncode == 2 and "no check is called 'racing'" in wrong.stderr)
    # A kernel by itself.
    kernels = HERE.parent / "kernels" / "checks.ptx"
    launch = ["--grid", "1", "--block", "64", "--args", "s32[64]=index", "s32[64]"]
    for kernel, code in (("neighbour_bad", 6), ("neighbour_fixed", 0)):
        for verb in (["run", "--json"], ["trace", "-o", test.work / f"{kernel}.kgt"]):
            done = test.run(test.kymo, "gpu", *verb, kernels, "--kernel", kernel, *launch, "--check", "races")
            test.check(f"{verb[0]} {kernel}", code, (done.returncode, done.stderr),
                       done.returncode == code and ("with no barrier in between" in done.stderr) == (code == 6))


def real(test):
    """The tracer of a GPU, which is not here: a stand-in of it leaves a trace that Kymo wrote itself."""
    tracer = test.build / "tests" / "programs" / "gpu" / "stand_in_tracer.so"
    if not tracer.exists():
        test.skip(f"{tracer} is not built")
    path = program(test, "divergence")
    made = test.run(test.kymo, "gpu", "trace", "--gpu", "h100-pcie", "--text", "-o", test.work / "made", "--", path, "bad")
    test.equal("a trace to leave: exit status", 0, made.returncode)
    tool = test.work / "tool"
    (tool / "traces-processing").mkdir(parents=True)
    own = tool / "tracer_tool.so"
    own.write_bytes(tracer.read_bytes())
    environment = {"PATH": "/usr/bin:/bin", "STAND_IN_TRACE": str(test.work / "made" / "kernel-1.traceg")}

    def trace(what, code, says, *words, program=("/bin/true",), **variables):
        folder = test.work / what.replace(" ", "-")
        done = test.run(test.kymo, "gpu", "trace", "--real", *words, "-o", folder, "--", *program, env={**environment, **variables})
        test.check(what, f"{code}, {says!r}", (done.returncode, done.stdout, done.stderr),
                   done.returncode == code and says in done.stdout + done.stderr)
        return folder

    trace("no second program", 4, "traces-processing/post-traces-processing is not there", "--tracer", own)
    second = tool / "traces-processing" / "post-traces-processing"
    second.write_text('#!/bin/sh\nset -e\nsed "s/trace$/traceg/" "$1" > "$1.g"\nfor raw in "${1%/*}"/kernel-*.trace; do cp "$raw" "${raw}g"; done\n')
    second.chmod(0o755)
    folder = trace("compact", 0, "kernelslist.g: 1 launch, ", KYMO_NVBIT_TRACER=str(own))
    test.equal("compact: what is left", ["kernel-1.kgt", "kernelslist.g"], sorted(one.name for one in folder.iterdir()))
    test.equal("compact: the list", "MemcpyHtoD,0x00007f0000000000,64\nkernel-1.kgt\n", (folder / "kernelslist.g").read_text())
    texts = trace("text", 0, "kernelslist.g: 1 launch", "--text", "--tracer", own)
    test.equal("text: what is left", ["kernel-1.traceg", "kernelslist.g"], sorted(one.name for one in texts.iterdir()))
    cycles = [json.loads(test.run(test.kymo, "gpu", "run", *GPU, "--json", one / "kernelslist.g").stdout)["kernels"][0]["cycles"]
              for one in (test.work / "made", folder, texts)]
    test.equal("cycles of the replays", [cycles[0]] * 3, cycles)
    trace("exit status", 7, "1 launch", "--tracer", own, program=("/bin/sh", "-c", "exit 7"))
    trace("no kernel", 4, "/bin/true (exit status 0): no kernel was traced", "--tracer", own, STAND_IN_TRACE="/nowhere")
    trace("nothing written", 4, "the tracer wrote nothing", "--tracer", own, program=("/usr/bin/env", "-i", "/bin/true"), STAND_IN_TRACE="")
    second.write_text("#!/bin/sh\nexit 3\n")
    trace("grouping fails", 4, "post-traces-processing", "--tracer", own)
    trace("no such tracer", 3, "there is no such tracer", "--tracer", tool / "none.so")
    trace("no tracer", 3, "NVBit tracer is named" if pathlib.Path("/dev/nvidiactl").exists() else "this machine has no NVIDIA GPU")
    trace("checks", 2, "--check", "--tracer", own, "--check", "races")


def symbols(test):
    nm = test.tool("nm", "binutils")
    for version in (12, 13):
        library = test.build / "lib" / "cuda" / f"libcudart.so.{version}"
        done = test.run(nm, "-D", "--defined-only", "--with-symbol-versions", library)
        names = [line.split()[-1] for line in done.stdout.splitlines() if " A " not in line]
        odd = [name for name in names if not re.fullmatch(rf"(__)?cuda[A-Z]\w*@@libcudart\.so\.{version}", name)]
        test.equal(f"{library.name}: symbols that are not CUDA's, or not of its version", [], odd)
        test.check(f"{library.name}: names, served and refused", "at least 400", len(names), len(names) >= 400)
        soname = test.run(test.tool("readelf", "binutils"), "-d", library).stdout
        test.check(f"{library.name}: soname", f"[libcudart.so.{version}]", "", f"soname: [libcudart.so.{version}]" in soname)


def nvcc(test):
    compiler = next((p for p in ("/usr/local/cuda/bin/nvcc", "/usr/bin/nvcc") if pathlib.Path(p).exists()), None)
    if not compiler:
        test.skip("nvcc is not installed")
    architecture = ["-gencode", "arch=compute_80,code=[sm_80,compute_80]"]
    for name, options in (("calls", ["-no-compress"]), ("uncoalesced", ["-compress-mode=speed"]), ("divergence", [])):
        made = test.run(compiler, "-cudart", "shared", "-lineinfo", *architecture, *options, "-o", name, HERE / f"{name}.cu",
                        env={"PATH": f"{pathlib.Path(compiler).parent}:/usr/bin:/bin", "TMPDIR": str(test.work)})
        if not test.check(f"nvcc {name}", 0, made.stderr, made.returncode == 0):
            continue
        how = f", built by nvcc {' '.join(options)}".rstrip()
        if name == "calls":
            calls_of(test, test.work / name, how)
        else:
            planted_pair(test, name, test.work / name, how)
    # What cannot be run is told before it is started.
    for options, says in ((["-cudart", "static", *architecture], "has NVIDIA's CUDA runtime linked into it"),
                          (["-cudart", "shared", "-gencode", "arch=compute_80,code=sm_80"], "has no PTX inside")):
        made = test.run(compiler, *options, "-o", "cannot", HERE / "divergence.cu",
                        env={"PATH": f"{pathlib.Path(compiler).parent}:/usr/bin:/bin", "TMPDIR": str(test.work)})
        done = test.run(test.kymo, "gpu", "run", "--", test.work / "cannot", "bad")
        test.check(f"built with {options[-1]}", f"4, {says}", (made.returncode, done.returncode, done.stderr),
                   made.returncode == 0 and done.returncode == 4 and says in done.stderr)


def machine_code(test):
    """--machine-code: the instructions of a stored cubin; what is said where there is no ptxas; a program's own code."""
    ptx = HERE.parents[2] / "unit" / "gpu" / "ptx" / "rows.ptx"
    cubin = HERE.parents[2] / "fuzz" / "gpu" / "inputs" / "sass" / "good-rows.cubin"
    launch = ["--gpu", "a100-pcie", "--block", "32", "--args", "f32[256]=random", "f32[128]", "7", "32", "--json"]
    nowhere = {"KYMO_PTXAS": "/nowhere/ptxas", "PATH": "/usr/bin:/bin"}

    def first_kernel(*words, env=None):
        done = test.run(test.kymo, "gpu", "run", *words, env=env or nowhere)
        kernels = json.loads(done.stdout)["kernels"] if done.returncode == 0 else [{}]
        return done, kernels[0]

    done, kernel = first_kernel(ptx, *launch, "--machine-code", cubin)
    test.equal("a cubin: exit status, what is said", (0, ""), (done.returncode, done.stderr))
    test.equal("a cubin: each of its instructions once", 67, kernel.get("warp_instructions", 0) + kernel.get("masked_instructions", 0))
    estimated = first_kernel(ptx, *launch)[1]
    done, kernel = first_kernel(ptx, *launch, "--machine-code", "auto")
    test.equal("no ptxas: exit status, lines said", (0, 1), (done.returncode, done.stderr.count("\n")))
    test.check("no ptxas: it is said", "there is no ptxas", done.stderr, "there is no ptxas" in done.stderr)
    test.equal("no ptxas: the estimate", estimated, kernel)
    test.equal("no such cubin", 3, first_kernel(ptx, *launch, "--machine-code", test.work / "none.cubin")[0].returncode)
    made = test.run(test.kymo, "gpu", "trace", ptx, *launch[2:-1], "-o", test.work / "rows.kgt")
    test.equal("a trace of it", 0, made.returncode)
    test.equal("a trace has its schedule", 2, first_kernel(test.work / "rows.kgt", "--machine-code", "auto")[0].returncode)
    path = program(test, "divergence")
    done = test.run(test.kymo, "gpu", "run", *GPU, "--machine-code", "auto", "--", path, "bad", env=nowhere)
    test.equal("a program, no ptxas: exit status, lines said", (0, 1), (done.returncode, done.stderr.count("\n")))
    test.check("a program, no ptxas: it is said", "there is no ptxas", done.stderr, "there is no ptxas" in done.stderr)
    test.equal("a program with a cubin named", 2, first_kernel("--machine-code", cubin, "--", path, "bad")[0].returncode)
    compiler = pathlib.Path("/usr/local/cuda/bin/nvcc")
    if not compiler.exists():
        return
    tools = {"PATH": f"{compiler.parent}:/usr/bin:/bin", "TMPDIR": str(test.work)}
    built = test.run(compiler, "-cudart", "shared", "-lineinfo", "-gencode", "arch=compute_90,code=[sm_90,compute_90]", "-o", "own",
                     HERE / "divergence.cu", env=tools)
    test.equal("nvcc", (0, ""), (built.returncode, built.stderr))
    for what, binary, environment in (("the program's own code", test.work / "own", nowhere), ("ptxas", path, tools)):
        done = test.run(test.kymo, "gpu", "run", *GPU, "--json", "--machine-code", "auto", "--", binary, "bad", env=environment)
        test.equal(f"{what}: exit status, what is said", (0, "right"), (done.returncode, done.stderr.strip()))
        told = json.loads(done.stdout[done.stdout.find("{"):])
        test.equal(f"{what}: problems", [], told["problems"])
        opcodes = {one["opcode"] for one in told["kernels"][0]["instructions"]}
        test.check(f"{what}: instructions that only machine code has", "LDC, IMAD", sorted(opcodes), {"LDC", "IMAD"} <= opcodes)


PARTS = {"machine_code": machine_code, "calls": calls, "planted": planted, "outputs": outputs, "mistakes": mistakes, "relocatable": relocatable, "waits": waits, "checks": checks, "symbols": symbols, "real": real, "nvcc": nvcc}
main(lambda test: PARTS[test.arguments[0]](test))
