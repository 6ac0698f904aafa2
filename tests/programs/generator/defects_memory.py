"""Memory that is taken again and again, work done again, and work that grows."""

from .code import fill
from .defect import Piece, local

FAULTS = ("page-faults", "allocation-churn")


def _piece(p, body, inner=(), **options):
    callee, name = p.define("uint64_t key", body, **options)
    return Piece(callee, [name, *inner])


@local("allocation-churn", (9000.0, 20.0), (8, 200), c=True, kinds=FAULTS)
def mapped_scratch(p, n, plan):
    """A mapping for each item (a unit is a page), or one for the thread."""
    p.includes("sys/mman.h")
    name = p.names.variable()
    own = "static thread_local" if p.is_cpp else "static __thread"
    return _piece(p, fill("""
        «uint8_t* $name = (uint8_t*)mmap(0, ${n}ul << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);¦$own uint8_t* $name;
        if (!$name) $name = (uint8_t*)mmap(0, ${n}ul << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);»
        uint64_t sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) $name[((size_t)i << 12) + (key & 0xfff)] = (uint8_t)(key >> (i & 31));
        for (unsigned i = 0; i < ${n}u; ++i) sum += $name[((size_t)i << 12) + (key & 0xfff)];
        «munmap($name, ${n}ul << 12);¦»
        return sum;""", n=n, name=name, own=own))


@local("allocation-churn", (8000.0, 45.0), (70, 400), kinds=FAULTS)
def two_vectors(p, n, plan):
    """Two large vectors for each item, or two that the thread keeps."""
    p.includes("vector")
    size = n * 4096 // 16
    return _piece(p, fill("""
        «¦static thread_local» std::vector<uint64_t> front«($size)¦», back«($size)¦»;
        «¦front.resize($size);
        back.resize($size);»
        for (size_t i = 0; i < $size; i += 8) {
            front[i] = key ^ i;
            back[i] = front[i] + (front[i] >> 9);
        }
        uint64_t sum = 0;
        for (size_t i = 0; i < $size; i += 64) sum += back[i];
        return sum;""", size=size))


@local("allocation-churn", (9000.0, 40.0), (70, 400), c=True, kinds=FAULTS)
def large_blocks(p, n, plan):
    """malloc of some large blocks at once, and all freed again."""
    p.includes("cstdlib" if p.is_cpp else "stdlib.h")
    blocks = p.rng.choice([3, 4, 6])
    size = max(65536, n * 4096 // blocks)
    own = "static thread_local" if p.is_cpp else "static __thread"
    return _piece(p, fill("""
        «¦$own» uint32_t* block[$blocks];
        uint64_t sum = 0;
        for (unsigned b = 0; b < ${blocks}u; ++b) {
            «¦if (!block[b])» block[b] = (uint32_t*)malloc($size);
            for (unsigned i = 0; i < ${size}u / 4; i += 64) block[b][i] = (uint32_t)key + i + b;
        }
        for (unsigned b = 0; b < ${blocks}u; ++b) {
            for (unsigned i = 0; i < ${size}u / 4; i += 256) sum += block[b][i];
            «free(block[b]);¦»
        }
        return sum;""", blocks=blocks, size=size, own=own))


@local("page-faults", (9000.0, 30.0), (8, 200), c=True, kinds=("allocation-churn",))
def given_back(p, n, plan):
    """Pages given back to the kernel after each item."""
    p.includes("sys/mman.h")
    own = "static thread_local" if p.is_cpp else "static __thread"
    return _piece(p, fill("""
        $own uint8_t* arena;
        if (!arena) arena = (uint8_t*)mmap(0, ${n}ul << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        uint64_t sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            uint64_t* page = (uint64_t*)(arena + ((size_t)i << 12));
            page[key & 511] = key * i;
            sum += page[key & 511] >> 5;
        }
        «madvise(arena, ${n}ul << 12, MADV_DONTNEED);¦»
        return sum;""", n=n, own=own))


@local("page-faults", (2900.0, 10.0), (16, 400), c=True, kinds=("allocation-churn", "io-wait"))
def mapped_file(p, n, plan):
    """A file mapped for each item, or mapped once."""
    p.includes("sys/mman.h", "fcntl.h", "unistd.h", "cstdlib" if p.is_cpp else "stdlib.h")
    name = p.names.variable()
    own = "static thread_local" if p.is_cpp else "static __thread"
    p.add(f"static int {name} = -1;")
    plan.setup += fill("""
        char path_name[] = "/tmp/dataXXXXXX";
        $name = mkstemp(path_name);
        if ($name < 0 || unlink(path_name) != 0) return 1;
        for (uint32_t i = 0; i < ${n}u; ++i) {
            uint32_t page[1024];
            for (uint32_t k = 0; k < 1024; ++k) page[k] = i * 1024 + k;
            if (write($name, page, sizeof page) != sizeof page) return 1;
        }""", name=name, n=n) + "\n"
    return _piece(p, fill("""
        «¦$own» const uint32_t* view«¦ = 0»«¦;
        if (!view) view» = (const uint32_t*)mmap(0, ${n}ul << 12, PROT_READ, MAP_PRIVATE, $name, 0);
        uint64_t sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) sum += view[i * 1024u + (key & 1023)];
        «munmap((void*)view, ${n}ul << 12);¦»
        return sum;""", n=n, name=name, own=own))


@local("quadratic", (0.05, 0.004), (40000, 2000000), c=True, kinds=("repeated-work", "string-building"))
def measured_text(p, n, plan):
    """strlen in each turn of the loop; a unit is a letter passed."""
    p.includes("cstring" if p.is_cpp else "string.h")
    size = max(100, min(8000, int(n ** 0.5)))
    inner, name = p.define("char* text, char letter", fill("""
        unsigned count = 0;
        «¦const size_t length = strlen(text);»
        for (size_t i = 0; i < «strlen(text)¦length»; ++i) {
            if (text[i] == letter) ++count;
            text[i] ^= 1;
        }
        return count;"""), dress="noinline", result="unsigned")
    return _piece(p, fill("""
        char text[$size + 1];
        for (int i = 0; i < $size; ++i) text[i] = (char)(64 + ((key >> (i & 31)) & 31));
        text[$size] = 0;
        uint64_t sum = 0;
        for (int i = 0; i < $rounds; ++i) sum += $inner(text, (char)(66 + i % 20));
        return sum;""", size=size, rounds=max(1, round(n / (size * size / 2))), inner=inner), inner=[name])


@local("quadratic", (0.25, 0.07), (40000, 2000000), kinds=("repeated-work",))
def seen_before(p, n, plan):
    """Looks through all for one seen before, or sorts."""
    p.includes("vector", "algorithm")
    size = max(200, min(3000, int((2 * n) ** 0.5)))
    return _piece(p, fill("""
        std::vector<uint32_t> all;
        uint64_t state = key | 1, sum = 0;
        for (int i = 0; i < $size; ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const uint32_t value = static_cast<uint32_t>(state >> 32);
            «if (std::find(all.begin(), all.end(), value) == all.end()) all.push_back(value);¦all.push_back(value);»
        }
        «¦std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());»
        for (uint32_t value : all) sum += value ^ (value >> 5);
        return sum + all.size();""", size=size))


@local("quadratic", (0.14, 0.002), (200000, 3000000), kinds=("copying",))
def from_front(p, n, plan):
    """Elements leave at the front of an array; a unit is one element moved."""
    p.includes("vector", "deque")
    size = max(500, min(4000, int((2 * n) ** 0.5)))
    return _piece(p, fill("""
        std::«vector¦deque»<uint64_t> line($size, key);
        uint64_t sum = 0;
        while (!line.empty()) {
            sum += line.front() >> (line.size() & 15);
            «line.erase(line.begin())¦line.pop_front()»;
        }
        return sum;""", size=size))


@local("repeated-work", (1.0, 0.02), (20000, 400000), c=True, kinds=("quadratic",))
def coefficient(p, n, plan):
    """The same coefficients for each element, or once."""
    size = p.rng.choice([64, 128, 256])
    deep = max(8, min(600, n // size))
    inner, name = p.define("uint64_t seed, unsigned depth", fill("""
        uint64_t value = seed | 1;
        for (unsigned i = 0; i < depth; ++i) value = value * $b + (value >> 33);
        return value;""", b=p.odd()), dress="noinline")
    return _piece(p, fill("""
        uint64_t sum = 0;
        const uint64_t base = key & 0xffff;
        «¦const uint64_t factor[2] = {$inner(base, $deep), $inner(base, $deep + 1)};»
        for (unsigned i = 0; i < ${size}u; ++i) {
            sum += (key >> (i & 31)) * «$inner(base, $deep + (i & 1))¦factor[i & 1]»;
        }
        return sum;""", size=size, deep=deep, inner=inner), inner=[name])


@local("repeated-work", (0.36, 0.01), (20000, 400000), c=True)
def overlapping(p, n, plan):
    """A recurrence by recursion, or from a table (a unit is a call)."""
    level = 10
    while 1.618 ** (level + 2) < n and level < 24:
        level += 1
    name = p.names.function()
    p.functions.append(name)
    p.add(fill("""
        static uint64_t $name(unsigned n, uint64_t salt«¦, uint64_t* seen») {
            if (n < 2) return n + salt;
            «return $name(n - 1, salt) + $name(n - 2, salt) + (n ^ salt);¦if (seen[n] == 0) seen[n] = $name(n - 1, salt, seen) + $name(n - 2, salt, seen) + (n ^ salt);
            return seen[n];»
        }""", name=name))
    return _piece(p, fill("""
        «¦uint64_t seen[32] = {0};»
        return $name($level, key & 1023«¦, seen»);""", name=name, level=level), inner=[name])


@local("growth", (0.35, 0.001), (100000, 600000), kinds=("quadratic", "repeated-work"), steps=(1, 1), topologies=("threads", "futures", "openmp", "fork", "mpi", "pool", "tasks", "pipeline"))
def history(p, n, plan):
    """All earlier keys of the thread are looked through each time, or the last 64."""
    p.includes("vector")
    past = p.names.variable()
    total = plan.items * plan.steps
    add = max(1, round(n * 4 / total))  # on average half of all earlier ones are passed by one of two threads
    p.add(f"static thread_local std::vector<uint64_t> {past};")
    return _piece(p, fill("""
        for (unsigned i = 0; i < ${add}u; ++i) $past.push_back((key ^ i) | 1);
        uint64_t found = 0;
        const size_t first = «0¦$past.size() > 64 ? $past.size() - 64 : 0»;
        for (size_t i = first; i < $past.size(); ++i) found += $past[i] == 0;
        return found + (key >> 9);""", past=past, add=add))


@local("copy-on-write", (14000.0, 30.0), (4, 40), c=True, topologies=("fork",), kinds=("page-faults",), steps=(5, 10))
def marked(p, n, plan):
    """Children write one word into each record that they read."""
    kind, store, use = p.names.type(), p.names.variable(), p.names.variable()
    words = p.rng.choice([1020, 1022])
    p.add(fill("""
        struct $kind {
            uint32_t $use;
            uint32_t part[$words];
        };
        static struct $kind $store[$count];""", kind=kind, store=store, use=use, words=words, count=plan.items * n))
    plan.setup += f"for (uint32_t i = 0; i < {plan.items * n}u; ++i) {store}[i].part[i % {words}u] = i;\n"
    plan.by_index = True
    return _piece(p, fill("""
        const uint32_t first = (uint32_t)(key % ${items}u) * ${n}u;
        uint64_t sum = key >> 40;
        for (uint32_t i = first; i < first + ${n}u; ++i) {
            «++$store[i].$use;¦»
            sum += $store[i].part[i % ${words}u];
        }
        return sum;""", store=store, use=use, n=n, items=plan.items, words=words))


@local("copy-on-write", (14000.0, 30.0), (4, 40), c=True, topologies=("fork",), kinds=("page-faults",), steps=(5, 10))
def moved_values(p, n, plan):
    """Children change values of the parent's table in place, or in a block of their own."""
    store = p.names.variable()
    p.add(f"static uint32_t {store}[{plan.items * n}][1024];")
    plan.setup += f"for (uint32_t i = 0; i < {plan.items * n}u; ++i) {store}[i][i & 1023] = i | 1;\n"
    plan.by_index = True
    return _piece(p, fill("""
        const uint32_t first = (uint32_t)(key % ${items}u) * ${n}u;
        uint64_t sum = 0;
        for (uint32_t i = first; i < first + ${n}u; ++i) {
            «$store[i][(i + 7) & 1023] = $store[i][i & 1023] * 3;
            sum += $store[i][(i + 7) & 1023];¦const uint32_t value = $store[i][i & 1023] * 3;
            sum += value;»
        }
        return sum + (key >> 40);""", store=store, n=n, items=plan.items))
