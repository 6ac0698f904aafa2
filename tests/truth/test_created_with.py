"""What a thread was created with: the caller's registers, floating-point state, blocked signals and call path, as the program has set
them (by instructions of its own) and as report --json and report --thread tell them."""

import pathlib
import platform

from harness import main, plain

PRESERVED = {"rbx": 0x0303030303030303, "rbp": 0x0606060606060606, "r12": 0x1212121212121212, "r13": 0xF313131313131313, "r14": 0x1414141414141414,
             "r15": 0}
BLOCKED = ["SIGUSR2", "SIGCHLD", "SIGRTMIN+1"]
XMM9 = "0x112233445566778899aabbccddeeff00"


def line_of_call():
    source = pathlib.Path(__file__).parent / "programs" / "created_with.c"
    return next(number for number, text in enumerate(source.read_text().splitlines(), 1) if "// LINE" in text)


def json_of(test, truth, report):
    threads = {thread["tid"]: thread for thread in report["threads"]}
    test.equal("threads", sorted([truth["creator"], truth["tid"]]), sorted(threads))
    test.equal("of the first thread nothing is known", None, threads[truth["creator"]]["created_with"])
    test.equal("who created the second", truth["creator"], threads[truth["tid"]]["creator_tid"])
    state = threads[truth["tid"]]["created_with"]
    test.equal("whose registers", "caller", state["registers_of"])
    seen = state["registers"]
    test.equal("registers that a call preserves", PRESERVED, {name: int(seen[name], 16) for name in PRESERVED})
    test.equal("rsp", int(truth["stack_pointer"], 16), int(seen["rsp"], 16))
    rest = ("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11")
    test.equal("all others are not known", dict.fromkeys(rest), {name: seen[name] for name in rest})
    test.equal("these are all", 16, len(seen))
    for key in ("stack_pointer", "program_counter"):
        test.equal(key, truth[key], state[key])
    floating = state["floating"]
    test.equal("MXCSR", 0xBF80, int(floating["mxcsr"], 16))
    test.equal("rounding", "down", floating["rounding"])
    test.equal("flush to zero, denormals are zero", (True, False), (floating["flush_to_zero"], floating["denormals_are_zero"]))
    test.equal("unmasked exceptions", [], floating["unmasked_exceptions"])
    test.equal("x87 control word, as the system begins with it", 0x37F, int(floating["x87_control"], 16))
    test.equal("vector registers", 16, len(floating["vectors"]))
    test.equal("xmm9, xmm3", (XMM9, "0x" + 32 * "0"), (floating["vectors"]["xmm9"], floating["vectors"]["xmm3"]))
    test.equal("blocked signals", BLOCKED, state["blocked_signals"])
    path = state["call_path"]
    test.equal("call path", ["main", "start_worker", "create_known"], [plain(place["function"]) for place in path])
    test.equal("the line that calls", ("created_with.c", line_of_call()), (pathlib.Path(path[1]["file"]).name, path[1]["line"]))
    test.equal("a place without a line says so", (None, None), (path[2]["file"], path[2]["line"]))


def text_of(test, truth, path):
    text = test.must(test.kymo, "report", "--thread", truth["tid"], path)
    print(text)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    for name, value in PRESERVED.items():
        test.check(f"{name} in the text", f"{value:#018x}", None, f"{name} {value:#018x}" in lines)
    for name, value in (("stack pointer", truth["stack_pointer"]), ("program counter", truth["program_counter"])):
        test.check(f"{name} in the text", value, None, f"{name} {int(value, 16):#018x}" in lines)
    test.check("no register that is not known", "no rax", None, not any(line.startswith("rax") for line in lines))
    test.check("blocked signals in the text", BLOCKED, None, f"blocked signals {', '.join(BLOCKED)}" in lines)
    test.check("rounding in the text", "down", None, "rounding down" in lines)
    test.check("xmm9 in the text", XMM9, None, f"xmm9 {XMM9}" in lines)
    test.check("the line that calls in the text", line_of_call(), None, any(line.startswith(f"start_worker created_with.c:{line_of_call()}") for line in lines))
    test.check("its creator in the text", truth["creator"], None, any(f"by thread {truth['creator']} created_with" in line for line in lines))
    first = test.must(test.kymo, "report", "--thread", truth["creator"], path)
    test.check("of the first thread: nothing is known", "not known", None, "what it was created with is not known" in first)


def wrong_of(test, truth, path):
    done = test.run(test.kymo, "report", "--thread", "1", path)
    test.check("an unknown number is refused", "not 0", done.returncode, done.returncode != 0)
    test.check("and the threads are named", truth["tid"], done.stderr, f"{truth['tid']} made" in done.stderr and f"{truth['creator']} created_with" in done.stderr)


def body(test):
    if platform.machine() != "x86_64":
        test.skip("the program's registers are those of x86-64")
    truth, report, path = test.recorded_truth("created_with")
    test.equal("the thread was created", 0, truth["error"])
    json_of(test, truth, report)
    text_of(test, truth, path)
    wrong_of(test, truth, path)


main(body)
