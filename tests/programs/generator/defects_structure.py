"""Defects of who does what and when: uneven shares, serial sections, waiting, threads and tasks made too often."""

from . import kernels, plan as plans
from .code import fill
from .defect import structural

CPUS = 2
STATIC = ("threads", "pthreads", "openmp", "fork", "mpi")
DYNAMIC = ("pool", "futures", "tasks", "pipeline", "coroutines")


def _answer(kinds, functions):
    return [{"kinds": list(kinds), "functions": sorted(set(functions))}]


def _entry(p, plan, nanoseconds, count=None):
    calls, names = plans.add_decoys(p, nanoseconds, count)
    plans.add_entry(p, plan, calls)
    return names


def _heavy(p, plan, info, heavy_share, turns, average, kinds):
    """Items of which some take more turns; turns is text in i, average its mean."""
    cpu = p.rng.uniform(0.9, 1.5) * CPUS * 1e9
    total = plan.items * plan.steps
    callee, name = kernels.draw(p, cpu * heavy_share / total / average)
    outer, wrappers = plans.wrap(p, callee, p.rng.choice([0, 1, 2]))
    plan.profile = f"for (uint32_t turn = 0; turn < {turns}; ++turn) sum += {outer}(key + turn);"
    names = _entry(p, plan, cpu * (1 - heavy_share) / total)
    info.emit(p, plan)
    return _answer(kinds, [name, *wrappers, *names, *plan.workers_functions, *plan.waiters])


def _items(p, plan, low=400, high=8000, steps=(1, 8)):
    plan.items = p.number(low, high) // 16 * 16
    plan.steps = p.rng.randint(*steps)
    plan.items = max(64, plan.items // plan.steps // 16 * 16)


def _grown(p, plan, info, kinds):
    _items(p, plan)
    plan.strided = True
    if info.handed:
        plan.grain = f"«{plan.items // 2}u¦{plan.items // 32 or 1}u»"
    top = p.rng.choice([12, 24])
    return _heavy(p, plan, info, p.rng.uniform(0.75, 0.95), f"1 + i * {top}u / {plan.items}u", 0.5 + top / 2, kinds), 1.4


def _clustered(p, plan, info, kinds):
    _items(p, plan)
    plan.strided = True
    if info.handed:
        plan.grain = f"«{plan.items // 2}u¦{plan.items // 32 or 1}u»"
    part, times = p.rng.choice([(8, 12), (4, 8), (6, 10)])
    late = p.rng.random() < 0.5
    where = f"i >= {plan.items - plan.items // part}u" if late else f"i < {plan.items // part}u"
    return _heavy(p, plan, info, p.rng.uniform(0.8, 0.95), f"({where} ? {times}u : 1u)", 1 + (times - 1) / part, kinds), 1.5


@structural("load-imbalance", STATIC + ("pool", "futures", "tasks"), c=True)
def grown(p, plan, info):
    """Later items have more work, and threads take blocks."""
    return _grown(p, plan, info, ["load-imbalance"] + (["collective-imbalance"] if p.topology == "mpi" else []))


@structural("load-imbalance", STATIC + ("pool", "futures", "tasks"), c=True)
def clustered(p, plan, info):
    """A part of the items has far more work."""
    return _clustered(p, plan, info, ["load-imbalance"] + (["collective-imbalance"] if p.topology == "mpi" else []))


@structural("load-imbalance", ("threads", "pthreads", "fork"), c=True)
def uneven(p, plan, info):
    """Shares of unequal size."""
    _items(p, plan, steps=(2, 8))
    plan.uneven = p.rng.choice([(3, 4), (2, 3), (1, 4), (1, 3), (4, 5)])
    cpu = p.rng.uniform(0.8, 1.4) * CPUS * 1e9
    names = _entry(p, plan, cpu / plan.items / plan.steps)
    info.emit(p, plan)
    return _answer(["load-imbalance"], [*names, *plan.workers_functions, *plan.waiters]), 1.5


@structural("collective-imbalance", ("mpi",), c=True)
def ranks_grown(p, plan, info):
    return _grown(p, plan, info, ["collective-imbalance", "load-imbalance"])


@structural("collective-imbalance", ("mpi",), c=True)
def ranks_clustered(p, plan, info):
    return _clustered(p, plan, info, ["collective-imbalance", "load-imbalance"])


@structural("serial-section", ("threads", "pthreads", "openmp", "tasks", "pool", "futures", "fork", "coroutines", "mpi"), c=True)
def after_each_step(p, plan, info):
    """One thread does what all could do, after each step."""
    _items(p, plan, steps=(2, 16))
    every = p.rng.choice([2, 4, 8])
    share = p.rng.uniform(0.2, 0.6)
    cpu = p.rng.uniform(0.9, 1.4) * CPUS * 1e9
    callee, name = kernels.draw(p, cpu * share / (plan.items / every) / plan.steps)
    outer, wrappers = plans.wrap(p, callee, p.rng.choice([0, 1, 2]))
    post, pname = p.define("uint32_t place, uint32_t step", f"return {outer}(((uint64_t)place << 20) ^ step ^ {p.odd()});", dress=p.rng.choice(["static", "noinline"]))
    count = plan.items // every
    loop = f"for (uint32_t place = 0; place < {count}u; ++place) total += {post}(place, step);"
    functions = [name, *wrappers, pname]
    if p.rng.random() < 0.5:
        whole, wname = p.define("uint32_t step", f"uint64_t sum = 0;\nfor (uint32_t place = 0; place < {count}u; ++place) sum += {post}(place, step);\nreturn sum;", dress="noinline")
        loop = f"total += {whole}(step);"
        functions.append(wname)
        p._parts[-1] = "«" + p._parts[-1] + "¦»"
    plan.between = f"«{loop}¦»"
    plan.tail = f"«¦if (i % {every} == 0 && i / {every} < {count}u) sum += {post}(i / {every}, step);»"
    _entry(p, plan, cpu * (1 - share) / plan.items / plan.steps)
    info.emit(p, plan)
    return _answer(["serial-section"], [*functions, *plan.waiters]), 1 + share


@structural("serial-section", ("threads", "pthreads", "openmp", "tasks", "pool", "futures", "fork", "coroutines", "pipeline", "mpi"), c=True)
def made_first(p, plan, info):
    """A table that one thread fills before the others start, or each item's part of it by whoever needs it."""
    _items(p, plan, steps=(1, 2))
    share = p.rng.uniform(0.25, 0.5)
    cpu = p.rng.uniform(0.9, 1.4) * CPUS * 1e9
    table = p.names.variable()
    callee, name = kernels.draw(p, cpu * share / plan.items)
    outer, wrappers = plans.wrap(p, callee, p.rng.choice([0, 1, 2]))
    p.add(f"static uint64_t {table}[{plan.items}];")
    make, mname = p.define("uint32_t first, uint32_t last", f"for (uint32_t place = first; place < last; ++place) {table}[place] = {outer}(place * {p.odd()});", result="void", dress="noinline")
    plan.setup += f"«{make}(0, {plan.items}u);¦»\n"
    plan.tail = f"«¦if (step == 0) {make}(i, i + 1);»\nif (step == 0) sum += {table}[i] >> 5;"
    _entry(p, plan, cpu * (1 - share) / plan.items / plan.steps)
    info.emit(p, plan)
    return _answer(["serial-section", "cold-start"], [name, *wrappers, mname, *plan.waiters]), 1 + share


def _spin(p):
    if p.is_cpp and p.rng.random() < 0.5:
        p.includes("thread")
        body = "std::this_thread::yield();" if p.rng.random() < 0.3 else ""
    else:
        body = ""
    return lambda condition, wait="": f"«while (!({condition})) {{{' ' + body + ' ' if body else ''}}}¦{wait}»"


@structural("busy-wait", ("threads", "pthreads", "pool", "futures", "fork", "pipeline", "coroutines"), c=True)
def watcher(p, plan, info):
    """The thread that waits for the result polls for it."""
    _items(p, plan, steps=(1, 6))
    plan.poll = _spin(p)
    cpu = p.rng.uniform(0.8, 1.2) * CPUS * 1e9
    _entry(p, plan, cpu / plan.items / plan.steps)
    info.emit(p, plan)
    return _answer(["busy-wait", "oversubscription"], [*plan.waiters]), 1.5


@structural("polling-sleep", ("threads", "pthreads", "pool", "futures", "fork", "coroutines"), c=True)
def naps(p, plan, info):
    """Sleeps for longer than a step takes until it looks again."""
    plan.steps = p.rng.randint(6, 30)
    plan.items = p.number(64, 400) // 16 * 16
    cpu = p.rng.uniform(0.6, 1.0) * CPUS * 1e9
    nap = cpu / CPUS / plan.steps * p.rng.uniform(1.5, 2.4)
    if p.is_cpp:
        p.includes("chrono", "thread")
        sleep = f"std::this_thread::sleep_for(std::chrono::microseconds({round(nap / 1000)}));"
    else:
        p.includes("unistd.h")
        sleep = f"usleep({round(nap / 1000)});"
    plan.poll = lambda condition, wait="": f"«while (!({condition})) {sleep}¦{wait}»"
    _entry(p, plan, cpu / plan.items / plan.steps)
    info.emit(p, plan)
    return _answer(["polling-sleep"], [*plan.waiters]), 1.6


@structural("thread-churn", ("threads", "pthreads", "pool", "openmp", "futures"), c=True)
def each_step(p, plan, info):
    """Threads made for each small step, or once."""
    plan.churn = True
    plan.items, plan.steps = (p.rng.choice([240, 480]), p.rng.randint(60, 150)) if p.topology == "futures" else (p.rng.choice([16, 24, 32]), p.number(3000, 6000))
    cpu = p.rng.uniform(0.35, 0.6) * CPUS * 1e9
    names = _entry(p, plan, cpu / plan.items / plan.steps)
    info.emit(p, plan)
    return _answer(["thread-churn", "fine-grained-tasks"], [*plan.makers, "main", *(names[:0])]), 1.6


@structural("premature-wait", ("threads", "pthreads", "pool", "futures", "tasks", "fork"), c=True)
def at_once(p, plan, info):
    """Each piece is waited for before the next is handed over."""
    _items(p, plan, steps=(2, 10))
    plan.premature = True
    plan.grain = f"{plan.items // p.rng.choice([4, 8, 12])}u" if info.handed else ""
    cpu = p.rng.uniform(0.6, 1.0) * CPUS * 1e9
    _entry(p, plan, cpu / plan.items / plan.steps)
    info.emit(p, plan)
    return _answer(["premature-wait", "serial-section"], [*plan.waiters, *plan.makers, *plan.workers_functions]), 1.8


@structural("fine-grained-tasks", ("pool", "tasks", "coroutines", "pipeline", "openmp"), c=True)
def one_by_one(p, plan, info):
    """Tiny items handed over one by one, or by the hundred."""
    small = p.topology == "openmp"
    cost = p.rng.uniform(80, 250) if small else p.rng.uniform(300, 1200)
    plan.steps = p.rng.randint(1, 6)
    plan.items = (p.number(2000000, 4000000) if small else p.number(150000, 400000)) // plan.steps
    plan.grain = f"«1u¦{max(1, plan.items // p.rng.choice([32, 64]))}u»"
    _entry(p, plan, cost, count=1)
    info.emit(p, plan)
    return _answer(["fine-grained-tasks", "lock-contention", "lock-convoy", "locking-overhead", "small-allocations"],
                   [*plan.makers, *plan.waiters, *plan.workers_functions]), 2.0


@structural("thundering-herd", ("pool", "coroutines", "pipeline"))
def all_told(p, plan, info):
    """Each item wakes all of many threads, or one."""
    plan.workers = str(p.rng.choice([16, 24, 32]))
    plan.notify = "«notify_all¦notify_one»"
    pieces = p.number(6000, 12000)
    plan.items, plan.steps = pieces * 2, 1
    plan.grain = "2u"
    cpu = p.rng.uniform(0.35, 0.6) * CPUS * 1e9
    if p.topology != "coroutines":
        callee, _ = kernels.draw(p, cpu / 2 / pieces)
        plan.produce = f"total += {callee}(begin) & 1;"
    _entry(p, plan, cpu / 2 / plan.items)
    info.emit(p, plan)
    return _answer(["thundering-herd", "lock-contention", "lock-convoy"], [*plan.makers, *plan.waiters, *plan.workers_functions]), 2.0


@structural("oversubscription", ("threads", "pthreads", "openmp"), c=True)
def crowd(p, plan, info):
    """Far more threads than processors meet all the time."""
    many = p.rng.choice([8, 12, 16])
    plan.workers = f"«{many}¦2»"
    plan.items, plan.steps = 16 * many, p.number(2500, 6000)
    plan.between = "total += 1;" if p.topology == "openmp" else ""
    if p.topology == "openmp":
        p.environment.append("OMP_WAIT_POLICY=active")
        plan.steps //= 4
    cpu = p.rng.uniform(0.3, 0.5) * CPUS * 1e9
    _entry(p, plan, cpu / plan.items / plan.steps)
    info.emit(p, plan)
    return _answer(["oversubscription", "fine-grained-tasks", "busy-wait"], ["*"]), 1.6


@structural("cold-start", STATIC + DYNAMIC, c=False)
def first_use(p, plan, info):
    """A table made at the first use, slowly or quickly."""
    p.includes("vector")
    _items(p, plan)
    size = p.number(30000, 45000)
    kind, make, look = p.names.type(), p.names.function(), p.names.function()
    p.functions += [make, look]
    p.add(fill("""
        struct $kind {
            std::vector<uint8_t> flag;
            $kind() : flag($size, 1) { $make(); }
            void $make() {
                «for (uint32_t i = 2; i < ${size}u; ++i)
                    for (uint32_t k = 2; k < i; ++k)
                        if (i % k == 0) {
                            flag[i] = 0;
                            break;
                        }¦for (uint32_t i = 2; i < ${size}u; ++i)
                    for (uint32_t k = 2 * i; k < ${size}u && flag[i]; k += i) flag[k] = 0;»
            }
        };
        static uint64_t $look(uint64_t key) {
            static const $kind table;
            return table.flag[key % ${size}u] + (key >> 11);
        }""", kind=kind, make=make, look=look, size=size))
    cpu = p.rng.uniform(0.5, 0.9) * CPUS * 1e9
    plan.tail = f"sum += {look}(key);"
    _entry(p, plan, cpu / plan.items / plan.steps)
    info.emit(p, plan)
    return _answer(["cold-start", "serial-section"], [make, look, kind]), 1.5


@structural("cold-start", STATIC + DYNAMIC, c=True)
def first_touch(p, plan, info):
    """A large table cleared at the first use of each thread, of which little is used."""
    p.includes("cstdlib" if p.is_cpp else "stdlib.h", "cstring" if p.is_cpp else "string.h")
    _items(p, plan, steps=(1, 1))
    own = "thread_local" if p.is_cpp else "__thread"
    pages = p.rng.randint(12000, 20000)
    callee, name = p.define("uint64_t key", fill("""
        static $own uint8_t* table;
        if (!table) {
            table = (uint8_t*)malloc(${pages}ul << 12);
            memset(table, 0, «${pages}ul << 12¦1ul << 16»);
        }
        table[key & 0xffff] = (uint8_t)(key >> 17);
        return table[key & 0xffff] + (key >> 9);""", own=own, pages=pages), dress=p.rng.choice(["static", "noinline"]))
    cpu = p.rng.uniform(0.4, 0.7) * CPUS * 1e9
    plan.tail = f"sum += {callee}(key);"
    _entry(p, plan, cpu / plan.items / plan.steps)
    info.emit(p, plan)
    return _answer(["cold-start", "page-faults"], [name, *plan.workers_functions]), 1.4
