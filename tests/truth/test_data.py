"""Conditions on the program's own data: variables, members, elements, bit-fields, thread-local ones, parameters, as GCC and Clang describe
them; pointers that lead nowhere fault nobody; what cannot be read is refused, by its place in the description."""

import json
import pathlib
import shutil

from harness import main

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
TURNS = range(1000)
GOOD = [i for i in TURNS if i % 100 > 2]  # `grid` leads to the grid
LAST = 999  # what the thread's 100 calls find, and the parent's last one; the child's one finds level 77
SAME = 102


def count(test, of=TURNS, same=SAME):
    """Calls of step() with a fact of the turn: those of the loop, and the others where the last turn has it."""
    return sum(1 for i in of if test(i)) + (same if test(LAST) else 0)


# (point and condition, calls with it)
COUNTS = {
    "at entry step when grid->level == 3": count(lambda i: i % 10 == 3, GOOD),
    "at entry step when 3 == grid->level": count(lambda i: i % 10 == 3, GOOD),
    "at entry step when grid->level == 77": 1,
    "at entry step when not grid->level == 3": count(lambda i: i % 10 != 3, GOOD),
    "at entry step when grid == null": 10,
    "at entry step when grid == null or grid->level == 3": 10 + count(lambda i: i % 10 == 3, GOOD),
    "at entry step when own_grid.level > 990": 9 + SAME - 1,
    "at entry step when own_grid.level == 77": 2,
    "at entry step when mode == 2": 250,
    "at entry step when mode == grid->level": count(lambda i: i % 4 == i % 10, GOOD),
    "at entry step when worker == 7": 100,
    "at entry step when shared_worker == 70": 100,
    "at entry step when grid->cells[2].depth < -500": count(lambda i: i > 500, GOOD),
    "at entry step when grid->cells[1].flag == 5": count(lambda i: i % 8 == 5, GOOD),
    "at entry step when grid->cells[1].lag < 0": count(lambda i: i % 16 < 8, GOOD),
    "at entry step when grid->cells[3].big == 0x8000000000": count(lambda i: i % 40 == 39, GOOD),
    "at entry step when grid->u >= 900": count(lambda i: i >= 900, GOOD),
    "at entry step when grid->next->level == 0": count(lambda i: True, GOOD),
    "at entry step when grid->next->next->level == 0": 0,
    "at entry step when color < 0": count(lambda i: i % 2 == 1),
    "at entry step when byte == 250": 1000 + SAME,
    "at entry step when list[4] > 995": count(lambda i: i > 995),
    "at entry step when *list == 0": 1000 + SAME,
    "at entry step when *number == 0": 0,
    "at entry step when shared_level == 2": count(lambda i: i % 3 == 2),
    "at entry step when turn < 0": 2,
    "at entry step when turn == 5 and from->level == 5": 1,
    "at entry mixed when far > 500 and letter == 97": 499,
    "at entry shared_step when mode == 41": 499,
    "at exit shared_step when mode == 41": 500,
    "at entry other_step when mode >= 1000": 7,
    "at exit step when lock-wait >= 0": 1000 + SAME,
    "at entry step when waits > 1000000": 0,
    "at line data.c:LINE when mode == 1": 250,
    "at line data.c:LINE when ::letter == 3": 1000,
    "at entry mixed when letter == 97": 1000,
    "at entry mixed when ::letter == 3": 1000,
    "at exit mixed when ::letter == 3": 1000,
    "at entry outer when deep == 0": sum(1 for i in TURNS if (i + i % 4) % 10 == 0),
    "at entry plugin_end in PLUGIN when plugin_level == 2": 20,
}
SUMS = {"at entry step : add grid->level": sum(i % 10 for i in GOOD) + 9 * 101 + 77, "at entry step : sub own_grid.n, add 2": 2 * (1000 + SAME)}

REFUSED = {
    "when grids->level == 3": "1:32: no variable or parameter 'grids'",
    "when grid.level == 3": "1:32: 'grid' is a pointer: write grid->level",
    "when own_grid->level == 3": "1:32: 'own_grid' is a struct grid, not a pointer: write own_grid.level",
    "when grid->levels == 3": "1:32: 'grid' is a struct grid, without a member 'levels'; it has n, level, cells, next",
    "when own_grid == 3": "1:32: 'own_grid' is a struct grid; name a member: n, level, cells, next",
    "when grid->f > 1": "1:32: 'grid->f' is of type float; whole numbers are all that can be compared",
    "when temperature > 1": "1:32: 'temperature' is of type double",
    "when list > 1": "1:32: 'list' is an array; name an element: list[0]",
    "when list[5] > 1": "1:32: 'list' has 5 elements, from 0",
    "when table[0] == 1": "1:32: 'table' has 2 dimensions",
    "when mode->x": "1:32: 'mode' is of type int, not a pointer",
    "when *mode == 1": "1:32: 'mode' is of type int, not a pointer",
    "when lock-waits > 1": "1:32: no metric 'lock-waits'; did you mean 'lock-wait'?",
    "when worker == 1 or in_fo == 2": "1:47: no variable or parameter 'in_fo'",
}
# What the source means by a name, and cannot be read, is not taken for a variable that it hides. (point, reason)
HIDDEN = {
    "at exit mixed when letter == 3": "'letter' is a parameter, and parameters can be read at entries only; ::name",
    "at line data.c:LINE when letter == 3": "'letter' is a parameter, and parameters can be read at entries only",
    "at line data.c:LOCAL when keep == 4": "'keep' is a local variable, which cannot be read",
    "at line data_inline.h:HEADER when mode == 2": "a name in it means different variables at the line's places",
}
HIDDEN_IN_CLASSES = {
    "at entry solver::Grid::step when n == 1": "'n' is a member of the object: write this->n",
    "at exit solver::Grid::step when depth == 1": "'depth' is a member of the object: write this->depth",
}
CLASSES = {
    "solver::level == 3": 25,
    "level == 3": 25,
    "solver::Grid::count >= 90": 10,
    "Grid::count >= 90": 10,
    "hidden == 1": 20,
    "grid.depth == 2": 33,
    "same.depth == 2": 33,
    "same.n < -95": 4,
    "this->n == -50": 1,
    "::n == 5": 100,
    "this->is_open": 50,
    "other.depth == 7": 1,
    "ready._M_i == 9": 10,
}
NOPS = r'__asm__ volatile(".rept 8\n nop\n.endr" ::: "memory");'


def measured(test, points, *command, options=()):
    """The values of metrics, each with one statement; the text that was told where there are none."""
    lines = [f"metric m{i} {{ {point} }}" for i, point in enumerate(points)]
    (test.work / "data.kym").write_text("\n".join(lines) + "\n")
    shutil.rmtree(test.work / "data.kymo", ignore_errors=True)
    done = test.run(test.kymo, "measure", "--json", "-q", "-o", test.work / "data.kymo", test.work / "data.kym", "--", *command, *options)
    if done.returncode != 0 or not done.stdout.startswith("{"):
        return f"{done.returncode}: {done.stderr}"
    values = json.loads(done.stdout)["metrics"]
    return {point: values[f"m{i}"]["value"] for i, point in enumerate(points)}


def build(test, compiler, *flags):
    """The program with its library and its plugin; where they are."""
    folder = test.work / "built"
    shutil.rmtree(folder, ignore_errors=True)
    test.must("mkdir", folder)  # as whoever the test is run as
    test.must(compiler, *flags, "-fPIC", "-shared", "-o", folder / "libshared.so", PROGRAMS / "data_shared.c")
    test.must(compiler, *flags, "-fPIC", "-shared", "-o", folder / "plugin.so", PROGRAMS / "data_plugin.c")
    test.must(compiler, *flags, "-o", folder / "data", PROGRAMS / "data.c", PROGRAMS / "data_other.c", folder / "libshared.so", f"-Wl,-rpath,{folder}",
              "-lpthread", "-ldl")
    return folder


def with_lines(point):
    """The numbers of lines that the programs mark."""
    for file, mark in (("data.c", "LINE"), ("data.c", "LOCAL"), ("data_inline.h", "HEADER")):
        text = (PROGRAMS / file).read_text()
        point = point.replace(f"{file}:{mark}", f"{file}:{1 + text[:text.index(f'/* {mark} */')].count(chr(10))}")
    return point


def check_counts(test, compiler, *flags):
    folder = build(test, compiler, *flags)
    what = " ".join((compiler, *flags))
    wanted = {f"{point} : add": value for point, value in COUNTS.items()} | SUMS
    wanted = {with_lines(point).replace("PLUGIN", str(folder / "plugin.so")): value for point, value in wanted.items()}
    told = measured(test, list(wanted), folder / "data", folder / "plugin.so")
    if not isinstance(told, dict):
        test.equal(what, "counts", told)
        return folder
    for point, value in wanted.items():
        test.equal(f"{what}: {point}", value, told[point])
    return folder


def check_refused(test, folder):
    for condition, message in REFUSED.items():
        told = measured(test, [f"at entry step {condition} : add"], folder / "data", folder / "plugin.so")
        test.check(condition, message, told, f"data.kym:{message}" in str(told))
    for point, reason in HIDDEN.items():
        told = measured(test, [f"{with_lines(point)} : add"], folder / "data", folder / "plugin.so")
        test.check(point, f"refused: {reason}", told, str(told).startswith("6:") and reason in str(told))
    told = measured(test, ["at entry main when mode == 2 : add", "at entry run when ::mode == 2 : add"], folder / "data", folder / "plugin.so")
    test.check("a name of three files means the function's own", "counts", told, isinstance(told, dict))
    told = measured(test, [f"at entry plugin_step in {folder / 'plugin.so'} when plugin_worker == 2 : add"], folder / "data", folder / "plugin.so")
    test.check("thread-local in what is loaded later", "refused", told, "is thread-local in a library that is loaded later" in str(told))
    told = measured(test, [f"at entry plugin_step in {folder / 'plugin.so'} when mode == 2 : add"], folder / "data", folder / "plugin.so")
    test.check("three variables of one name", "refused, with their files", told,
               "3 variables have the name 'mode'" in str(told) and all(file in str(told) for file in ("data.c", "data_other.c", "data_shared.c")))
    test.must("strip", "-g", folder / "data", folder / "libshared.so")
    told = measured(test, ["at entry step when mode == 2 : add"], folder / "data", folder / "plugin.so")
    test.check("no debug information", "refused, with the remedy", told, "data has no debug information (compile with -g)" in str(told))


def check_optimised_away(test):
    (test.work / "away.c").write_text(f"static int unused = 3;\nstatic int never;\n__attribute__((noinline)) void step(void) {{ {NOPS} }}\n"
                                      "int main(void) { if (unused != 3) step(); never = 1; step(); return 0; }\n")
    test.must("cc", "-O2", "-g", "-w", "-o", test.work / "away", test.work / "away.c")
    for name in ("unused", "never"):
        told = measured(test, [f"at entry step when {name} == 3 : add"], test.work / "away")
        test.check(f"optimised away: {name}", "refused, with the reason", told, "optimised away" in str(told) or "made a constant" in str(told))


def check_classes(test, compiler, *flags):
    program = test.work / "classes"
    test.must(compiler, *flags, "-o", program, PROGRAMS / "data_classes.cpp")
    told = measured(test, [f"at entry solver::Grid::step when {condition} : add" for condition in CLASSES], program)
    for point, reason in HIDDEN_IN_CLASSES.items():
        refused = measured(test, [f"{point} : add"], program)
        test.check(point, f"refused: {reason}", refused, str(refused).startswith("6:") and reason in str(refused))
    for condition, value in CLASSES.items():
        test.equal(f"{compiler} {' '.join(flags)}: {condition}", value,
                   told[f"at entry solver::Grid::step when {condition} : add"] if isinstance(told, dict) else told)


def check_static(test):
    """The kernel's probes read none: said before the program starts, to those who may have probes and to those who may not."""
    (test.work / "static.c").write_text(f"int mode;\n__attribute__((noinline)) void step(void) {{ {NOPS} }}\nint main(void) {{ step(); return 0; }}\n")
    test.must("cc", "-O1", "-g", "-static", "-o", test.work / "static", test.work / "static.c")
    told = measured(test, ["at entry step when mode == 0 : add"], test.work / "static")
    test.check("a static program's data", "refused, with the reason", told, "need a monitor in it" in str(told))
    told = measured(test, ["at entry step when lock-wait == 0 : add"], test.work / "static")
    test.check("a static program's standard metrics", "refused, with the reason", told, "are filled in by a monitor" in str(told))


def body(test):
    check_counts(test, "gcc", "-g", "-O0")
    check_counts(test, "gcc", "-gdwarf-4", "-O2", "-no-pie", "-fno-pie")
    folder = check_counts(test, "gcc", "-g", "-O2", "-gsplit-dwarf")
    check_refused(test, folder)
    check_optimised_away(test)
    check_classes(test, "g++", "-g", "-O0")
    check_classes(test, "g++", "-g", "-O2")
    clang = next((name for name in ("clang-19", "clang") if shutil.which(name)), None)
    if clang is not None:
        check_counts(test, clang, "-gdwarf-5", "-O2")
        check_classes(test, clang + "++" if clang == "clang" else "clang++-19", "-g", "-O1")
    check_static(test)


main(body)
