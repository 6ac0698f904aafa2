"""Threads over ranges of items: made for each step, kept between barriers, or fed from a counter; C++ and C."""

from .code import fill, indent
from .plan import add_main, add_range


def _steps(plan, inner):
    """Text of all steps of which each has inner, then what lies between."""
    between = "\n" + plan.between if plan.between else ""
    return f"for (uint32_t step = 0; step < {plan.steps}u; ++step) {{\n{indent(inner + between)}\n}}"


def _spawn(p, plan):
    """Threads made for each step (or, without anything between and by chance, once for all steps)."""
    p.includes("thread", "vector", "atomic")
    v = p.names.variable
    crew, slots, ready, run = v(), v(), v(), p.names.function()
    plan.workers_functions.append(run)
    p.functions.append(run)
    lane = "w"
    counted = plan.grain or p.rng.random() < 0.4 and not plan.strided
    done = f"\n    {ready}.fetch_add(1, std::memory_order_release);" if plan.poll else ""
    done_parameter = f", std::atomic<unsigned>& {ready}" if plan.poll else ""
    if counted:
        piece = add_range(p, plan)
        grain = plan.grain or str(max(1, plan.items // p.rng.choice([16, 32, 64])))
        p.add(f"static std::atomic<uint32_t> {(next_ := v())}{{0}};")
        inner = fill("""
            for (;;) {
                const uint32_t begin = $next.fetch_add($grain);
                if (begin >= ${n}u) break;
                const uint32_t end = begin + ($grain) < ${n}u ? begin + ($grain) : ${n}u;
                sum += $piece;
            }""", next=next_, grain=grain, n=plan.items, piece=piece("begin", "end", "step", lane))
        reset = f"{next_} = 0;\n"
    else:
        inner = f"{plan.loop('i', 'w')} sum += {plan.call('i', 'step', lane)};"
        reset = ""
    outer = f"for (uint32_t step = first; step < last; ++step) {{\n{indent(inner)}\n}}"
    p.add(f"static void {run}(unsigned w, uint32_t first, uint32_t last, uint64_t& result{done_parameter}) {{\n    (void)w;\n    uint64_t sum = 0;\n"
          f"{indent(outer)}\n    result = sum;{done}\n}}")
    thread = p.rng.choice(["std::thread", "std::jthread"])
    step_range = "«step, step + 1¦0u, %du»" % plan.steps if plan.churn else "step, step + 1"
    launch = p.names.function()
    plan.makers.append(launch)
    p.functions.append(launch)
    make = f"{crew}.emplace_back({run}, w, first, last, std::ref({slots}[w]){', std::ref(' + ready + ')' if plan.poll else ''});"
    if plan.premature:
        make = make + f" «{crew}.back().join();¦»"
    body = fill("""
        std::vector<uint64_t> $slots($workers);
        std::vector<$thread> $crew;
        $ready_line
        for (unsigned w = 0; w < $slots.size(); ++w) { $make }
        $poll
        for (auto& one : $crew) $join
        uint64_t sum = 0;
        for (uint64_t one : $slots) sum += one;
        return sum;""", slots=slots, workers=plan.workers, thread=thread, crew=crew, make=make,
        ready_line=f"std::atomic<unsigned> {ready}{{0}};" if plan.poll else "",
        poll=plan.poll(f"{ready}.load(std::memory_order_acquire) == {slots}.size()") if plan.poll else "",
        join="if (one.joinable()) one.join();" if plan.premature else "one.join();")
    p.includes("functional")
    p.add(f"static uint64_t {launch}(uint32_t first, uint32_t last) {{\n{indent(body)}\n}}")
    plan.waiters += [launch]
    call = reset + f"total += {launch}({step_range});"
    if plan.churn:
        bad = f"for (uint32_t step = 0; step < {plan.steps}u; ++step) {{\n    total += {launch}(step, step + 1);\n}}"
        text = f"«{bad}¦total += {launch}(0, {plan.steps}u);»"
    else:
        text = _steps(plan, call)
    plan.waiters.append("main")
    add_main(p, plan.setup + "\n" + text)


def _barrier(p, plan):
    """Threads that stay, and meet at a barrier after each step."""
    p.includes("thread", "vector", "barrier")
    v = p.names.variable
    meet, crew, slots, run = v(), v(), v(), p.names.function()
    p.functions.append(run)
    plan.workers_functions.append(run)
    plan.waiters.append(run)
    p.add(f"static std::barrier<> {meet}({plan.workers});\nstatic std::vector<uint64_t> {slots}({plan.workers});\nstatic uint64_t total;")
    between = ""
    if plan.between:
        between = fill("""
            if (w == 0) {
                $between
            }
            $meet.arrive_and_wait();""", between=plan.between, meet=meet)
    p.add(fill("""
        static void $run(unsigned w) {
            uint64_t sum = 0;
            for (uint32_t step = 0; step < ${steps}u; ++step) {
                $loop sum += $call;
                $meet.arrive_and_wait();
                $between
            }
            $slots[w] = sum;
        }""", run=run, steps=plan.steps, loop=plan.loop("i", "w"), call=plan.call("i", "step", "w"), meet=meet,
        between=between, slots=slots))
    text = fill("""
        $setup
        std::vector<std::thread> $crew;
        for (unsigned w = 1; w < $slots.size(); ++w) $crew.emplace_back($run, w);
        $run(0);
        for (auto& one : $crew) one.join();
        for (uint64_t one : $slots) total += one;""", setup=plan.setup, crew=crew, slots=slots, run=run)
    body = add_main(p, text)
    p._parts[-1] = p._parts[-1].replace("    uint64_t total = 0;\n", "", 1)
    return body


def threads(p, plan):
    special = plan.poll or plan.premature or plan.churn or plan.grain
    if not special and plan.steps > 1 and (plan.steps > 40 or p.rng.random() < 0.6):
        return _barrier(p, plan)
    return _spawn(p, plan)


def pthreads(p, plan):
    """C: threads with a barrier of the library, or joined in each step."""
    p.includes("pthread.h")
    v = p.names.variable
    run, task, crew, meet = p.names.function(), p.names.type(), v(), v()
    p.functions.append(run)
    plan.workers_functions.append(run)
    loop = f"{plan.loop('i', 'w')} sum += {plan.call('i', 'step', 'w')};"
    head = fill("""
        struct $task {
            unsigned number;
            uint32_t first, last;
            uint64_t result;
        };
        static uint64_t total;""", task=task)
    p.add(head)
    stays = not (plan.poll or plan.premature or plan.churn) and plan.steps > 1
    barrier = ""
    if stays:
        p.add(f"static pthread_barrier_t {meet};")
        barrier = f"\n        pthread_barrier_wait(&{meet});"
        if plan.between:
            barrier += f"\n        if (w == 0) {{\n{indent(plan.between, 3)}\n        }}\n        pthread_barrier_wait(&{meet});"
        plan.waiters.append(run)
    done = ""
    if plan.poll:
        p.includes("stdatomic.h")
        ready = v()
        p.add(f"static atomic_uint {ready};")
        done = f"\n    atomic_fetch_add(&{ready}, 1);"
    p.add(fill("""
        static void* $run(void* argument) {
            struct $task* mine = argument;
            const unsigned w = mine->number;
            uint64_t sum = 0;
            for (uint32_t step = mine->first; step < mine->last; ++step) {
                $loop$barrier
            }
            mine->result = sum;$done
            return NULL;
        }""", run=run, task=task, loop=loop, barrier=barrier, done=done))
    launch = p.names.function()
    p.functions.append(launch)
    plan.makers.append(launch)
    plan.waiters += [launch, "main"]
    join_now = f" «pthread_join({crew}[w], NULL);¦»" if plan.premature else ""
    join_all = f"pthread_join({crew}[w], NULL);" if not plan.premature else f"«(void){crew}[w];¦pthread_join({crew}[w], NULL);»"
    reset = f"atomic_store(&{ready}, 0);" if plan.poll else ""
    poll = plan.poll(f"atomic_load(&{ready}) == ({plan.workers})") if plan.poll else ""
    p.add(fill("""
        static uint64_t $launch(uint32_t first, uint32_t last) {
            enum { kCount = $workers };
            pthread_t $crew[kCount];
            struct $task tasks[kCount];
            uint64_t sum = 0;
            $reset
            for (unsigned w = 0; w < kCount; ++w) {
                tasks[w] = (struct $task){w, first, last, 0};
                pthread_create(&$crew[w], NULL, $run, &tasks[w]);$join_now
            }
            $poll
            for (unsigned w = 0; w < kCount; ++w) {
                $join_all
                sum += tasks[w].result;
            }
            return sum;
        }""", launch=launch, workers=plan.workers, crew=crew, task=task, run=run, reset=reset, poll=poll,
        join_now=join_now, join_all=join_all))
    if stays:
        text = f"pthread_barrier_init(&{meet}, NULL, {plan.workers});\ntotal += {launch}(0, {plan.steps}u);"
    elif plan.churn:
        text = f"«for (uint32_t step = 0; step < {plan.steps}u; ++step) total += {launch}(step, step + 1);¦total += {launch}(0, {plan.steps}u);»"
    else:
        text = _steps(plan, f"total += {launch}(step, step + 1);")
    add_main(p, plan.setup + "\n" + text)
    p._parts[-1] = p._parts[-1].replace("    uint64_t total = 0;\n", "", 1)
