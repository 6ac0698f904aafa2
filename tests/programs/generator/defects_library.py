"""What libraries cost: exceptions, formatting, regular expressions, hashing, strings."""

from .code import fill
from .defect import Piece, local


def _piece(p, body, params="uint64_t key", inner=(), **options):
    callee, name = p.define(params, body, **options)
    return Piece(callee, [name, *inner])


@local("exceptions-as-control-flow", (620.0, 12.0), (1, 60))
def rejected(p, n, plan):
    """Half of the input is rejected, by an exception or by a flag."""
    p.includes("stdexcept")
    inner, name = p.define("uint64_t value, bool& good", fill("""
        if ((value & 7) < 5) {
            «throw std::invalid_argument("value");¦good = false;
            return 0;»
        }
        good = true;
        return value % 1000;"""))
    return _piece(p, fill("""
        uint64_t value = key, sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            value = value * 6364136223846793005u + 1442695040888963407u;
            bool good = false;
            «try {
                sum += $inner(value >> 40, good);
            } catch (const std::invalid_argument&) {
                sum += 3;
            }¦const uint64_t part = $inner(value >> 40, good);
            sum += good ? part : 3;»
        }
        return sum;""", n=n, inner=inner), inner=[name])


@local("exceptions-as-control-flow", (1150.0, 55.0), (1, 40))
def missing_key(p, n, plan):
    """Most keys are not in the map."""
    p.includes("map", "stdexcept")
    table = p.names.variable()
    size = p.rng.choice([64, 256, 1000])
    p.add(f"static std::map<uint32_t, uint32_t> {table};")
    plan.setup += f"for (uint32_t i = 0; i < {size}u; ++i) {table}[i * 7] = i;\n"
    return _piece(p, fill("""
        uint64_t sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            const uint32_t place = static_cast<uint32_t>((key >> 8) + i * 31) % ${size}u;
            «try {
                sum += $table.at(place);
            } catch (const std::out_of_range&) {
                sum += 1;
            }¦const auto found = $table.find(place);
            sum += found == $table.end() ? 1 : found->second;»
        }
        return sum;""", n=n, size=size, table=table))


@local("exceptions-as-control-flow", (780.0, 20.0), (1, 40))
def way_out(p, n, plan):
    """A search that leaves its recursion by an exception, or by a result."""
    kind = p.names.type()
    p.add(f"struct {kind} {{\n    uint64_t at;\n}};")
    seek = p.names.function()
    p.functions.append(seek)
    p.add(fill("""
        static uint64_t $seek(uint64_t value, unsigned depth) {
            value = value * 2862933555777941757u + 3037000493u;
            if (depth == 0 || (value >> 60) == 0) «throw $kind{value >> 8}¦return value >> 8»;
            return $seek(value, depth - 1);
        }""", seek=seek, kind=kind))
    return _piece(p, fill("""
        uint64_t sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            «try {
                sum += $seek(key + i, 6);
            } catch (const $kind& found) {
                sum += found.at;
            }¦sum += $seek(key + i, 6);»
        }
        return sum;""", n=n, seek=seek, kind=kind), inner=[seek])


@local("formatting", (75.0, 12.0), (8, 200), c=True, kinds=("run-time-tax",))
def printed_key(p, n, plan):
    """A key made with snprintf and summed by character, or from its digits."""
    p.includes("cstring" if p.is_cpp else "string.h")
    text = p.rng.choice(["%u/%u", "%u:%u", "[%u,%u]"])
    plus = sum(map(ord, text.replace("%u", "")))
    digits, dname = p.define("unsigned value", "uint64_t sum = 0;\ndo sum += 48 + value % 10; while ((value /= 10) != 0);\nreturn sum;", dress="static")
    return _piece(p, fill("""
        uint64_t sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            const unsigned first = (unsigned)(key >> 40) + i, second = (unsigned)(key & 0xffff);
            «char text[64];
            const int length = snprintf(text, sizeof text, "$text", first, second);
            for (int k = 0; k < length; ++k) sum += (unsigned char)text[k];
            if (length < 0) sum += $digits(first);¦sum += $plus + $digits(first) + $digits(second);»
        }
        return sum;""", n=n, text=text, digits=digits, plus=plus))


@local("formatting", (400.0, 12.0), (2, 80), kinds=("string-building", "small-allocations"))
def streams(p, n, plan):
    """Numbers that pass through a stream of text, or do not."""
    p.includes("sstream")
    return _piece(p, fill("""
        uint64_t sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            const uint32_t given = static_cast<uint32_t>(key >> 33) ^ (i * 977u);
            «std::stringstream way;
            way << given << ' ' << i;
            uint32_t first = 0, second = 0;
            way >> first >> second;
            sum += first * 3ull + second;¦sum += given * 3ull + i;»
        }
        return sum;""", n=n))


@local("formatting", (65.0, 13.0), (8, 200), kinds=("run-time-tax",))
def converted(p, n, plan):
    """sscanf or strtoul over and over on one text, or a hand-written parse."""
    p.includes("cstdio", "cstdlib", "charconv", "cstring")
    return _piece(p, fill("""
        char text[24];
        uint64_t sum = 0;
        snprintf(text, sizeof text, "%08u %03u", static_cast<unsigned>(key % 90000000u) + 10000000u, static_cast<unsigned>(key >> 55));
        for (unsigned i = 0; i < ${n}u; ++i) {
            text[i % 8] = static_cast<char>('1' + i % 9);
            unsigned first = 0;
            «if (sscanf(text, "%u", &first) != 1) return 0;¦std::from_chars(text, text + 8, first);»
            sum += first;
        }
        return sum;""", n=n))


@local("regular-expressions", (280.0, 20.0), (4, 30), kinds=("small-allocations", "allocation-churn"))
def matched(p, n, plan):
    """A regular expression for what two comparisons would find."""
    p.includes("regex", "string")
    name = p.names.variable()
    p.add(f"static const std::regex {name}(\"([a-z]+)-([0-9]+)\");")
    return _piece(p, fill("""
        uint64_t sum = 0;
        std::string text = "alpha-0000";
        for (unsigned i = 0; i < ${n}u; ++i) {
            text[0] = static_cast<char>('a' + (key + i) % 26);
            text[6 + i % 4] = static_cast<char>('0' + (key >> 8) % 10);
            if (((key >> (i & 31)) & 3) == 0) text[3] = '7'; else text[3] = 'h';
            «std::smatch parts;
            if (std::regex_match(text, parts, $name)) sum += parts.length(1) * 10 + parts.length(2);¦size_t letters = 0;
            while (letters < text.size() && text[letters] >= 'a' && text[letters] <= 'z') ++letters;
            size_t at = letters + 1;
            while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
            if (letters > 0 && text[letters] == '-' && at == text.size()) sum += letters * 10 + (at - letters - 1);»
        }
        return sum«;¦ + 0 * $name.flags();»""", n=n, name=name))


@local("regular-expressions", (23000.0, 300.0), (1, 12), kinds=("small-allocations", "repeated-work"))
def compiled_again(p, n, plan):
    """The expression is made for each text."""
    p.includes("regex", "string")
    pattern = p.rng.choice(["^[a-f]+$", "^[a-m]*z?$", "^(a|b|c)+$"])
    return _piece(p, fill("""
        uint64_t sum = 0;
        std::string text = "abc";
        for (unsigned i = 0; i < ${n}u; ++i) {
            text[i % 3] = static_cast<char>('a' + (key + i) % 7);
            «const¦static const» std::regex shape("$pattern");
            if (std::regex_match(text, shape)) ++sum;
        }
        return sum + (key & 15);""", n=n, pattern=pattern))


@local("hashing", (33.0, 2.5), (50, 1500), kinds=("small-allocations",))
def sparse_table(p, n, plan):
    """Counts small numbers in a hash table, or in an array."""
    p.includes("unordered_map", "vector")
    size = p.rng.choice([200, 1000, 4000])
    return _piece(p, fill("""
        «std::unordered_map<uint32_t, uint32_t> count;¦uint32_t count[$size] = {0};»
        uint64_t state = key | 1, sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            state = state * 6364136223846793005u + 1;
            const uint32_t place = static_cast<uint32_t>(state >> 40) % ${size}u;
            sum += ++count[place];
        }
        return sum;""", n=n, size=size))


@local("hashing", (38.0, 4.0), (20, 800), kinds=("string-building",))
def text_keys(p, n, plan):
    """Names of long text looked up each time, or their numbers."""
    p.includes("string", "unordered_map", "vector")
    table, names = p.names.variable(), p.names.variable()
    size = p.rng.choice([100, 500])
    p.add(f"static std::unordered_map<std::string, uint32_t> {table};\nstatic std::vector<std::string> {names};")
    plan.setup += fill("""
        for (uint32_t i = 0; i < ${size}u; ++i) {
            $names.push_back(std::string(40, 'q') + std::to_string(i * 7919u) + std::string(60, 'v'));
            $table[$names.back()] = i;
        }""", size=size, names=names, table=table) + "\n"
    return _piece(p, fill("""
        uint64_t sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            const uint32_t place = static_cast<uint32_t>((key >> 11) + i * 17u) % ${size}u;
            sum += «$table.find($names[place])->second¦place»;
        }
        return sum;""", n=n, names=names, table=table, size=size))


@local("string-building", (50.0, 2.5), (50, 1500), kinds=("copying", "small-allocations"))
def appended(p, n, plan):
    """Short strings put together for a checksum of their letters."""
    p.includes("string")
    return _piece(p, fill("""
        uint64_t sum = 0;
        «std::string prefix = "unit of the second part ";¦»
        for (unsigned i = 0; i < ${n}u; ++i) {
            const char letter = static_cast<char>('a' + ((key >> (i & 31)) & 15));
            «const std::string text = prefix + letter + "." + letter;
            sum += static_cast<unsigned char>(text.back()) + text.size();¦sum += static_cast<unsigned char>(letter) + 27;»
        }
        return sum;""", n=n))


@local("string-building", (21.0, 3.0), (60, 400), kinds=("copying", "quadratic"))
def grown_left(p, n, plan):
    """text = piece + text, or counting from the other side."""
    p.includes("string")
    return _piece(p, fill("""
        std::string text;
        for (unsigned i = 0; i < ${n}u; ++i) {
            const char letter = static_cast<char>('a' + ((key >> (i & 31)) & 15));
            «text = std::string(2, letter) + text;¦text += letter;
            text += letter;»
        }
        uint64_t sum = 0;
        for (size_t i = 0; i < text.size(); i += 2) sum += static_cast<unsigned char>(text[i]);
        return sum + static_cast<unsigned char>(«text.back()¦text.front()»);""", n=n))
