"""Work that is handed over: a pool with a queue, std::async, and coroutines on a scheduler of their own."""

from .code import fill, indent
from .plan import add_main, add_range


def _grain(p, plan):
    return plan.grain or str(max(1, plan.items // p.rng.choice([8, 12, 16, 24])))


def _steps(plan, text):
    between = "\n" + plan.between if plan.between else ""
    return f"for (uint32_t step = 0; step < {plan.steps}u; ++step) {{\n{indent(text + between)}\n}}"


def pool(p, plan):
    p.includes("condition_variable", "deque", "functional", "mutex", "thread", "vector", "atomic")
    v = p.names.variable
    n = dict(Pool=p.names.type(), guard=v(), ready=v(), idle=v(), jobs=v(), crew=v(), open=v(), left=v(), slots=v(),
             submit=p.names.function(), run=p.names.function(), finish=p.names.function(), workers=plan.workers, notify=plan.notify)
    piece = add_range(p, plan)
    p.functions += [n["run"], n["submit"], n["finish"]]
    p.add(fill("""
        class $Pool {
        public:
            explicit $Pool(unsigned count) : $slots(count) {
                for (unsigned w = 0; w < count; ++w) $crew.emplace_back([this, w] { $run(w); });
            }
            ~$Pool() {
                {
                    std::lock_guard<std::mutex> hold($guard);
                    $open = false;
                }
                $ready.notify_all();
                for (auto& one : $crew) one.join();
            }
            void $submit(std::function<uint64_t(unsigned)> job) {
                {
                    std::lock_guard<std::mutex> hold($guard);
                    $jobs.push_back(std::move(job));
                    ++$left;
                }
                $ready.$notify();
            }
            uint64_t $finish() {
                std::unique_lock<std::mutex> hold($guard);
                $idle.wait(hold, [this] { return $left == 0; });
                uint64_t sum = 0;
                for (auto& one : $slots) {
                    sum += one;
                    one = 0;
                }
                return sum;
            }
            bool quiet() {
                std::lock_guard<std::mutex> hold($guard);
                return $left == 0;
            }

        private:
            void $run(unsigned w) {
                std::unique_lock<std::mutex> hold($guard);
                for (;;) {
                    $ready.wait(hold, [this] { return !$open || !$jobs.empty(); });
                    if ($jobs.empty()) return;
                    auto job = std::move($jobs.front());
                    $jobs.pop_front();
                    hold.unlock();
                    const uint64_t result = job(w);
                    hold.lock();
                    $slots[w] += result;
                    if (--$left == 0) $idle.notify_all();
                }
            }
            std::mutex $guard;
            std::condition_variable $ready, $idle;
            std::deque<std::function<uint64_t(unsigned)>> $jobs;
            std::vector<uint64_t> $slots;
            bool $open = true;
            unsigned $left = 0;
            std::vector<std::thread> $crew;
        };""", **n))
    each = p.names.function()
    p.functions.append(each)
    plan.makers += [each, n["submit"], n["Pool"]]
    plan.waiters += [each, n["finish"], n["run"], "main", "quiet", n["submit"]]
    plan.workers_functions.append(n["run"])
    now = f"«\nsum += crew.{n['finish']}();¦»" if plan.premature else ""
    produce = plan.produce.replace("total", "sum") + "\n" if plan.produce else ""
    p.add(fill("""
        static uint64_t $each($Pool& crew, uint32_t step) {
            uint64_t sum = 0;
            for (uint32_t begin = 0; begin < ${items}u; begin += $grain) {
                const uint32_t end = begin + ($grain) < ${items}u ? begin + ($grain) : ${items}u;
                $produce
                crew.$submit([=]([[maybe_unused]] unsigned w) { return $piece; });$now
            }
            $poll
            sum += crew.$finish();
            return sum;
        }""", each=each, items=plan.items, grain=_grain(p, plan), piece=piece("begin", "end", "step", "w"), now=now,
        produce=produce.rstrip(), poll=plan.poll("crew.quiet()") if plan.poll else "", **{k: n[k] for k in ("Pool", "submit", "finish")}))
    made = f"{n['Pool']} crew({plan.workers});"
    if plan.churn:
        text = f"«¦{made}»\nfor (uint32_t step = 0; step < {plan.steps}u; ++step) {{\n    «{made}¦»\n    total += {each}(crew, step);\n}}"
    else:
        text = made + "\n" + _steps(plan, f"total += {each}(crew, step);")
    add_main(p, plan.setup + "\n" + text)


def futures(p, plan):
    p.includes("future", "vector")
    piece = add_range(p, plan)
    v, each = p.names.variable, p.names.function()
    p.functions.append(each)
    plan.waiters += [each, "main"]
    plan.makers += [each]
    waiting = v()
    if plan.churn:
        grain = f"«{max(1, plan.items // 60)}u¦{(plan.items + 1) // 2}u»"
    else:
        grain = plan.grain or f"{max(1, -(-plan.items // p.rng.choice([2, 2, 4])))}"
    form = p.rng.choice(["async", "packaged"]) if not plan.churn else "async"
    make = "std::async(std::launch::async, [=] { return $piece; })"
    if form == "packaged" and not plan.premature and not plan.poll:
        p.includes("thread")
        make = None
    worker = f"(unsigned)(begin / ({grain})) % 64u"
    work = piece("begin", "end", "step", "w")
    capture = f"[=, w = {worker}]" if plan.lane else "[=]"
    if make:
        make = f"{waiting}.push_back(std::async(std::launch::async, {capture} {{ return {work}; }}));"
        crew, joined = "", ""
    else:
        crew = "std::vector<std::thread> crew;"
        make = fill("""
            std::packaged_task<uint64_t()> task($capture { return $work; });
            $waiting.push_back(task.get_future());
            crew.emplace_back(std::move(task));""", capture=capture, work=work, waiting=waiting)
        joined = "for (auto& one : crew) one.join();"
    now = f"«\n{waiting}.back().wait();¦»" if plan.premature else ""
    poll = ""
    if plan.poll:
        p.includes("chrono")
        poll = f"«for (auto& one : {waiting}) {{\n" + indent(plan.poll("one.wait_for(std::chrono::seconds(0)) == std::future_status::ready")) + "\n}¦»"
    p.add(fill("""
        static uint64_t $each(uint32_t step) {
            std::vector<std::future<uint64_t>> $waiting;
            $crew
            for (uint32_t begin = 0; begin < ${items}u; begin += $grain) {
                const uint32_t end = begin + ($grain) < ${items}u ? begin + ($grain) : ${items}u;
                $make$now
            }
            $poll
            uint64_t sum = 0;
            for (auto& one : $waiting) sum += one.get();
            $joined
            return sum;
        }""", each=each, waiting=waiting, items=plan.items, grain=grain, make=make, now=now, poll=poll, crew=crew, joined=joined))
    add_main(p, plan.setup + "\n" + _steps(plan, f"total += {each}(step);"))


def coroutines(p, plan):
    p.includes("condition_variable", "coroutine", "deque", "exception", "mutex", "thread", "vector")
    v = p.names.variable
    piece = add_range(p, plan)
    n = dict(Job=p.names.type(), Loop=p.names.type(), later=p.names.function(), drive=p.names.function(), walk=p.names.function(),
             ready=v(), guard=v(), more=v(), left=v(), grain=_grain(p, plan), items=plan.items, workers=plan.workers, steps=plan.steps,
             notify=plan.notify, done=p.names.function())
    p.functions += [n["drive"], n["walk"], n["later"]]
    plan.workers_functions += [n["drive"], n["walk"]]
    plan.waiters += [n["drive"], "main", n["later"], n["done"]]
    plan.makers += [n["walk"], n["later"], "main"]
    p.add(fill("""
        struct $Job {
            struct promise_type {
                $Job get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
                std::suspend_always initial_suspend() noexcept { return {}; }
                std::suspend_always final_suspend() noexcept { return {}; }
                void return_void() {}
                void unhandled_exception() { std::terminate(); }
            };
            std::coroutine_handle<promise_type> handle;
        };

        class $Loop {
        public:
            void $later(std::coroutine_handle<> handle) {
                {
                    std::lock_guard<std::mutex> hold($guard);
                    $ready.push_back(handle);
                }
                $more.$notify();
            }
            void expect(unsigned count) {
                std::lock_guard<std::mutex> hold($guard);
                $left += count;
            }
            void $done() {
                std::lock_guard<std::mutex> hold($guard);
                if (--$left == 0) $more.notify_all();
            }
            bool quiet() {
                std::lock_guard<std::mutex> hold($guard);
                return $left == 0;
            }
            void $drive() {
                std::unique_lock<std::mutex> hold($guard);
                for (;;) {
                    $more.wait(hold, [this] { return $left == 0 || !$ready.empty(); });
                    if ($ready.empty()) return;
                    auto handle = $ready.front();
                    $ready.pop_front();
                    hold.unlock();
                    handle.resume();
                    hold.lock();
                }
            }
            auto turn() {
                struct Turn {
                    $Loop* loop;
                    bool await_ready() const noexcept { return false; }
                    void await_suspend(std::coroutine_handle<> handle) { loop->$later(handle); }
                    void await_resume() const noexcept {}
                };
                return Turn{this};
            }

        private:
            std::mutex $guard;
            std::condition_variable $more;
            std::deque<std::coroutine_handle<>> $ready;
            unsigned $left = 0;
        };""", **n))
    pieces = v()
    count = p.rng.choice([2, 3, 4, 6])
    p.add(fill("""
        static $Job $walk($Loop& loop, uint32_t begin, uint32_t last, uint32_t step, [[maybe_unused]] unsigned w, uint64_t& sum) {
            for (; begin < last; begin += $grain) {
                const uint32_t end = begin + ($grain) < last ? begin + ($grain) : last;
                sum += $piece;
                co_await loop.turn();
            }
            loop.$done();
        }""", piece=piece("begin", "end", "step", "w"), **{k: n[k] for k in ("Job", "Loop", "walk", "grain", "done")}))
    threads = [f"std::vector<std::thread> crew;\nfor (unsigned w = 1; w < {plan.workers}; ++w) crew.emplace_back([&] {{ loop.{n['drive']}(); }});"]
    if plan.poll:
        own = "crew.emplace_back([&] { loop.%s(); });\n%s" % (n["drive"], plan.poll("loop.quiet()"))
    else:
        own = f"loop.{n['drive']}();"
    start = fill("""
        $Loop loop;
        std::vector<$Job> $pieces;
        std::vector<uint64_t> sums($count);
        loop.expect($count);
        for (unsigned w = 0; w < ${count}u; ++w) {
            $pieces.push_back($walk(loop, w * ${items}u / ${count}u, (w + 1) * ${items}u / ${count}u, step, w, sums[w]));
            loop.$later($pieces.back().handle);
        }
        $threads
        $own
        for (auto& one : crew) one.join();
        for (auto& one : $pieces) one.handle.destroy();
        for (uint64_t one : sums) total += one;""", pieces=pieces, count=count, threads=threads[0], own=own,
        **{k: n[k] for k in ("Loop", "Job", "walk", "items", "later")})
    add_main(p, plan.setup + "\n" + _steps(plan, start))
