"""A pipeline: a source, workers and a sink with bounded queues between them."""

from .code import fill
from .plan import add_main, add_range


def add_queue(p, capacity, notify="notify_one"):
    """A bounded queue, in one of two forms; returns its type and the names of its two functions."""
    p.includes("condition_variable", "mutex")
    kind, put, take, guard = p.names.type(), p.names.function(), p.names.function(), p.names.variable()
    p.functions += [put, take]
    form = p.rng.choice(["deque", "ring"])
    if form == "deque":
        p.includes("deque")
        store, size, push, pop = "std::deque<T> items_;", "items_.size()", "items_.push_back(value);", "T value = items_.front();\nitems_.pop_front();"
    else:
        store, size = f"T items_[{capacity}];\nunsigned head_ = 0, count_ = 0;", "count_"
        push = f"items_[(head_ + count_++) % {capacity}u] = value;"
        pop = f"T value = items_[head_];\nhead_ = (head_ + 1) % {capacity}u;\n--count_;"
    p.add(fill("""
        template <typename T>
        class $kind {
        public:
            void $put(T value) {
                std::unique_lock<std::mutex> hold($guard);
                space_.wait(hold, [this] { return $size < $capacity; });
                $push
                hold.unlock();
                filled_.$notify();
            }
            T $take() {
                std::unique_lock<std::mutex> hold($guard);
                filled_.wait(hold, [this] { return $size > 0; });
                $pop
                hold.unlock();
                space_.$notify();
                return value;
            }
            bool try_take(T& into) {
                std::unique_lock<std::mutex> hold($guard);
                if ($size == 0) return false;
                $pop
                into = value;
                hold.unlock();
                space_.$notify();
                return true;
            }

        private:
            std::mutex $guard;
            std::condition_variable filled_, space_;
            $store
        };""", kind=kind, put=put, take=take, guard=guard, capacity=capacity, store=store, size=size, push=push, pop=pop, notify=notify))
    return kind, put, take


def farm(p, plan):
    """A source hands ranges to workers, and a sink adds up."""
    p.includes("thread", "vector")
    v = p.names.variable
    piece = add_range(p, plan)
    kind, put, take = add_queue(p, p.rng.choice([4, 8, 16, 32]), plan.notify)
    work, feed, gather, job = p.names.function(), p.names.function(), p.names.function(), p.names.type()
    p.functions += [work, feed, gather]
    todo, done = v(), v()
    plan.workers_functions.append(work)
    plan.makers += [feed, put, "main"]
    plan.waiters += [gather, work, feed, "main", take, put]
    grain = plan.grain or str(max(1, plan.items // p.rng.choice([16, 32, 64])))
    take_sum = f"uint64_t part = {done}.{take}();"
    if plan.poll:
        take_sum = "uint64_t part = 0;\n" + plan.poll(f"{done}.try_take(part)", f"part = {done}.{take}();")
    produce = plan.produce.replace("total", "sum") if plan.produce else ""
    p.add(fill("""
        struct $job {
            uint32_t begin, end, step;
            bool last;
        };
        static $kind<$job> $todo;
        static $kind<uint64_t> $done;

        static void $feed() {
            $sum
            for (uint32_t step = 0; step < ${steps}u; ++step)
                for (uint32_t begin = 0; begin < ${items}u; begin += $grain) {
                    $produce
                    $todo.$put({begin, begin + ($grain) < ${items}u ? begin + ($grain) : ${items}u, step, false});
                }
            for (unsigned w = 0; w < ${workers}u; ++w) $todo.$put({0, 0, 0, true});
            $give
        }

        static void $work([[maybe_unused]] unsigned w) {
            for (;;) {
                const $job one = $todo.$take();
                if (one.last) return;
                $done.$put($piece);
            }
        }

        static uint64_t $gather(uint32_t count) {
            uint64_t sum = 0;
            for (uint32_t i = 0; i < count; ++i) {
                $take_sum
                sum += part;
            }
            return sum;
        }""", job=job, kind=kind, todo=todo, done=done, feed=feed, steps=plan.steps, items=plan.items, grain=grain, workers=plan.workers, produce=produce,
        sum="uint64_t sum = 0;" if produce else "", give=f"{done}.{put}(sum);" if produce else "", put=put, take=take, work=work, gather=gather, take_sum=take_sum,
        piece=piece("one.begin", "one.end", "one.step", "w")))
    crew = v()
    count = f"{plan.steps}u * ((({plan.items}u) + ({grain}) - 1) / ({grain}))" + (" + 1" if produce else "")
    add_main(p, plan.setup + "\n" + fill("""
        std::vector<std::thread> $crew;
        for (unsigned w = 0; w < ${workers}u; ++w) $crew.emplace_back($work, w);
        $crew.emplace_back($feed);
        total = $gather($count);
        for (auto& one : $crew) one.join();""", crew=crew, workers=plan.workers, work=work, feed=feed, gather=gather, count=count))
