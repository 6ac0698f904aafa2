"""Loops bound by their own instructions: divisions, missing vectors, branches, strides, denormals, chains."""

from .code import fill
from .defect import Piece, local, setting


def _piece(p, body, params="uint64_t key", **options):
    callee, name = p.define(params, body, **options)
    return Piece(callee, [name])


@local("division-bound", (5.6, 3.0), (60, 1500), c=True)
def digits(p, n, plan):
    """Digits to a base that only a variable holds."""
    base = p.names.variable()
    ten = p.rng.choice([7, 10, 12, 36])
    p.add(f"static uint64_t {base} = {ten};")
    plan.setup += setting(p, base)
    return _piece(p, fill("""
        uint64_t value = key, sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            sum += value % «$base¦${ten}u»;
            value = value / «$base¦${ten}u» + ((uint64_t)i << 56);
        }
        return sum;""", n=n, base=base, ten=ten))


@local("division-bound", (2.9, 1.2), (1000, 20000), c=True)
def scaled(p, n, plan):
    """Divides doubles by one power of two all the time."""
    size = p.rng.choice([64, 128, 256])
    rounds = max(1, n // size)
    power = p.rng.choice([4, 16, 64])
    scale = p.names.variable()
    p.add(f"static double {scale} = {power}.0;")
    plan.setup += setting(p, scale)
    return _piece(p, fill("""
        double level[$size], sum = 0;
        for (int i = 0; i < $size; ++i) level[i] = (double)((key >> (i & 31)) & 0xfff);
        const double part = «$scale¦1.0 / $scale»;
        for (int pass = 0; pass < $rounds; ++pass)
            for (int i = 0; i < $size; ++i) sum += (double)(int64_t)(level[i] «/¦*» part + (level[i] + pass) «/¦*» part);
        return (uint64_t)(sum * 1.0);""", size=size, rounds=rounds, scale=scale))


@local("division-bound", (3.6, 1.0), (500, 5000), c=True)
def wrapped(p, n, plan):
    """A ring whose size is a variable that happens to be a power of two."""
    size = p.rng.choice([32, 64, 128])
    name = p.names.variable()
    p.add(f"static uint32_t {name} = {size};")
    plan.setup += setting(p, name)
    return _piece(p, fill("""
        uint32_t ring[$size], at = (uint32_t)key;
        for (uint32_t i = 0; i < ${size}u; ++i) ring[i] = i * 2654435761u + (uint32_t)key;
        uint64_t sum = 0;
        const uint32_t size = $name;
        for (uint32_t i = 0; i < ${n}u; ++i) {
            at = (at + 13 + i) «% size¦& (size - 1)»;
            sum += ring[at];
        }
        return sum;""", size=size, name=name, n=n))


@local("not-vectorised", (0.63, 0.08), (8000, 60000), c=True, flags=("-fopenmp-simd",))
def saturate(p, n, plan):
    """A maximum over bytes."""
    size = p.rng.choice([512, 1024, 2048])
    inner, name = p.define("const uint8_t* shade, int count, uint8_t most", fill("""
        «¦#pragma omp simd reduction(max : most)»
        for (int i = 0; i < count; ++i) {
            uint8_t value = (uint8_t)(shade[i] ^ 0x5a);
            most = value > most ? value : most;
        }
        return most;"""), result="uint8_t", dress="noinline")
    piece = _piece(p, fill("""
        uint8_t shade[$size];
        uint64_t state = key | 1;
        for (int i = 0; i < $size; i += 8) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            for (int j = 0; j < 8; ++j) shade[i + j] = (uint8_t)((state >> (8 * j)) & 0x7f);
        }
        uint32_t sum = 0;
        for (int pass = 0; pass < $rounds; ++pass) {
            shade[pass % $size] = (uint8_t)(pass & 0x3f);
            sum += $inner(shade, $size - (pass & 31), 3);
        }
        return sum;""", size=size, rounds=max(1, n // size), inner=inner))
    piece.functions.append(name)
    return piece


@local("not-vectorised", (1.04, 0.22), (8000, 60000), c=True, flags=("-fopenmp-simd",))
def blend(p, n, plan):
    """Two arrays that might overlap, and a length that only the caller has."""
    inner, name = p.define("uint16_t* out, const uint16_t* in, unsigned count, uint16_t weight", fill("""
        «¦#pragma omp simd»
        for (unsigned i = 0; i < count; ++i) {
            const uint16_t part = (uint16_t)(out[i] * 3 + in[i] * weight);
            out[i] = (uint16_t)(part ^ (part >> 3));
        }"""), result="void", dress="noinline")
    size = p.rng.choice([256, 512, 1000])
    piece = _piece(p, fill("""
        uint16_t front[$size], back[$size];
        for (int i = 0; i < $size; ++i) {
            front[i] = (uint16_t)(key >> (i & 15));
            back[i] = (uint16_t)(i * 7 + (int)(key & 63));
        }
        for (int pass = 0; pass < $rounds; ++pass) $inner(front, back, $size - (pass & 15), (uint16_t)((pass & 3) + 1));
        uint64_t sum = 0;
        for (int i = 0; i < $size; i += 16) sum = sum * 33 + front[i];
        return sum;""", size=size, rounds=max(1, n // size), inner=inner))
    piece.functions.append(name)
    return piece


@local("branchy", (6.0, 0.9), (3000, 30000), c=True, kinds=("branch-misprediction", "unpredictable-branches"))
def filtered(p, n, plan):
    size = p.rng.choice([256, 512, 1024])
    return _piece(p, fill("""
        uint32_t value[$size], kept[$size + 1];
        uint64_t state = key | 1, sum = 0;
        for (int i = 0; i < $size; ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            value[i] = (uint32_t)(state >> 33);
        }
        for (uint32_t pass = 0; pass < ${rounds}u; ++pass) {
            const uint32_t border = 0x3fffffffu + (pass << 16);
            unsigned count = 0;
            for (int i = 0; i < $size; ++i) {
                const uint32_t mixed = (value[i] * (2 * pass + 1)) & 0x7fffffffu;
                «if (mixed < border) kept[count++] = mixed;¦kept[count] = mixed;
                count += mixed < border;»
            }
            sum += count + kept[count / 2];
        }
        return sum;""", size=size, rounds=max(1, n // size)))


@local("branchy", (13.0, 2.4), (300, 4000), c=True, kinds=("branch-misprediction", "unpredictable-branches"))
def machine(p, n, plan):
    """Cases by chance, or coefficients from a table."""
    k = [p.rng.randint(3, 255) | 1 for _ in range(8)]
    m = [p.rng.randint(3, 255) for _ in range(8)]
    cases = "\n".join(f"case {i}: sum = sum * {k[i]}u + {m[i]}u; {'hits += sum >> 60;' if i % 2 else 'hits ^= sum;'} break;" for i in range(8))
    return _piece(p, fill("""
        uint64_t state = key | 1, sum = key, hits = 0;
        «¦static const uint32_t times[8] = {$k};»
        «¦static const uint32_t plus[8] = {$m};»
        for (unsigned i = 0; i < ${n}u; ++i) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            «switch ((state >> 20) & 7) {
            $cases
            }¦const unsigned pick = (state >> 20) & 7;
            sum = sum * times[pick] + plus[pick];
            const uint64_t odd = 0 - (uint64_t)(pick & 1);
            hits = ((hits + (sum >> 60)) & odd) | ((hits ^ sum) & ~odd);»
        }
        return sum + hits;""", n=n, k=", ".join(map(str, k)), m=", ".join(map(str, m)), cases=cases))


@local("strided-access", (4.7, 1.5), (4096, 30000), c=True, kinds=("tlb-misses",))
def columns(p, n, plan):
    """A large table by columns, or by rows."""
    rows, cells = p.rng.choice([(1024, 2048), (2048, 1024), (2048, 2048)])
    grid = p.names.variable()
    p.add(f"static uint32_t {grid}[{rows}][{cells}];")
    plan.setup += f"for (unsigned r = 0; r < {rows}u; ++r)\n    for (unsigned c = 0; c < {cells}u; ++c) {grid}[r][c] = r * 31 + c;\n"
    deep = 1024
    wide = max(1, n // deep)
    return _piece(p, fill("""
        const unsigned top = (unsigned)(key >> 5) % ${r}u, left = (unsigned)(key >> 20) % ${c}u;
        uint64_t sum = 0;
        for (unsigned «c¦r» = 0; «c < ${wide}u; ++c¦r < ${deep}u; ++r»)
            for (unsigned «r¦c» = 0; «r < ${deep}u; ++r¦c < ${wide}u; ++c») sum += $grid[top + r][left + c] ^ c;
        return sum;""", r=max(1, rows - deep), c=cells - wide, wide=wide, deep=deep, grid=grid))


@local("strided-access", (8.5, 2.0), (4000, 30000), kinds=("tlb-misses", "bandwidth-bound"))
def one_field(p, n, plan):
    """One field of large records, or an array of that field."""
    p.includes("vector")
    kind, field, store, column = p.names.type(), p.names.variable(), p.names.variable(), p.names.variable()
    fields = 63
    count = 64_000
    p.add(fill("""
        struct $kind {
            uint32_t $field;
            uint32_t other[$fields];
        };
        static std::vector<$kind> $store($count);
        static std::vector<uint32_t> $column($count);""", kind=kind, field=field, fields=fields, store=store, count=count, column=column))
    plan.setup += f"for (uint32_t i = 0; i < {count}u; ++i) {store}[i].{field} = {column}[i] = i * 2654435761u;\n"
    return _piece(p, fill("""
        const uint32_t first = static_cast<uint32_t>((key >> 9) % ${room}u);
        uint64_t sum = 0;
        for (uint32_t i = first; i < first + ${n}u; ++i) sum += «$store[i].$field¦$column[i]» >> 3;
        return sum;""", room=count - n, n=n, store=store, field=field, column=column))


@local("denormals", (30.0, 1.5), (10000, 60000), c=True)
def fading(p, n, plan):
    """A signal that fades below the normal numbers, or stops there."""
    return _piece(p, fill("""
        double level[16];
        for (int i = 0; i < 16; ++i) level[i] = (double)((key >> i) & 255) * 1e-307;
        double sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            const double next = level[i & 15] * 0.75 + level[(i + 5) & 15] * 0.2;
            level[i & 15] = «next¦next < 1e-300 ? 0.0 : next»;
            sum += next;
        }
        return (uint64_t)(sum * 1e9) + (key & 255);""", n=n))


@local("latency-chain", (0.75, 0.28), (4000, 40000), c=True)
def one_sum(p, n, plan):
    """Sums doubles in one chain, or in four."""
    size = p.rng.choice([128, 256, 512])
    return _piece(p, fill("""
        double value[$size], weight[$size];
        for (int i = 0; i < $size; ++i) {
            value[i] = (double)((key >> (i & 31)) & 1023);
            weight[i] = i & 7;
        }
        «double sum = 0;¦double sum = 0, second = 0, third = 0, fourth = 0;»
        for (int pass = 0; pass < $rounds; ++pass) {
            weight[pass % $size] += 1;
            «for (int i = 0; i < $size; ++i) sum += value[i] * weight[i];¦for (int i = 0; i < $size; i += 4) {
                sum += value[i] * weight[i];
                second += value[i + 1] * weight[i + 1];
                third += value[i + 2] * weight[i + 2];
                fourth += value[i + 3] * weight[i + 3];
            }»
        }
        return (uint64_t)«sum¦(sum + second + third + fourth)»;""", size=size, rounds=max(1, n // size)))


@local("latency-chain", (12.0, 2.6), (300, 4000), c=True, kinds=("strided-access", "tlb-misses"))
def scattered_list(p, n, plan):
    """A list whose elements lie anywhere, or one after the other."""
    count = p.rng.choice([1 << 16, 1 << 17, 1 << 18])
    kind, nodes, after = p.names.type(), p.names.variable(), p.names.variable()
    value = p.names.variable()
    p.add(fill("""
        struct $kind {
            uint32_t $after;
            uint32_t $value;
            uint64_t rest[$rest];
        };
        static struct $kind $nodes[$count];""", kind=kind, after=after, value=value, count=count, nodes=nodes, rest=p.rng.choice([3, 7])))
    step = p.rng.randrange(count // 3, count // 2) | 1
    plan.setup += fill("""
        for (uint32_t i = 0, at = 0; i < ${count}u; ++i) {
            const uint32_t next = (at + «${step}u¦1u») % ${count}u;
            $nodes[at].$after = next;
            $nodes[at].$value = i;
            at = next;
        }
        """, count=count, nodes=nodes, after=after, value=value, step=step) + "\n"
    return _piece(p, fill("""
        uint32_t at = (uint32_t)(((key >> 7) % ${count}u) * «${step}ull¦1ull» % ${count}u);
        uint64_t sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            sum += $nodes[at].$value;
            at = $nodes[at].$after;
        }
        return sum;""", n=n, count=count, nodes=nodes, after=after, value=value, step=step))


@local("latency-chain", (1.2, 0.65), (3000, 30000), c=True)
def horner(p, n, plan):
    """A polynomial of one chain, or of two half ones."""
    n = max(4, n // 2 * 2)
    size = 64
    return _piece(p, fill("""
        uint64_t factor[$size], x = key | 1, sum = 0;
        for (int i = 0; i < $size; ++i) factor[i] = (key >> (i & 31)) + i;
        for (int pass = 0; pass < $rounds; ++pass) {
            «uint64_t value = 0;
            for (int i = 0; i < $size; ++i) value = value * x + factor[i];
            sum += value;¦uint64_t even = 0, odd = 0;
            const uint64_t square = x * x;
            for (int i = 0; i < $size; i += 2) {
                even = even * square + factor[i];
                odd = odd * square + factor[i + 1];
            }
            sum += even * x + odd;»
            x += 2;
        }
        return sum;""", size=size, rounds=max(1, n // size)))
