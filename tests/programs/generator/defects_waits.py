"""Calls of the system, waiting for the disk and for children, pauses, and slow single items."""

from .code import fill
from .defect import Piece, local


def _piece(p, body, inner=(), **options):
    callee, name = p.define("uint64_t key", body, **options)
    return Piece(callee, [name, *inner])


def _c(p, *names):
    p.includes(*(f"c{name}" if p.is_cpp else f"{name}.h" for name in names))


def _file(p, plan, name, size=4096):
    """A file descriptor of a nameless file."""
    p.includes("fcntl.h", "unistd.h")
    _c(p, "stdlib")
    p.add(f"static int {name} = -1;")
    plan.setup += fill("""
        {
            char path_name[] = "/tmp/partXXXXXX";
            $name = mkstemp(path_name);
            if ($name < 0 || unlink(path_name) != 0 || ftruncate($name, $size) != 0) return 1;
        }""", name=name, size=size) + "\n"


@local("syscall-storm", (1150.0, 60.0), (16, 500), c=True, kinds=("small-io",))
def small_writes(p, n, plan):
    """A write for each few bytes, or for all of them."""
    p.includes("fcntl.h", "unistd.h")
    name = p.names.variable()
    p.add(f"static int {name} = -1;")
    plan.setup += f"{name} = open(\"/dev/null\", O_WRONLY);\n"
    return _piece(p, fill("""
        uint64_t sum = 0;
        «¦char all[$n * 8];
        size_t used = 0;»
        for (unsigned i = 0; i < ${n}u; ++i) {
            char part[8];
            for (int k = 0; k < 8; ++k) part[k] = (char)('a' + ((key >> (k + (i & 7))) & 15));
            sum += (unsigned char)part[i & 7];
            «if (write($name, part, sizeof part) < 0) return 0;¦for (int k = 0; k < 8; ++k) all[used++] = part[k];»
        }
        «¦if (write($name, all, used) < 0) return 0;»
        return sum;""", n=n, name=name))


@local("syscall-storm", (1300.0, 12.0), (16, 400), c=True, kinds=("small-io", "io-overhead"))
def small_reads(p, n, plan):
    """A pread for each number, or one for all."""
    p.includes("unistd.h")
    name = p.names.variable()
    size = p.rng.choice([4, 8])
    _file(p, plan, name, 65536 + n * 8)
    return _piece(p, fill("""
        uint64_t sum = 0;
        const off_t first = (off_t)(key & 0xffff);
        «¦static $own uint8_t all[$n * $size];
        if (pread($name, all, sizeof all, first) < 0) return 0;»
        for (unsigned i = 0; i < ${n}u; ++i) {
            «uint8_t part[$size];
            if (pread($name, part, sizeof part, first + i * $size) < 0) return 0;
            sum += part[0] + (key >> (i & 31));¦sum += all[i * $size] + (key >> (i & 31));»
        }
        return sum;""", n=n, name=name, size=size, own="thread_local" if p.is_cpp else "__thread"))


@local("syscall-storm", (1500.0, 30.0), (8, 300), kinds=("small-io", "io-overhead", "formatting"))
def flushed_lines(p, n, plan):
    """A line flushed each time."""
    p.includes("fstream")
    return _piece(p, fill("""
        static thread_local std::ofstream out("/dev/null");
        uint64_t sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            const unsigned part = static_cast<unsigned>(key >> (i & 31)) & 0xff;
            out << part << «std::endl¦'\\n'»;
            sum += part;
        }
        return sum;""", n=n))


@local("io-wait", (300000.0, 20000.0), (1, 3), c=True, without=("mpi",), kinds=("small-io",))
def synced(p, n, plan):
    """fsync after each record, or after the last of a thread's."""
    name = p.names.variable()
    _file(p, plan, name, 1 << 20)
    return _piece(p, fill("""
        uint64_t sum = 0, record[32];
        for (unsigned i = 0; i < ${n}u; ++i) {
            for (int k = 0; k < 32; ++k) record[k] = key * (i + k);
            if (pwrite($name, record, sizeof record, (off_t)(key % 4000u) * 256) < 0) return 0;
            «$sync($name);¦»
            sum += record[i & 31];
        }
        return sum;""", n=n, name=name, sync=p.rng.choice(["fsync", "fdatasync"])))


@local("io-wait", (73000.0, 7000.0), (1, 20), c=True, without=("mpi",), kinds=("syscall-storm",))
def direct_reads(p, n, plan):
    """Reads past the kernel's cache, or through it."""
    name = p.names.variable()
    p.includes("fcntl.h", "unistd.h")
    _c(p, "stdlib")
    if not p.is_cpp:
        p.flags.append("-D_GNU_SOURCE")
    p.add(f"static int {name} = -1;")
    plan.setup += fill("""
        {
            char path_name[] = "/var/tmp/partXXXXXX";
            static char block[1 << 16];
            const int made = mkstemp(path_name);
            for (int i = 0; i < 64; ++i) if (made < 0 || write(made, block, sizeof block) < 0) return 1;
            fsync(made);
            $name = open(path_name, O_RDONLY«| O_DIRECT¦»);
            close(made);
            if ($name < 0 || unlink(path_name) != 0) return 1;
        }""", name=name) + "\n"
    return _piece(p, fill("""
        uint64_t sum = 0;
        static $own char space[16384];
        char* block = (char*)(((uintptr_t)space + 4095) & ~(uintptr_t)4095);
        for (unsigned i = 0; i < ${n}u; ++i) {
            if (pread($name, block, 8192, (off_t)((key + i) % 500u) * 8192) < 0) return 0;
            sum += (unsigned char)block[key & 4095] + (key >> (i & 31));
        }
        return sum;""", n=n, name=name, own="thread_local" if p.is_cpp else "__thread"))


@local("process-churn", (2500000.0, 5000.0), (1, 3), c=True, without=("mpi", "fork"), most=3.0)
def spawned(p, n, plan):
    """A program started for each small job."""
    p.includes("spawn.h", "sys/wait.h")
    _c(p, "stdlib")
    p.add("extern char** environ;")
    program = p.rng.choice(["/bin/true", "/bin/echo"])
    return _piece(p, fill("""
        uint64_t sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            «char name[] = "$program", flag[] = "-n";
            char* arguments[] = {name, flag, NULL};
            pid_t child;
            int status = 0;
            if (posix_spawn(&child, name, NULL, NULL, arguments, environ) != 0) return 0;
            waitpid(child, &status, 0);
            sum += (key >> (i & 31)) + (uint64_t)status;¦sum += key >> (i & 31);»
        }
        return sum;""", n=n, program=program))


@local("process-churn", (2300000.0, 5000.0), (1, 2), c=True, without=("mpi", "fork"), most=3.0)
def shell(p, n, plan):
    """A shell that computes, read through a pipe."""
    _c(p, "stdlib")
    return _piece(p, fill("""
        uint64_t sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            const unsigned first = (unsigned)(key >> 40) & 0xffff;
            unsigned value = 0;
            «char command[64];
            snprintf(command, sizeof command, "echo $$$$((%u * 3))", first);
            FILE* answer = popen(command, "r");
            if (!answer || fscanf(answer, "%u", &value) != 1) return 0;
            pclose(answer);¦value = first * 3;»
            sum += value;
        }
        return sum;""".replace("$$$$", "$$"), n=n))


@local("process-churn", (750000.0, 1500.0), (1, 3), c=True, without=("mpi", "fork"), most=3.0)
def forked(p, n, plan):
    """A child for each call, or a call."""
    p.includes("sys/wait.h", "unistd.h")
    inner, name = p.define("uint64_t value", "for (int i = 0; i < 300; ++i) value = (value ^ (value >> 27)) * 0x9e3779b97f4a7c15u;\nreturn value & 127;")
    return _piece(p, fill("""
        uint64_t sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            «const pid_t child = fork();
            if (child == 0) _exit((int)$inner(key + i));
            int status = 0;
            waitpid(child, &status, 0);
            sum += (uint64_t)WEXITSTATUS(status);¦sum += $inner(key + i);»
        }
        return sum;""", n=n, inner=inner), inner=[name])


@local("periodic-pause", (0.42, 0.001), (200000, 2000000), c=True, kinds=("slow-instance", "io-wait"), steps=(1, 3))
def upkeep(p, n, plan):
    """Every so many calls of a thread a pause, or all the time a little."""
    every = p.rng.choice([16, 25, 40, 64])
    own = "thread_local" if p.is_cpp else "__thread"
    inner, name = p.define("uint64_t value", fill("""
        for (unsigned i = 0; i < ${n}u; ++i) value = (value ^ (value >> 27)) * $b;
        return value;""", n=max(1000, n * every // 4), b=p.odd()), dress="noinline")
    return _piece(p, fill("""
        static $own unsigned count;
        static $own uint64_t kept;
        uint64_t low = 0;
        «if (++count % ${every}u == 0) kept = $inner(key);¦if (++count == 0) kept = $inner(key);»
        low = kept == 1;
        return low + (key >> 3);""", every=every, inner=inner, own=own), inner=[name])


@local("periodic-pause", (2.0, 0.001), (60000, 300000), c=True, kinds=("polling-sleep", "io-wait"), steps=(1, 3))
def rests(p, n, plan):
    """Sleeps after every so many calls; a unit is a nanosecond of two processors."""
    p.includes("unistd.h")
    every = p.rng.choice([20, 30, 50])
    own = "thread_local" if p.is_cpp else "__thread"
    return _piece(p, fill("""
        static $own unsigned count;
        ++count;
        «if (count % ${every}u == 0) usleep($us);¦»
        return (key >> 3) + (count == 0);""", every=every, us=max(100, n * every * 2 // 1000), own=own))


@local("slow-instance", (0.65, 0.07), (100000, 3000000), c=True, kinds=("quadratic", "load-imbalance"), steps=(1, 3))
def bad_pivot(p, n, plan):
    """Some input is in order already, and the pivot is the first of it; a unit is a step of comparing."""
    size = max(300, min(3000, int((2 * n) ** 0.5 * 3.5)))
    one_in = max(2, round(size * size / 2 / n))
    sort = p.names.function()
    p.functions.append(sort)
    p.add(fill("""
        static void $sort(uint32_t* value, int count) {
            while (count > 1) {
                const int at = «0¦count / 2»;
                const uint32_t pivot = value[at];
                value[at] = value[0];
                int low = 0;
                for (int i = 1; i < count; ++i)
                    if (value[i] < pivot) {
                        const uint32_t other = value[++low];
                        value[low] = value[i];
                        value[i] = other;
                    }
                value[0] = value[low];
                value[low] = pivot;
                if (low < count - low - 1) {
                    $sort(value, low);
                    value += low + 1;
                    count -= low + 1;
                } else {
                    $sort(value + low + 1, count - low - 1);
                    count = low;
                }
            }
        }""", sort=sort))
    return _piece(p, fill("""
        uint32_t value[$size];
        uint64_t state = key | 1;
        for (int i = 0; i < $size; ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            value[i] = (key >> 11) % ${one_in}u == 0 ? (uint32_t)i * 3 : (uint32_t)(state >> 33);
        }
        $sort(value, $size);
        return value[$size / 2] + (uint64_t)value[3];""", size=size, sort=sort, one_in=one_in), inner=[sort])


@local("slow-instance", (0.69, 0.03), (100000, 3000000), kinds=("hashing", "quadratic", "load-imbalance"), steps=(1, 3))
def one_bucket(p, n, plan):
    """Some keys all fall into one bucket."""
    p.includes("vector")
    size = p.rng.choice([512, 1024])
    one_in = max(2, round(size * size / 2 / n)) if size * size / 2 > 2 * n else 2
    rounds = max(1, round(n * one_in / (size * size / 2)))
    return _piece(p, fill("""
        const uint32_t stride = (key >> 13) % ${one_in}u == 0 ? ${size}u : 1u;
        uint64_t sum = 0;
        for (unsigned round = 0; round < ${rounds}u; ++round) {
            std::vector<uint32_t> table($size * 2, 0);
            for (uint32_t i = 1; i <= ${size}u; ++i) {
                const uint32_t value = i * stride;
                uint32_t place = «value % ${size}u¦(value * 2654435761u) >> $shift»;
                while (table[place] != 0) place = (place + 1) % (2 * ${size}u);
                table[place] = value;
            }
            for (uint32_t one : table) sum += one;
        }
        return sum + (key & 7);""", size=size, rounds=rounds, one_in=one_in, shift=32 - (size * 2).bit_length() + 1))
