"""What a program is to do, apart from who does it: items, steps, the entry function and what a topology may be asked to change."""

import dataclasses

from .code import fill, indent
from . import kernels

WORKERS = 2


@dataclasses.dataclass
class Plan:
    items: int = 1000          # in each step
    steps: int = 1
    entry: str = ""            # callee of (uint32_t i, uint32_t step[, unsigned lane])
    lane: bool = False         # whether the entry wants the number of its worker
    workers: str = str(WORKERS)
    grain: str = ""            # items handed over at once where work is handed over
    between: str = ""          # statements after each step, by one thread; may use step and total
    setup: str = ""            # statements at the start of main
    poll: object = None        # makes statements that wait for a condition, from its text
    premature: bool = False    # the bad version waits for each piece right after it was handed over
    produce: str = ""          # statements before each piece is handed over; may use total
    notify: str = "notify_one"
    churn: bool = False        # the bad version makes its threads anew for each step
    strided: bool = False      # the fixed version takes items in turn, not in blocks
    uneven: tuple = ()         # the bad version gives the first of two workers this share: (part, of)
    by_index: bool = False     # keys are the items' numbers
    tail: str = ""             # last statement of the entry; may add to sum
    profile: str = ""          # first statements of the entry; may add to sum
    calls: list = dataclasses.field(default_factory=list)    # texts of the stages, for topologies of stages
    often: int = 1             # steps between two meetings of all
    waiters: list = dataclasses.field(default_factory=list)  # functions in which the topology waits, filled in by it
    workers_functions: list = dataclasses.field(default_factory=list)  # functions that run items
    makers: list = dataclasses.field(default_factory=list)   # functions that create threads or tasks

    def call(self, i, step, lane):
        return f"{self.entry}({i}, {step}{', ' + lane if self.lane else ''})"

    def loop(self, i, w):
        n, count = f"{self.items}u", self.workers + "u" if self.workers.isdigit() else f"({self.workers})"
        blocks = f"uint32_t {i} = {w} * {n} / {count}; {i} < ({w} + 1) * {n} / {count}; ++{i}"
        turns = f"uint32_t {i} = {w}; {i} < {n}; {i} += {count}"
        if self.uneven:
            part, of = self.uneven
            begin, end = f"({w} == 0 ? 0u : {n} / {of} * {part})", f"({w} == 0 ? {n} / {of} * {part} : {n})"
            return f"for («uint32_t {i} = {begin}; {i} < {end}; ++{i}¦{blocks}»)"
        if self.strided:
            return f"for («{blocks}¦{turns}»)"
        return f"for ({blocks})"


def add_range(p, plan, dress=None):
    """A function that runs the items from begin to end."""
    lane = ", unsigned lane" if plan.lane else ""
    callee, name = p.define(f"uint32_t begin, uint32_t end, uint32_t step{lane}", fill("""
        uint64_t sum = 0;
        for (uint32_t i = begin; i < end; ++i) sum += $call;
        return sum;""", call=plan.call("i", "step", "lane")), dress=dress or p.rng.choice(["static", "noinline", "plain"]))
    plan.workers_functions.append(name)
    return lambda begin, end, step, worker: f"{callee}({begin}, {end}, {step}{', ' + worker if plan.lane else ''})"


def wrap(p, callee, depth, lane=False):
    """Puts functions between a caller and callee(key[, lane]); returns the outermost and all names."""
    names = []
    for _ in range(depth):
        extra, passed = (", unsigned lane", ", lane") if lane else ("", "")
        form = p.rng.choice(["plain", "mixed", "checked"])
        if form == "plain":
            body = f"return {callee}(key{passed}) + (key & 1);"
        elif form == "mixed":
            body = f"const uint64_t part = {callee}(key * {p.rng.randrange(3, 99, 2)}u + {p.rng.randint(1, 9)}u{passed});\nreturn part ^ (part >> {p.rng.randint(3, 20)});"
        else:
            body = f"if (key == 0) return {p.rng.randint(1, 99)};\nreturn {callee}(key{passed});"
        callee, name = p.define("uint64_t key" + extra, body)
        names.append(name)
    return callee, names


def add_entry(p, plan, calls):
    """The function that handles one item: what it is made from, and each of calls (makers of expressions from a key)."""
    names = p.names
    mode = p.rng.choice(["index", "struct", "keys"]) if p.is_cpp and not plan.by_index else "index"
    a = p.odd()
    if mode == "index":
        key = "(uint64_t)i + 0 * step" if plan.by_index else f"((uint64_t)i * {a}) ^ ((uint64_t)step << 17)"
    elif mode == "keys":
        p.includes("vector")
        store = names.variable()
        p.add(f"static std::vector<uint64_t> {store}({plan.items}u);")
        plan.setup = f"for (uint32_t i = 0; i < {store}.size(); ++i) {store}[i] = i * {a};\n" + plan.setup
        key = f"{store}[i] ^ (static_cast<uint64_t>(step) << 17)"
    else:
        p.includes("vector")
        store, kind, field, other = names.variable(), names.type(), names.variable(), names.variable()
        p.add(fill("""
            struct $kind {
                uint64_t $field;
                uint32_t $other;
            };
            static std::vector<$kind> $store;""", kind=kind, field=field, other=other, store=store))
        plan.setup = f"for (uint32_t i = 0; i < {plan.items}u; ++i) {store}.push_back({{i * {a}, i % 7}});\n" + plan.setup
        key = f"{store}[i].{field} + (static_cast<uint64_t>(step) << 17) + {store}[i].{other}"
    p.rng.shuffle(calls)
    lines = [f"uint64_t key = {key};", "key ^= key >> 31;", "uint64_t sum = key >> 7;", *filter(None, [plan.profile])]
    for number, call in enumerate(calls):
        lines.append(f"sum {p.rng.choice(['+=', '^='])} {call(f'key + {number}' if number else 'key')};")
    body = "\n".join(lines)
    if plan.tail:
        body += "\n" + plan.tail
    body += "\nreturn sum;"
    plan.entry, name = p.define("uint32_t i, uint32_t step" + (", unsigned lane" if plan.lane else ""), body,
                                dress=p.rng.choice(["static", "noinline", "plain"]))
    plan.workers_functions.append(name)
    return name


def add_decoys(p, nanoseconds, count=None):
    """Innocent calls of together this cost an item; the first has the larger part."""
    count = count or p.rng.choice([1, 2, 2, 3])
    shares = [1.0] if count == 1 else [0.65] + [0.35 / (count - 1)] * (count - 1)
    calls, names = [], []
    for share in shares:
        callee, name = kernels.draw(p, max(20.0, nanoseconds * share))
        names.append(name)
        outer, wrappers = wrap(p, callee, p.rng.choice([0, 0, 1, 2]))
        names += wrappers
        calls.append(lambda key, outer=outer: f"{outer}({key})")
    return calls, names


def add_main(p, text, parameters="", cleanup=""):
    """main: the text leaves its result in total."""
    cast = "(unsigned long long)" if not p.is_cpp else "static_cast<unsigned long long>"
    lines = ["uint64_t total = 0;", text.strip("\n"), f"printf(\"%016llx\\n\", {cast}(total));", cleanup, "return 0;"]
    body = "\n".join(line for line in lines if line)
    p.add(f"int main({parameters or ('' if p.is_cpp else 'void')}) {{\n{indent(body)}\n}}")
    return body
