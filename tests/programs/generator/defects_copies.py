"""Small records from the allocator, and copies."""

from .code import fill
from .defect import Piece, local


def _piece(p, body, inner=(), **options):
    callee, name = p.define("uint64_t key", body, **options)
    return Piece(callee, [name, *inner])


@local("small-allocations", (19.0, 1.0), (40, 1200), kinds=("allocation-churn",))
def nodes(p, n, plan):
    """A list of nodes, or an array."""
    p.includes("list", "vector")
    store = p.rng.choice(["list", "pointers", "rows"])
    size = min(n, p.rng.choice([50, 100, 200]))
    if store == "list":
        bad = "std::list<uint64_t> chain;\nfor (unsigned i = 0; i < count; ++i) chain.push_back(key ^ i);\nfor (uint64_t one : chain) sum += one >> 3;"
    elif store == "pointers":
        p.includes("memory")
        bad = "std::vector<std::unique_ptr<uint64_t>> chain(count);\nfor (unsigned i = 0; i < count; ++i) chain[i] = std::make_unique<uint64_t>(key ^ i);\nfor (const auto& one : chain) sum += *one >> 3;"
    else:
        bad = "std::vector<std::vector<uint64_t>> chain(count);\nfor (unsigned i = 0; i < count; ++i) chain[i].assign(2, key ^ i);\nfor (const auto& one : chain) sum += one[0] >> 3;"
    return _piece(p, fill("""
        uint64_t sum = 0;
        «¦uint64_t chain[$size];»
        for (unsigned round = 0; round < ${rounds}u; ++round) {
            const unsigned count = $size - (round & 3);
            «$bad¦for (unsigned i = 0; i < count; ++i) chain[i] = key ^ i;
            for (unsigned i = 0; i < count; ++i) sum += chain[i] >> 3;»
        }
        return sum;""", size=max(8, size), rounds=max(1, n // size), bad=bad))


@local("small-allocations", (8.5, 1.0), (100, 1200), c=True, kinds=("allocation-churn",))
def records(p, n, plan):
    """A record from malloc for each element, or on the stack."""
    p.includes("cstdlib" if p.is_cpp else "stdlib.h")
    kind = p.names.type()
    words = p.rng.choice([3, 5, 8, 12])
    p.add(f"struct {kind} {{\n    uint64_t part[{words}];\n}};")
    ring = p.rng.choice([8, 16, 32])
    return _piece(p, fill("""
        struct $kind «*ring[$ring]¦ring[$ring]»;
        «¦for (unsigned i = 0; i < ${ring}u; ++i) ring[i].part[$last] = 0;»
        uint64_t sum = 0;
        «for (unsigned i = 0; i < ${ring}u; ++i) ring[i] = (struct $kind*)calloc(1, sizeof(struct $kind));¦»
        for (unsigned i = 0; i < ${n}u; ++i) {
            const unsigned at = (unsigned)(i * 5 + (key >> 60)) % ${ring}u;
            sum += ring[at]«->¦.»part[$last];
            «free(ring[at]);
            ring[at] = (struct $kind*)malloc(sizeof(struct $kind));¦»
            ring[at]«->¦.»part[0] = key;
            ring[at]«->¦.»part[$last] = key ^ i;
        }
        «for (unsigned i = 0; i < ${ring}u; ++i) free(ring[i]);¦»
        return sum;""", n=n, kind=kind, last=words - 1, ring=ring))


@local("copying", (0.013, 0.0004), (300000, 3000000))
def by_value(p, n, plan):
    """A vector passed by value, or by reference."""
    p.includes("vector")
    kind = p.rng.choice(["uint32_t", "double", "uint16_t"])
    width = {"uint32_t": 4, "double": 8, "uint16_t": 2}[kind]
    size = p.rng.choice([4000, 8000, 16000]) // width  # bytes
    deep = p.rng.choice([0, 1])
    inner, name = p.define(f"«std::vector<{kind}>¦const std::vector<{kind}>&» values, size_t at", "return static_cast<uint64_t>(values[at % values.size()]);", dress="noinline")
    names = [name]
    if deep:
        inner, name = p.define(f"«std::vector<{kind}>¦const std::vector<{kind}>&» values, size_t at", f"return {inner}(values, at + 1) + 1;", dress="noinline")
        names.append(name)
    return _piece(p, fill("""
        static thread_local std::vector<$kind> values($size, 3);
        uint64_t sum = 0;
        for (unsigned i = 0; i < ${rounds}u; ++i) sum += $inner(values, (key >> 5) + i);
        return sum;""", kind=kind, size=size, rounds=max(1, n // (size * width * (1 + deep))), inner=inner), inner=names)


@local("copying", (0.013, 0.0006), (300000, 3000000), c=True)
def shifted(p, n, plan):
    """A window that moves by copying itself, or as a ring."""
    p.includes("cstring" if p.is_cpp else "string.h")
    size = p.rng.choice([1024, 2048, 4096])
    return _piece(p, fill("""
        uint32_t window[$size];
        for (unsigned i = 0; i < ${size}u; ++i) window[i] = (uint32_t)key + i;
        uint64_t sum = 0;
        for (unsigned i = 0; i < ${rounds}u; ++i) {
            «sum += window[0];
            memmove(window, window + 1, sizeof window - sizeof window[0]);
            window[$last] = i;¦sum += window[i & $last];
            window[i & $last] = i;»
        }
        return sum;""", size=size, last=size - 1, rounds=max(1, n // (size * 4))))


@local("copying", (0.02, 0.001), (300000, 3000000), kinds=("string-building",))
def rest_of_text(p, n, plan):
    """substr where a view would do."""
    p.includes("string", "string_view")
    size = p.rng.choice([1000, 2000, 4000])
    return _piece(p, fill("""
        std::string text($size, 'x');
        text[key % ${size}u] = 'y';
        uint64_t sum = 0;
        for (unsigned i = 0; i < ${rounds}u; ++i) {
            const «std::string rest = text.substr(i & 63)¦std::string_view rest = std::string_view(text).substr(i & 63)»;
            sum += rest.size() + static_cast<unsigned char>(rest[(key >> 9) % 500]);
        }
        return sum;""", size=size, rounds=max(1, n // size)))
