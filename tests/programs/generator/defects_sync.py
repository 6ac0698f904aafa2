"""Shared lines, words and locks."""

from .code import fill
from .defect import Piece, local


def _mutex(p, name):
    """Declaration and the statements that take and release it."""
    if p.topology in ("openmp", "tasks") and p.rng.random() < 0.5:
        return "", f"#pragma omp critical({name})\n{{", "}"
    if p.is_cpp:
        if p.rng.random() < 0.7:
            p.includes("mutex")
            return f"static std::mutex {name};", f"{{\n    std::lock_guard<std::mutex> hold({name});", "}"
        p.includes("mutex")
        return f"static std::mutex {name};", f"{{\n    {name}.lock();", f"    {name}.unlock();\n}}"
    p.includes("pthread.h")
    return f"static pthread_mutex_t {name} = PTHREAD_MUTEX_INITIALIZER;", f"{{\n    pthread_mutex_lock(&{name});", f"    pthread_mutex_unlock(&{name});\n}}"


ONE_PROCESS = ("fork", "mpi")


@local("lock-contention", (2.8, 1.4), (500, 20000), c=True, kinds=("serial-section",), without=ONE_PROCESS, most=2.2)
def work_inside(p, n, plan):
    """Work under a lock that only the sum needs."""
    name, shared = p.names.variable(), p.names.variable()
    declare, take, release = _mutex(p, name)
    p.add((declare + "\n" if declare else "") + f"static uint64_t {shared};")
    inner, iname = p.define("uint64_t value", fill("""
        for (unsigned i = 0; i < ${n}u; ++i) value = (value ^ (value >> 27)) * $b;
        return value;""", n=n, b=p.odd()), dress="noinline")
    callee, fname = p.define("uint64_t key", fill("""
        uint64_t part = 0;
        «¦part = $inner(key);»
        $take
            «part = $inner(key);¦»
            $shared += part;
        $release
        return part;""", inner=inner, take=take, release=release, shared=shared))
    return Piece(callee, [fname, iname])


@local("lock-contention", (2.8, 1.4), (500, 20000), kinds=("serial-section",), without=ONE_PROCESS, most=2.2)
def shared_cache(p, n, plan):
    """Answers are made while the lock of their table is held."""
    p.includes("mutex", "unordered_map")
    owner, guard, table, size = p.names.type(), p.names.variable(), p.names.variable(), p.rng.choice([8, 64, 200])
    make, look = p.names.function(), p.names.function()
    p.functions += [make, look]
    p.add(fill("""
        class $owner {
        public:
            uint64_t $look(uint64_t key) {
                «std::lock_guard<std::mutex> hold($guard);
                uint64_t& slot = $table[key % ${size}u];
                const uint64_t made = $make(key);
                slot = slot < made ? made : slot;
                return made;¦const uint64_t made = $make(key);
                std::lock_guard<std::mutex> hold($guard);
                uint64_t& slot = $table[key % ${size}u];
                slot = slot < made ? made : slot;
                return made;»
            }

        private:
            static uint64_t $make(uint64_t value) {
                for (unsigned i = 0; i < ${n}u; ++i) value = value * $b + (value >> 31);
                return value;
            }
            std::mutex $guard;
            std::unordered_map<uint64_t, uint64_t> $table;
        };
        static $owner $instance;""", owner=owner, guard=guard, table=table, size=size, make=make, look=look, n=n, b=p.odd(),
               instance=(instance := p.names.variable())))
    callee, name = p.define("uint64_t key", f"return {instance}.{look}(key);")
    return Piece(callee, [name, make, look])


@local("lock-convoy", (120.0, 1.5), (20, 800), c=True, kinds=("lock-contention", "locking-overhead"), without=ONE_PROCESS)
def each_addition(p, n, plan):
    """A lock for each addition, or for each sum."""
    name, shared = p.names.variable(), p.names.variable()
    declare, take, release = _mutex(p, name)
    p.add((declare + "\n" if declare else "") + f"static uint64_t {shared};")
    callee, fname = p.define("uint64_t key", fill("""
        uint64_t value = key, part = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            value = (value ^ (value >> 29)) * $b;
            part += value & 0xff;
            «$take
                $shared += value & 0xff;
            $release¦»
        }
        «¦$take
            $shared += part;
        $release»
        return part;""", n=n, take=take, release=release, shared=shared, b=p.odd()))
    return Piece(callee, [fname])


@local("lock-convoy", (150.0, 3.0), (20, 800), kinds=("lock-contention", "locking-overhead"), without=ONE_PROCESS)
def shared_queue(p, n, plan):
    """Numbers from a shared counter under a lock, one by one or by the dozen."""
    p.includes("mutex")
    owner, guard, count, instance, step = p.names.type(), p.names.variable(), p.names.variable(), p.names.variable(), p.names.function()
    p.functions.append(step)
    p.add(fill("""
        class $owner {
        public:
            uint64_t $step(uint64_t amount) {
                std::lock_guard<std::mutex> hold($guard);
                return $count += amount;
            }

        private:
            std::mutex $guard;
            uint64_t $count = 0;
        };
        static $owner $instance;""", owner=owner, guard=guard, count=count, instance=instance, step=step))
    callee, name = p.define("uint64_t key", fill("""
        uint64_t sum = 0, last = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            const uint64_t amount = (key >> (i & 31)) & 7;
            sum += amount;
            «last |= $instance.$step(amount);¦»
        }
        «¦last = $instance.$step(sum);»
        return sum + (last >> 63);""", n=n, instance=instance, step=step))
    return Piece(callee, [name, step])


@local("reader-writer", (2.8, 1.4), (1000, 20000), kinds=("lock-contention", "serial-section"), without=ONE_PROCESS, most=2.2)
def read_only(p, n, plan):
    """Reads of a table under the lock for writers, or for readers."""
    p.includes("mutex", "shared_mutex", "vector")
    guard, table = p.names.variable(), p.names.variable()
    size = p.rng.choice([1000, 4000])
    p.add(f"static std::shared_mutex {guard};\nstatic std::vector<uint32_t> {table}({size});")
    plan.setup += f"for (uint32_t i = 0; i < {size}u; ++i) {table}[i] = i * 40503u;\n"
    callee, name = p.define("uint64_t key", fill("""
        «std::unique_lock¦std::shared_lock»<std::shared_mutex> hold($guard);
        uint64_t place = key, sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            sum += $table[(place >> 32) % ${size}u];
            place = place * 2862933555777941757u + i;
        }
        return sum;""", guard=guard, table=table, n=n, size=size))
    return Piece(callee, [name])


@local("reader-writer", (2.8, 1.4), (1000, 20000), c=True, kinds=("lock-contention", "serial-section"), without=ONE_PROCESS, most=2.2)
def read_only_posix(p, n, plan):
    p.includes("pthread.h")
    guard, table = p.names.variable(), p.names.variable()
    size = p.rng.choice([512, 2048])
    p.add(f"static pthread_rwlock_t {guard} = PTHREAD_RWLOCK_INITIALIZER;\nstatic uint32_t {table}[{size}];")
    plan.setup += f"for (uint32_t i = 0; i < {size}u; ++i) {table}[i] = i * 40503u;\n"
    inner, iname = p.define("uint64_t place", fill("""
        uint64_t sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            sum += $table[(place >> 32) % ${size}u];
            place = place * 2862933555777941757u + i;
        }
        return sum;""", table=table, n=n, size=size))
    callee, name = p.define("uint64_t key", fill("""
        pthread_rwlock_«wr¦rd»lock(&$guard);
        const uint64_t sum = $inner(key);
        pthread_rwlock_unlock(&$guard);
        return sum;""", guard=guard, inner=inner))
    return Piece(callee, [name, iname])


@local("false-sharing", (6.0, 1.5), (500, 20000), c=True, kinds=("true-sharing",), without=ONE_PROCESS + ("pipeline",))
def counters(p, n, plan):
    """Counters of all threads in one line, or a line for each."""
    kind, shared, field = p.names.type(), p.names.variable(), p.names.variable()
    extra = p.rng.choice([0, 1])
    p.add(fill("""
        struct $kind {
            uint64_t $field;
            «¦char rest[$rest];»
            $more
        };
        static volatile struct $kind $shared[64] __attribute__((aligned(128)));""", kind=kind, field=field, shared=shared,
               rest=120 - 8 * extra, more="uint64_t most;" if extra else ""))
    callee, name = p.define("uint64_t key, unsigned lane", fill("""
        uint64_t value = key;
        const uint64_t before = $shared[lane & 63].$field;
        for (unsigned i = 0; i < ${n}u; ++i) {
            value = value * $b + i;
            $shared[lane & 63].$field = $shared[lane & 63].$field + (value >> 40);
        }
        return $shared[lane & 63].$field - before;""", shared=shared, field=field, n=n, b=p.odd()))
    return Piece(callee, [name], lane=True)


@local("true-sharing", (30.0, 1.5), (100, 5000), kinds=("false-sharing", "atomic-contention", "lock-contention"), without=ONE_PROCESS)
def one_counter(p, n, plan):
    """An atomic counter of all threads, or a sum of the call's own."""
    p.includes("atomic")
    name = p.names.variable()
    p.add(f"static std::atomic<uint64_t> {name};")
    order = p.rng.choice(["", ", std::memory_order_relaxed"])
    callee, fname = p.define("uint64_t key", fill("""
        uint64_t value = key, sum = 0;
        for (unsigned i = 0; i < ${n}u; ++i) {
            value = (value ^ (value >> 29)) * $b;
            sum += value & 15;
            «$name.fetch_add(value & 15$order);¦»
        }
        «¦$name.fetch_add(sum$order);»
        return sum;""", n=n, name=name, b=p.odd(), order=order))
    return Piece(callee, [fname])


@local("true-sharing", (25.0, 1.5), (100, 5000), c=True, kinds=("false-sharing", "atomic-contention", "lock-contention"), without=ONE_PROCESS)
def shared_bins(p, n, plan):
    """One table of counts for all, or one of the call's own."""
    bins = p.rng.choice([4, 8, 16])
    name = p.names.variable()
    p.add(f"static uint64_t {name}[{bins}];")
    callee, fname = p.define("uint64_t key", fill("""
        uint64_t value = key, sum = 0;
        «¦uint64_t own[$bins] = {0};»
        for (unsigned i = 0; i < ${n}u; ++i) {
            value = (value ^ (value >> 29)) * $b;
            sum += value & 15;
            «__atomic_fetch_add(&$name[value % ${bins}u], 1, __ATOMIC_RELAXED);¦++own[value % ${bins}u];»
        }
        «¦for (unsigned i = 0; i < ${bins}u; ++i) __atomic_fetch_add(&$name[i], own[i], __ATOMIC_RELAXED);»
        return sum;""", n=n, name=name, b=p.odd(), bins=bins))
    return Piece(callee, [fname])
