"""OpenMP: loops, sections and tasks; C and C++."""

from .code import fill, indent
from .plan import add_main, add_range


def _begin(p, plan):
    p.flags.append("-fopenmp")
    p.includes("omp.h")
    return p.names.function()


def loops(p, plan):
    name = _begin(p, plan)
    v = p.names.variable
    sum_ = v()
    p.functions.append(name)
    plan.workers_functions.append(name)
    plan.waiters.append(name)
    plan.makers.append(name)
    team = f" num_threads({plan.workers})"
    schedule = plan.grain and f" schedule(dynamic, {plan.grain})"
    if plan.strided:
        schedule = f" schedule(«static¦dynamic, {max(1, plan.items // 64)}»)"
    elif not schedule:
        schedule = p.rng.choice(["", " schedule(static)", f" schedule(dynamic, {max(1, plan.items // 40)})", " schedule(guided)"])
    lane = "(unsigned)omp_get_thread_num()" if not p.is_cpp else "static_cast<unsigned>(omp_get_thread_num())"
    call = plan.call("i", "step", lane)
    forms = ["each", "region", "sections"] if not plan.grain and not plan.strided else ["each", "region"]
    if plan.churn:
        return _nested(p, plan, name, call)
    form = p.rng.choice(forms)
    if form == "each" or plan.between and form == "sections":
        body = fill("""
            uint64_t $sum = 0;
            #pragma omp parallel for$schedule$team reduction(+ : $sum)
            for (uint32_t i = 0; i < ${n}u; ++i) $sum += $call;
            return $sum;""", sum=sum_, schedule=schedule, team=team, n=plan.items, call=call)
        p.add(f"static uint64_t {name}(uint32_t step) {{\n{indent(body)}\n}}")
        step = f"total += {name}(step);" + ("\n" + plan.between if plan.between else "")
    elif form == "sections":
        half = add_range(p, plan)
        body = fill("""
            uint64_t left = 0, right = 0;
            #pragma omp parallel sections$team
            {
                #pragma omp section
                left = $first;
                #pragma omp section
                right = $second;
            }
            return left + right;""", team=team, first=half("0", f"{plan.items // 2}u", "step", lane),
                    second=half(f"{plan.items // 2}u", f"{plan.items}u", "step", lane))
        p.add(f"static uint64_t {name}(uint32_t step) {{\n{indent(body)}\n}}")
        step = f"total += {name}(step);"
    else:  # one region for all steps
        single = ""
        if plan.between:
            single = f"#pragma omp single\n{{\n{indent(plan.between)}\n}}"
        body = fill("""
            uint64_t total = 0;
            #pragma omp parallel$team
            for (uint32_t step = 0; step < ${steps}u; ++step) {
                uint64_t mine = 0;
                #pragma omp for$schedule
                for (uint32_t i = 0; i < ${n}u; ++i) mine += $call;
                #pragma omp atomic
                total += mine;
                $single
            }
            return total;""", team=team, steps=plan.steps, schedule=schedule, n=plan.items, call=call,
                    single=single)
        if single:
            body = body.replace("total += mine;\n", "total += mine;\n    #pragma omp barrier\n", 1)
        p.add(f"static uint64_t {name}({'void' if not p.is_cpp else ''}) {{\n{indent(body)}\n}}")
        add_main(p, plan.setup + f"\ntotal = {name}();")
        return
    add_main(p, plan.setup + f"\nfor (uint32_t step = 0; step < {plan.steps}u; ++step) {{\n{indent(step)}\n}}")


def _nested(p, plan, name, call):
    """A team inside a team: made anew for each step where the outer one has each step."""
    p.add(fill("""
        static uint64_t $name(uint32_t step) {
            uint64_t sum = 0;
            #pragma omp parallel for num_threads(«3¦1») reduction(+ : sum)
            for (uint32_t i = 0; i < ${n}u; ++i) sum += $call;
            return sum;
        }""", name=name, n=plan.items, call=call))
    add_main(p, plan.setup + "\n" + fill("""
        omp_set_max_active_levels(2);
        #pragma omp parallel for num_threads(2) reduction(+ : total)
        for (uint32_t step = 0; step < ${steps}u; ++step) total += $name(step);""", steps=plan.steps, name=name))
    plan.makers.append("main")


def tasks(p, plan):
    name = _begin(p, plan)
    piece = add_range(p, plan)
    lane = "(unsigned)omp_get_thread_num()" if not p.is_cpp else "static_cast<unsigned>(omp_get_thread_num())"
    p.functions.append(name)
    plan.workers_functions.append(name)
    plan.makers.append(name)
    plan.waiters.append(name)
    grain = plan.grain or str(max(1, plan.items // p.rng.choice([16, 24, 32])))
    wait = f"«\n#pragma omp taskwait¦»" if plan.premature else ""
    form = "list" if plan.premature or plan.strided else p.rng.choice(["list", "halves", "taskloop"])
    team = f" num_threads({plan.workers})"
    if form == "halves":
        p.add(fill("""
            static void $name(uint32_t begin, uint32_t end, uint32_t step, uint64_t* result) {
                if (end - begin <= ($grain)) {
                    const uint64_t sum = $piece;
                    #pragma omp atomic
                    *result += sum;
                    return;
                }
                const uint32_t middle = begin + (end - begin) / 2;
                #pragma omp task
                $name(begin, middle, step, result);
                $name(middle, end, step, result);
            }""", name=name, grain=grain, piece=piece("begin", "end", "step", lane)))
        inside = f"{name}(0, {plan.items}u, step, &part);"
    elif form == "taskloop":
        p.add(fill("""
            static void $name(uint32_t step, uint64_t* result) {
                #pragma omp taskloop grainsize(1)
                for (uint32_t begin = 0; begin < ${n}u; begin += $grain) {
                    const uint32_t end = begin + ($grain) < ${n}u ? begin + ($grain) : ${n}u;
                    const uint64_t sum = $piece;
                    #pragma omp atomic
                    *result += sum;
                }
            }""", name=name, n=plan.items, grain=grain, piece=piece("begin", "end", "step", lane)))
        inside = f"{name}(step, &part);"
    else:
        p.add(fill("""
            static void $name(uint32_t step, uint64_t* result) {
                for (uint32_t begin = 0; begin < ${n}u; begin += $grain) {
                    const uint32_t end = begin + ($grain) < ${n}u ? begin + ($grain) : ${n}u;
                    #pragma omp task firstprivate(begin, end)
                    {
                        const uint64_t sum = $piece;
                        #pragma omp atomic
                        *result += sum;
                    }$wait
                }
            }""", name=name, n=plan.items, grain=grain, piece=piece("begin", "end", "step", lane), wait=wait))
        inside = f"{name}(step, &part);"
    step = fill("""
        uint64_t part = 0;
        #pragma omp parallel$team
        #pragma omp single
        $inside
        total += part;""", team=team, inside=inside)
    if plan.between:
        step += "\n" + plan.between
    plan.waiters.append("main")
    add_main(p, plan.setup + f"\nfor (uint32_t step = 0; step < {plan.steps}u; ++step) {{\n{indent(step)}\n}}")
