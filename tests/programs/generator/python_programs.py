"""Programs in Python: threads or processes over items; kernels and defects of their own."""

from .code import fill, indent
from .defect import structural

KERNELS = [  # (text in key and n, nanoseconds a unit)
    ("value = key | 1\nfor i in range($n):\n    value = (value * $a + i) & 0xFFFFFFFF\nreturn value", 70),
    ("total = 0\nfor i in range($n):\n    total += (key >> (i & 15)) ^ i\nreturn total & 0xFFFFFFFF", 70),
    ("row = [(key >> (i & 15)) + i for i in range($n)]\nrow.sort(key=lambda cell: cell * $a % 1009)\nreturn sum(row[:7]) & 0xFFFFFFFF", 220),
    ("seen = {}\nfor i in range($n):\n    seen[(key + i * $a) % 97] = i\nreturn sum(seen.values()) & 0xFFFFFFFF", 90),
    ("text = str(key) * 3\ncount = 0\nfor i in range($n):\n    if text[i % len(text)] == '7':\n        count += i\nreturn count", 75),
]


def _function(p, body, params="key"):
    name = p.names.function()
    p.add(f"def {name}({params}):\n{indent(body)}")
    p.functions.append(name)
    return name


def _kernel(p, nanoseconds):
    text, cost = p.rng.choice(KERNELS)
    name = _function(p, fill(text, n=max(2, round(nanoseconds / cost)), a=p.rng.randrange(3, 999, 2)))
    for _ in range(p.rng.choice([0, 1, 2])):
        name = _function(p, f"return {name}(key ^ {p.rng.randint(1, 999)}) + 1")
    return name


def run(p, plan, item, threads, uneven=""):
    """main: items by threads or by processes; item is the name of a function of one number."""
    if threads is None:
        total = p.names.variable()
        p.add(fill("""
            def main():
                $total = 0
                for i in range($n):
                    $total += $item(i)
                print($total)


            if __name__ == "__main__":
                main()""", total=total, n=plan.items, item=item))
        return ["main"]
    name = p.names.function()
    lower = "for i in range(w * %d // 2, (w + 1) * %d // 2)" % (plan.items, plan.items)
    part = uneven or lower
    body = f"total = 0\n{part}:\n    total += {item}(i)\nreturn total"
    p.add(f"def {name}(w):\n{indent(body)}")
    p.functions.append(name)
    pool = {"threads": "ThreadPoolExecutor", "processes": "ProcessPoolExecutor"}
    p.add(fill("""
        def main():
            with «$bad¦$fixed»(2) as crew:
                print(sum(crew.map($name, range(2))))


        if __name__ == "__main__":
            main()""", bad=pool[threads[0]], fixed=pool[threads[1]], name=name))
    p.add_import("from concurrent.futures import «%s¦%s»" % (pool[threads[0]], pool[threads[1]]) if threads[0] != threads[1] else f"from concurrent.futures import {pool[threads[0]]}")
    return [name, "main"]


PLACES = ("py-plain", "py-processes")


def _who(p):
    return None if p.topology == "py-plain" else ("processes", "processes")


def _with(p, plan, bad_ns, fixed_ns, body_of, kinds, per_item=40):
    """A local defect: body_of(n) is the body of a function of key; costs are of a unit."""
    wall = p.rng.uniform(0.9, 1.5) * 1e9 * (1 if p.topology == "py-plain" else 2)
    ratio = p.rng.uniform(1.4, 2.8)
    units = wall * (1 - 1 / ratio) / (bad_ns - fixed_ns)
    units = min(units, 0.85 * wall / bad_ns)
    n = max(1, min(per_item, round(units / 20)))
    plan.items = max(20, round(units / n))
    name = _function(p, body_of(n))
    decoy = _kernel(p, max(1000.0, (wall - units * bad_ns) / plan.items))
    calls = [f"{name}(key)", f"{decoy}(key + 1)"]
    p.rng.shuffle(calls)
    item = _function(p, f"key = i * 2654435761 & 0xFFFFFFFF\nreturn {' + '.join(calls)}", "i")
    run(p, plan, item, _who(p))
    return [{"kinds": kinds, "functions": [name, item]}], ratio


@structural("interpreter-lock", ("py-threads",))
def computing_threads(p, plan, info):
    plan.items = p.number(50, 2000)
    wall = p.rng.uniform(0.9, 1.6) * 1e9
    first, second = _kernel(p, wall * 0.7 / plan.items), _kernel(p, wall * 0.3 / plan.items)
    item = _function(p, f"key = i * 2654435761 & 0xFFFFFFFF\nreturn {first}(key) + {second}(key + 1)", "i")
    run(p, plan, item, ("threads", "processes"))
    return [{"kinds": ["interpreter-lock"], "functions": ["*"]}], 1.9


@structural("syscall-storm", PLACES)
def py_writes(p, plan, info):
    p.add_import("import os")
    return _with(p, plan, 1800, 150, lambda n: fill("""
        out = os.open("/dev/null", os.O_WRONLY)
        «¦parts = []»
        for i in range($n):
            «os.write(out, b"%d" % (key + i))¦parts.append(b"%d" % (key + i))»
        «¦os.write(out, b"".join(parts))»
        os.close(out)
        return key & 7""", n=n), ["syscall-storm", "small-io"], 200)


@structural("quadratic", PLACES)
def py_front(p, plan, info):
    size = p.rng.choice([8000, 16000])
    p.add_import("from collections import deque")
    return _with(p, plan, size * 0.22, 60, lambda n: fill("""
        line = «list¦deque»(range($size))
        total = 0
        for i in range($n):
            total += line.«pop(0)¦popleft()» * (key & 3)
            line.append(i)
        return total & 0xFFFF""", n=n, size=size), ["quadratic", "copying"], 800)


@structural("repeated-work", PLACES)
def py_again(p, plan, info):
    p.add_import("import functools")
    inner = p.names.function()
    p.add(fill("""
        «¦@functools.lru_cache(maxsize=None)»
        def $inner(number):
            total = 0
            for i in range(200):
                total = (total * 31 + number + i) & 0xFFFF
            return total""", inner=inner))
    made = _with(p, plan, 14000, 80, lambda n: f"total = 0\nfor i in range({n}):\n    total += {inner}((key >> 3) % 17)\nreturn total", ["repeated-work"], 40)
    made[0][0]["functions"].append(inner)
    return made


@structural("exceptions-as-control-flow", PLACES)
def py_raised(p, plan, info):
    return _with(p, plan, 900, 110, lambda n: fill("""
        texts = ("12", "x7", "a", "31", "y", "z9", "q")
        total = 0
        for i in range($n):
            text = texts[(key + i) % 7]
            «try:
                total += int(text)
            except ValueError:
                total += 1¦total += int(text) if text.isdigit() else 1»
        return total""", n=n), ["exceptions-as-control-flow"], 400)


@structural("process-churn", PLACES)
def py_spawned(p, plan, info):
    p.add_import("import subprocess")
    return _with(p, plan, 6e6, 500, lambda n: fill("""
        total = 0
        for i in range($n):
            «total += int(subprocess.run(["echo", str(key & 255)], capture_output=True, check=True).stdout)¦total += key & 255»
        return total""", n=n), ["process-churn"], 2)


@structural("load-imbalance", ("py-processes",))
def py_shares(p, plan, info):
    plan.items = p.number(50, 2000) // 12 * 12 + 12
    wall = p.rng.uniform(0.9, 1.4) * 2e9
    kernel = _kernel(p, wall / plan.items)
    item = _function(p, f"return {kernel}(i * 2654435761 & 0xFFFFFFFF)", "i")
    part, of = p.rng.choice([(3, 4), (5, 6), (1, 4)])
    cut = plan.items // of * part
    places = run(p, plan, item, ("processes", "processes"),
                 f"for i in «(range({cut}) if w == 0 else range({cut}, {plan.items}))¦range(w, {plan.items}, 2)»")
    return [{"kinds": ["load-imbalance"], "functions": [*p.functions, *places]}], 1.5
