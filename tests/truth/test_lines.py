"""Source-line points: programs are generated whose every line runs a known number of times; kymo must count exactly that.

The generator writes nested loops with breaks and continues, conditions, switches, functions that are inlined and that are not,
recursion and cleanup on the way, in several files, threads and a plugin, and runs the same account itself. They are compiled without and with
optimisation (unrolled, inlined, split into hot and cold parts): each statement changes a volatile number, so a compiler may
move and copy it but must run it as often as the source says.
"""

import json
import random
import re

from harness import main

THREADS = 3


class Program:
    """One source file: its text and, by line, how often each statement runs."""

    def __init__(self, seed, name):
        self.random = random.Random(seed)
        self.name = name
        self.lines = []
        self.counts = {}
        self.functions = []  # each a list of statements to walk through

    def emit(self, text, depth=0):
        self.lines.append("    " * depth + text)
        return len(self.lines)

    def step(self, depth, variable):
        # No two alike: compilers make one of what is the same.
        line = self.emit(f"sink {self.random.choice(['+=', '^=', '-='])} {variable} + {1000 + len(self.lines)};", depth)
        return ("step", line)

    def block(self, depth, variables, callees):
        made = [self.step(depth, variables[-1])]
        for _ in range(self.random.randrange(1, 4)):
            kind = self.random.choice(["loop", "if", "switch", "step", "call", "while"]) if depth < 4 else "step"
            if kind == "step":
                made.append(self.step(depth, variables[-1]))
            elif kind == "call" and callees:
                callee = self.random.choice(callees)
                self.emit(f"{callee[0]}({self.random.randrange(1, 6)} + (int)({variables[-1]} & 1));", depth)
                number = int(re.search(r"\((\d+) \+", self.lines[-1])[1])
                made.append(("call", callee, number, variables[-1]))
            elif kind == "loop":
                own, turns = f"i{depth}", self.random.randrange(2, 7)
                self.emit(f"for (int {own} = 0; {own} < {turns}; ++{own}) {{", depth)
                leave = self.random.choice([None, "break", "continue"])
                at = self.random.randrange(turns)
                first = self.step(depth + 1, own)
                if leave:
                    self.emit(f"if ({own} == {at})", depth + 1)
                    self.emit(f"{leave};", depth + 2)
                made.append(("loop", own, turns, first, leave, at, self.block(depth + 1, variables + [own], callees)))
                self.emit("}", depth)
            elif kind == "while":
                own, turns = f"w{depth}_{len(self.lines)}", self.random.randrange(1, 9)
                self.emit(f"int {own} = {turns};", depth)
                self.emit(f"while ({own} > 0) {{", depth)
                body = self.step(depth + 1, own)
                self.emit(f"{own} -= 2;", depth + 1)
                self.emit("}", depth)
                made.append(("while", turns, body))
            elif kind == "if":
                own, by, rest = variables[-1], self.random.randrange(2, 4), self.random.randrange(2)
                self.emit(f"if ({own} % {by} == {rest}) {{", depth)
                yes = self.block(depth + 1, variables, callees)
                self.emit("} else {", depth)
                no = self.step(depth + 1, own)
                self.emit("}", depth)
                made.append(("if", own, by, rest, yes, no))
            elif kind == "switch":
                own = variables[-1]
                self.emit(f"switch ({own}) {{", depth)
                cases = {}
                for value in range(6):
                    self.emit(f"case {value}:", depth + 1)
                    cases[value] = self.step(depth + 2, own)
                    self.emit("break;", depth + 2)
                self.emit("default:", depth + 1)
                cases[None] = self.step(depth + 2, own)
                self.emit("}", depth)
                made.append(("switch", own, cases))
        return made

    def function(self, name, kind, callees, calls_all=False):
        self.emit(f"{kind} void {name}(int n) {{")
        body = [self.step(1, "n")]
        if self.random.random() < 0.4 and "inline" not in kind:
            self.emit("if (n > 0) {", 1)
            inner = self.step(2, "n")
            self.emit(f"{name}(n - 1);", 2)
            self.emit("}", 1)
            body.append(("again", inner, name))
        body += self.block(1, ["n"], callees)
        for callee in callees if calls_all else ():
            self.emit(f"{callee[0]}(n & 3);", 1)
            body.append(("call all", callee))
        self.emit("}")
        self.functions.append((name, body))
        return (name, body)

    # ---- the account

    def execute(self, body, values):
        for kind, *what in body:
            if kind == "step":
                self.counts[what[0]] = self.counts.get(what[0], 0) + 1
            elif kind == "call":
                (_, callee), number, variable = what
                self.execute(callee, {"n": number + (values[variable] & 1)})
            elif kind == "call all":
                self.execute(what[0][1], {"n": values["n"] & 3})
            elif kind == "again":
                inner, name = what
                if values["n"] > 0:
                    self.execute([inner], values)
                    self.execute(dict(self.functions)[name], {"n": values["n"] - 1})
            elif kind == "loop":
                own, turns, first, leave, at, inner = what
                for turn in range(turns):
                    self.execute([first], values)
                    if leave and turn == at:
                        if leave == "break":
                            break
                        continue
                    self.execute(inner, {**values, own: turn})
            elif kind == "while":
                turns, inner = what
                for _ in range((turns + 1) // 2):
                    self.execute([inner], values)
            elif kind == "if":
                own, by, rest, yes, no = what
                self.execute(yes if values[own] % by == rest else [no], values)
            elif kind == "switch":
                own, cases = what
                self.execute([cases.get(values[own], cases[None])], values)

    def steps(self):
        """The lines of all steps, run or not."""
        return [number for number, line in enumerate(self.lines, 1) if "sink " in line and "volatile" not in line]


def generate(seed, name, export):
    program = Program(seed, name)
    program.emit("static volatile long sink;")
    callees = []
    for i in range(4):
        kind = program.random.choice(["static inline __attribute__((always_inline))", "static", "static __attribute__((noinline))",
                                      "static __attribute__((noinline, cold))"])
        callees.append(program.function(f"{export}_{i}", kind, list(callees)))
    _, body = program.function(export, "__attribute__((noinline, visibility(\"default\")))", callees, True)
    return program, body


MAIN = """
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
void first(int n);
void second(int n);
static void* work(void* given) {
    for (int i = 0; i < *(int*)given; ++i) { first(i % 4); second(i % 3); }
    return 0;
}
int main(int argc, char** argv) {
    int turns[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; ++i) { turns[i] = 5 + i; pthread_create(&threads[i], 0, work, &turns[i]); }
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
    for (int round = 0; round < 2; ++round) {
        void* plugin = dlopen(argv[argc - 1], RTLD_NOW);
        if (!plugin) { puts(dlerror()); return 2; }
        ((void (*)(int))dlsym(plugin, "third"))(3 + round);
        dlclose(plugin);
    }
    puts("done");
    return 0;
}
""".replace("THREADS", str(THREADS))


def expected(first, second, third):
    for thread in range(THREADS):
        for i in range(5 + thread):
            first[0].execute(first[1], {"n": i % 4})
            second[0].execute(second[1], {"n": i % 3})
    for turn in range(2):
        third[0].execute(third[1], {"n": 3 + turn})


def check_program(test, compiler, seed, level):
    made = [generate(seed * 10 + k, f"{name}_{seed}.c", name) for k, name in enumerate(("first", "second", "third"))]
    expected(*made)
    for program, _ in made:
        (test.folder / program.name).write_text("\n".join(program.lines) + "\n")
    (test.folder / "main.c").write_text(MAIN)
    names = [program.name for program, _ in made]
    for command in ((["main.c", *names[:2], "-pthread", "-ldl", "-o", "lines"]), ([names[2], "-shared", "-fPIC", "-o", "third.so"])):
        built = test.run(compiler, *level, "-g", *command, prefix=[], cwd=test.folder)
        if built.returncode != 0:
            test.fail(f"compiling: {built.stderr[:500]}")
            return
    lines = [(program, line) for program, _ in made for line in program.steps()]
    plugin = f" in {test.folder}/third.so"
    refused, without, wrong, right = 0, 0, [], 0
    while lines:
        # At most 64 cells in a description; a line that cannot be had is named, and left out.
        part, lines = lines[:60], lines[60:]
        while part:
            text = "".join(f"metric m{k} {{ at line {program.name}:{line}{plugin if program is made[2][0] else ''} : add }}\n" for k, (program, line) in enumerate(part))
            (test.work / "lines.kym").write_text(text)
            done = test.run(test.kymo, "measure", "--json", "-q", "-o", test.work / "lines.kymo", "lines.kym", "--",
                            test.folder / "lines", test.folder / "third.so")
            told = {int(k): what for k, what in re.findall(r"lines\.kym:(\d+):\d+: (.*)", done.stderr)}
            if done.returncode == 0 or not told:
                break
            for k, what in told.items():
                program, line = part[k - 1]
                if what.startswith(f"no line {line} in {program.name}"):  # the compiler has found that it never runs
                    if program.counts.get(line, 0):
                        wrong.append(f"{program.name}:{line} {program.counts[line]} times, said to have no code")
                    without += 1
                else:
                    refused += 1
                    if not re.match(rf"{re.escape(program.name)}:{line} in \w+ (is [1-4] bytes before|its first|a call would)", what):
                        wrong.append(f"{program.name}:{line} refused: {what}")
            part = [entry for k, entry in enumerate(part, 1) if k not in told]
        if not part:
            continue
        if done.returncode != 0 or not done.stderr.startswith("done\n"):
            test.fail(f"the program ended with {done.returncode}: {done.stdout[:100]} {done.stderr[:500]}")
            return
        metrics = json.loads(done.stdout)["metrics"]
        for k, (program, line) in enumerate(part):
            count, seen = program.counts.get(line, 0), metrics[f"m{k}"]["value"]
            right += count == seen
            if count != seen:
                wrong.append(f"{program.name}:{line} {count} times, counted {seen}")
        test.run("rm", "-r", test.work / "lines.kymo")
    test.check(f"seed {seed} {' '.join(level)}: lines counted exactly ({refused} refused, {without} without code)", "all", f"{right} of {right + len(wrong)} {wrong[:5]}", not wrong)
    test.check(f"seed {seed} {' '.join(level)}: lines that could be had", f"more than {9 * refused}", right, right > max(99, 9 * refused))


HEADS = """#include <stdio.h>
volatile int sink;
static int turns(int n) {
    for (int i = 0; i < n; i += 1 + sink)
        printf("%d ", i);
    while (n > 0)
        n -= 2;
    return n;
}
int main(void) {

    int all = turns(10) + turns(3);
    if (all) puts("left"); else puts("nothing");
    return 0;
}
"""


def check_heads_and_mistakes(test, compiler):
    for folder in ("a", "b"):
        (test.folder / folder).mkdir()
    (test.folder / "a" / "heads.c").write_text(HEADS)
    (test.folder / "b" / "heads.c").write_text("int same_name(int n) {\n    return n * 3;\n}\n")
    for options, program in ((["-g", "-O1"], "heads"), (["-O1"], "no_lines"), (["-g", "-O0", "b/heads.c"], "two")):
        test.run(compiler, *options, "a/heads.c", "-o", program, prefix=[], cwd=test.folder)

    def measure(text, program):
        (test.work / "heads.kym").write_text(text)
        done = test.run(test.kymo, "measure", "--json", "-q", "-o", test.work / "heads.kymo", "heads.kym", "--", test.folder / program)
        test.run("rm", "-rf", test.work / "heads.kymo")
        return done

    # A head is come to once a turn, and once more at the end; conditions and calls on one line are one statement.
    text = "".join(f"metric m{line} {{ at line heads.c:{line} : add }}\n" for line in (5, 7, 12, 13, 14))
    done = measure(text + "metric timed unit ns { at line heads.c:12 : start\n at line heads.c:14 : stop }\n"
                   "metric in_turns { cell inside\n at entry turns : add inside\n at exit turns : sub inside\n at line heads.c:5 when inside > 0 : add }\n", "heads")
    if done.returncode != 0:
        test.fail(done.stderr)
        return
    values = {name: metric["value"] for name, metric in json.loads(done.stdout)["metrics"].items()}
    test.equal("turns of a loop", 13, values["m5"])
    test.equal("turns of a while loop", 5 + 2, values["m7"])
    test.equal("a call's line, a condition's and a return's", [1, 1, 1], [values[f"m{line}"] for line in (12, 13, 14)])
    test.check("the time between two lines, ns", "> 0", values["timed"], values["timed"] > 0)
    test.equal("lines within a function that is hooked, too", 13, values["in_turns"])
    cases = [
        ("heads", "at line heads.c:11 : add", "heads.kym:1:20: no line 11 in heads.c; the nearest with code are 10 and 12"),
        ("heads", "at line heads.c:99 : add", "heads.kym:1:20: no line 99 in heads.c; the nearest with code is 14"),
        ("heads", "at line heats.c:5 : add", "heads.kym:1:20: no source file 'heats.c'; did you mean 'heads.c'?"),
        ("heads", "at line a/heads.c:11 : add", "heads.kym:1:20: no line 11 in a/heads.c"),
        ("two", "at line heads.c:5 : add", "heads.kym:1:20: several files are called 'heads.c': "),
        ("no_lines", "at line heads.c:5 : add", "heads.kym:1:20: no source lines are known"),
        ("heads", "at line heads.c:5 in ./none.so : add", "heads.kym:1:20: no file ./none.so"),
        ("heads", "at line heads.c:5 : add arg1", "heads.kym:1:36: arguments are known at entries only"),
    ]
    for program, point, message in cases:
        done = measure(f"metric m {{ {point} }}", program)
        test.check(f"{point!r}: says where and what", message, done.stderr.strip(), done.returncode == 6 and message in done.stderr)
        test.equal(f"{point!r}: nothing ran", "", done.stdout)


def body(test):
    compiler = test.tool("gcc", "gcc")
    check_heads_and_mistakes(test, compiler)
    for seed, level in ((1, ["-O0"]), (2, ["-O1"]), (3, ["-O2"]), (4, ["-O2", "-funroll-loops"]), (5, ["-O3"]), (6, ["-O1", "-fno-pie", "-no-pie"])):
        check_program(test, compiler, seed, level)


main(body)
