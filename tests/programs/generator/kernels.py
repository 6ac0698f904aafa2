"""Innocent work. Each kernel has a rough cost in nanoseconds by unit and gives a function of one 64-bit key."""

from .code import fill


def _size(p, n, sizes):
    """A size that leaves several rounds, so that filling the array costs little."""
    return p.rng.choice([size for size in sizes if size * 3 <= n] or sizes[:1])


def hash_mix(p, n):
    return n, fill("""
        uint64_t h = key ^ $a;
        for (unsigned i = 0; i < ${n}u; ++i) {
            h ^= h >> 29;
            h = h * $b + i;
        }
        return h;""", a=p.odd(), b=p.odd(), n=n)


def stencil(p, n):
    size = _size(p, n, [32, 64, 128, 256, 384])
    kind = p.rng.choice(["int32_t", "uint32_t", "uint16_t"])
    rounds = max(1, n // size)
    return rounds * size, fill("""
        $T row[$size + 2], next[$size + 2];
        for (int i = 0; i < $size + 2; ++i) row[i] = next[i] = ($T)((key >> (i % 40)) + i);
        for (int round = 0; round < $rounds; ++round) {
            for (int i = 1; i <= $size; ++i) next[i] = ($T)((row[i - 1] + 2 * row[i] + row[i + 1]) >> 2);
            for (int i = 1; i <= $size; ++i) row[i] = ($T)(next[i] ^ round);
        }
        uint64_t sum = 0;
        for (int i = 1; i <= $size; ++i) sum += (uint64_t)row[i] * i;
        return sum;""", T=kind, size=size, rounds=rounds)


def prefix_sum(p, n):
    size = _size(p, n, [32, 100, 200, 400, 512])
    rounds = max(1, n // size)
    return rounds * size, fill("""
        uint32_t line[$size];
        for (unsigned i = 0; i < ${size}u; ++i) line[i] = (uint32_t)(key >> (i & 31)) + i;
        for (unsigned pass = 0; pass < ${rounds}u; ++pass) {
            uint32_t carry = pass;
            for (unsigned i = 0; i < ${size}u; ++i) {
                carry += line[i];
                line[i] = carry >> 1;
            }
        }
        return line[${size}u - 1] + (uint64_t)line[${size}u / 2];""", size=size, rounds=rounds)


def histogram(p, n):
    bins = _size(p, n, [16, 32, 64, 256])
    return n, fill("""
        uint32_t bins[$bins] = {0};
        uint64_t state = key | 1;
        for (unsigned i = 0; i < ${n}u; ++i) {
            state = state * $b + 12345u;
            ++bins[(state >> 40) % ${bins}u];
        }
        uint64_t sum = 0;
        for (unsigned i = 0; i < ${bins}u; ++i) sum = sum * 31 + bins[i];
        return sum;""", bins=bins, b=p.odd(), n=n)


def matrix_piece(p, n):
    size = 8 if n < 12000 else p.rng.choice([8, 12, 16])
    rounds = max(1, n // size ** 3)
    return rounds * size ** 3, fill("""
        uint32_t a[$s][$s], b[$s][$s], c[$s][$s];
        for (int i = 0; i < $s; ++i)
            for (int j = 0; j < $s; ++j) {
                a[i][j] = (uint32_t)(key >> ((i + j) & 31));
                b[i][j] = (uint32_t)(key >> ((i * j) & 31)) | 1;
                c[i][j] = 0;
            }
        for (int pass = 0; pass < $rounds; ++pass)
            for (int i = 0; i < $s; ++i)
                for (int k = 0; k < $s; ++k) {
                    uint32_t factor = a[i][k] + pass;
                    for (int j = 0; j < $s; ++j) c[i][j] += factor * b[k][j];
                }
        uint64_t sum = 0;
        for (int i = 0; i < $s; ++i) sum = sum * 17 + c[i][$s - 1 - i];
        return sum;""", s=size, rounds=rounds)


def parse(p, n):
    length = _size(p, n, [32, 96, 160])
    rounds = max(1, n // length)
    return rounds * length, fill("""
        char text[$length];
        uint64_t state = key | 1, sum = 0;
        for (int i = 0; i < $length; ++i) {
            state = state * $b + 1;
            unsigned pick = (unsigned)(state >> 59);
            text[i] = (char)(pick < 26 ? '0' + pick % 10 : ';');
        }
        for (int pass = 0; pass < $rounds; ++pass) {
            uint64_t value = pass;
            for (int i = 0; i < $length; ++i) {
                if (text[i] == ';') {
                    sum += value;
                    value = 0;
                } else {
                    value = value * 10 + (uint64_t)(text[i] - '0');
                }
            }
            sum ^= value;
        }
        return sum;""", length=length, rounds=rounds, b=p.odd())


def bodies(p, n):
    count = 8 if n < 2000 else p.rng.choice([8, 16, 24])
    rounds = max(1, n // count ** 2)
    return rounds * count ** 2, fill("""
        int64_t place[$count], speed[$count];
        for (int i = 0; i < $count; ++i) {
            place[i] = (int64_t)((key >> (i & 15)) & 0xffff) + i;
            speed[i] = 0;
        }
        for (int step = 0; step < $rounds; ++step) {
            for (int i = 0; i < $count; ++i) {
                int64_t pull = 0;
                for (int j = 0; j < $count; ++j) pull += (place[j] - place[i]) >> 3;
                speed[i] += pull >> 6;
            }
            for (int i = 0; i < $count; ++i) place[i] += speed[i] >> 4;
        }
        uint64_t sum = 0;
        for (int i = 0; i < $count; ++i) sum = sum * 13 + (uint64_t)place[i];
        return sum;""", count=count, rounds=rounds)


def sort_runs(p, n):
    size = _size(p, n, [16, 24, 32])
    rounds = max(1, n // size)
    return rounds * size, fill("""
        uint32_t run[$size];
        uint64_t state = key | 1, sum = 0;
        for (int round = 0; round < $rounds; ++round) {
            for (int i = 0; i < $size; ++i) {
                state = state * $b + 77;
                uint32_t value = (uint32_t)(state >> 33);
                int at = i;
                for (; at > 0 && run[at - 1] > value; --at) run[at] = run[at - 1];
                run[at] = value;
            }
            sum += run[$size / 2];
        }
        return sum;""", size=size, rounds=rounds, b=p.odd())


def grammar(p, n):
    return n, fill("""
        static const unsigned char turn[4][4] = {{1, 2, 3, 0}, {2, 0, 1, 3}, {3, 3, 0, 1}, {0, 1, 2, 2}};
        unsigned state = (unsigned)(key & 3);
        uint64_t bits = key, sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            state = turn[state][bits & 3];
            sum += state;
            bits = (bits >> 2) | (bits << 62);
        }
        return sum;""", n=n)


def polynomial(p, n):
    return n, fill("""
        double x = (double)(key & 1023) * 0x1p-10, y = 0.5 + x, sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            double term = (x * 0.75 + 0.125) * x + 0.25;
            sum += term * y;
            x = 1.0 - 0.5 * term;
        }
        return (uint64_t)(sum * 16.0);""", n=n)


def text_score(p, n):
    p.includes("string", "string_view")
    length = _size(p, n, [40, 80, 120])
    rounds = max(1, n // length)
    return rounds * length, fill("""
        std::string line($length, 'a');
        for (size_t i = 0; i < line.size(); ++i) line[i] = static_cast<char>('a' + ((key >> (i % 48)) + i) % 26);
        uint64_t score = 0;
        for (unsigned pass = 0; pass < ${rounds}u; ++pass) {
            std::string_view rest(line);
            while (!rest.empty()) {
                uint64_t letter = static_cast<unsigned char>(rest.front());
                score = score * 131 + (letter ^ pass);
                rest.remove_prefix(1);
            }
        }
        return score;""", length=length, rounds=rounds)


def ordered(p, n):
    p.includes("algorithm", "array")
    size = _size(p, n, [32, 64, 128])
    rounds = max(1, n // size)
    return rounds * size, fill("""
        std::array<uint32_t, $size> values{};
        uint64_t state = key | 1, sum = 0;
        for (unsigned pass = 0; pass < ${rounds}u; ++pass) {
            for (auto& value : values) value = static_cast<uint32_t>((state = state * $b + 3) >> 32);
            std::sort(values.begin(), values.end());
            sum += values[$size / 3];
        }
        return sum;""", size=size, rounds=rounds, b=p.odd())


# (kernel, nanoseconds a unit, C as well, units at least)
ALL = [(hash_mix, 1.75, True, 4), (stencil, 0.65, True, 200), (prefix_sum, 0.55, True, 100), (histogram, 1.3, True, 50),
       (matrix_piece, 0.4, True, 4000), (parse, 1.25, True, 100), (bodies, 0.55, True, 500), (sort_runs, 12.0, True, 16),
       (grammar, 1.8, True, 4), (polynomial, 5.5, True, 4), (text_score, 1.35, False, 120), (ordered, 24.0, False, 32)]


def draw(p, nanoseconds, dress=None):
    """Adds a kernel of about this cost; returns its callee and name."""
    possible = [entry for entry in ALL if (p.is_cpp or entry[2]) and nanoseconds / entry[1] >= entry[3]] or [ALL[0]]
    kernel, cost, _, _ = p.rng.choice(possible)
    _, body = kernel(p, max(4, round(nanoseconds / cost)))
    return p.define("uint64_t key", body, dress=dress)
