#include "gpu/sm.h"

#include "gpu/access_counts.h"

#include <algorithm>

namespace kymo::gpu {
namespace {

// L1 and shared memory are one array on GPUs since Volta: what CTAs hold of it is not cache.
double l1_bytes(const LaunchContext& context) {
    const Gpu& gpu = context.gpu;
    if (gpu.unified_bytes == 0) {
        return gpu.l1_size;
    }
    const double held = context.occupancy.shared_bytes_of_cta * context.occupancy.ctas;
    return std::min(gpu.l1_size, std::max(gpu.unified_bytes - held, 0.0));
}

}  // namespace

void LaunchContext::grow() {
    for (std::size_t i = decoded.size(); i < program.size(); ++i) {
        decoded.push_back(decode(gpu, program[i]));
        const Decoded& last = decoded.back();
        for (unsigned k = 0; k < last.destinations; ++k) {
            entries = std::max(entries, last.destination[k] + 1U);
        }
        for (unsigned k = 0; k < last.sources; ++k) {
            entries = std::max(entries, last.source[k] + 1U);
        }
    }
    accounts.resize(program.size());
}

Sm::Sm(LaunchContext& context, unsigned number)
    : context_(context),
      gpu_(context.gpu),
      number_(number),
      schedulers_(gpu_.whole(gpu_.sm_schedulers)),
      warps_(static_cast<std::size_t>(context.occupancy.ctas) * context.occupancy.warps_per_cta),
      resident_(context.occupancy.ctas),
      l1_(static_cast<std::uint64_t>(l1_bytes(context)), gpu_.whole(gpu_.l1_ways)),
      constants_(static_cast<std::uint64_t>(gpu_.constant_size), 4),
      misses_(gpu_.whole(gpu_.l1_misses)) {}

void Sm::start(CtaScheduler::Start start) {
    const auto place = static_cast<std::uint32_t>(
        std::find_if(resident_.begin(), resident_.end(), [](const ResidentCta& cta) { return !cta.used; }) -
        resident_.begin());
    resident_[place] = {static_cast<unsigned>(start.cta.warps.size()), 0, start.number, true};
    if (ctas_++ == 0) {
        active_since_ = cycle(start.time);
    }
    double begin = start.time + context_.launch.cta_start_cycles;
    if (start.cta.warps.empty()) {
        finish_cta(place, cycle(begin));
        return;
    }
    std::size_t slot = 0;
    for (WarpTrace& trace : start.cta.warps) {
        while (slot < warps_.size() && warps_[slot].used) {
            ++slot;
        }
        if (slot == warps_.size()) {
            context_.failed =
                Error{ErrorKind::kMalformed, context_.header.name + ": a CTA has more warps than its block size says",
                      "trace the kernel again"};
            return;
        }
        begin += context_.launch.warp_start_cycles;
        Warp& warp = warps_[slot];
        warp.cursor = WarpCursor(context_.program, trace);
        warp.scoreboard.clear(context_.entries);
        warp.code = std::move(trace.code);
        warp.begun = warp.last_issue = cycle(begin);
        warp.memory_done = 0;
        warp.mask_before = 0xFFFF'FFFFU;
        warp.cta = place;
        warp.used = true;
        warp.at_barrier = false;
        Scheduler& scheduler = schedulers_[slot % schedulers_.size()];
        const unsigned entry = scheduler.count++;
        scheduler.slot[entry] = static_cast<std::uint16_t>(slot);
        scheduler.age[entry] = next_age_++;
        if (context_.observer != nullptr) {
            context_.observer->warp_begins(number_, static_cast<unsigned>(slot), warp.begun, start.number, trace.id);
        }
        if (!prepare(scheduler, entry, warp.begun, Cause::kIssue)) {
            finish_warp(scheduler, entry, warp.begun);
        } else {
            next_event_ = std::min(next_event_, scheduler.ready[entry]);
        }
    }
}

bool Sm::prepare(Scheduler& scheduler, unsigned entry, std::uint64_t earliest, Cause cause) {
    Warp& warp = warps_[scheduler.slot[entry]];
    if (!warp.cursor.next()) {
        if (warp.cursor.broken()) {
            context_.failed =
                Error{ErrorKind::kMalformed, context_.header.name + ": a warp's instructions cannot be decoded",
                      "make the compact trace again with kymo gpu trace"};
        }
        return false;
    }
    const Decoded& decoded = context_.decoded[warp.cursor.index()];
    // The address is read now and not when the instruction issues, so that the host has fetched what it takes by
    // then.
    warp.cursor.prefetch();
    warp.has_first = warp.cursor.has_addresses() && warp.cursor.first_address(warp.first);
    if (warp.has_first && (decoded.op.space == Space::kGlobal || decoded.op.space == Space::kGeneric)) {
        l1_.prefetch(warp.first / kLineBytes);
    }
    std::uint64_t ready = earliest;
    for (unsigned i = 0; i < decoded.sources; ++i) {
        warp.scoreboard.wait(decoded.source[i], ready, cause);
    }
    for (unsigned i = 0; i < decoded.destinations; ++i) {
        warp.scoreboard.wait(decoded.destination[i], ready, cause);
    }
    const std::uint32_t mask = warp.cursor.mask();
    if (decoded.op.reads_predicate || mask != warp.mask_before) {
        warp.scoreboard.wait(Scoreboard::kPredicate, ready, cause);
    }
    if (decoded.op.fence && warp.memory_done > ready) {
        ready = warp.memory_done;
        cause = Cause::kFence;
    }
    warp.mask_before = mask;
    warp.cause = cause;
    scheduler.ready[entry] = ready;
    scheduler.pipe[entry] = mask == 0 ? kPipeFree : decoded.pipe;
    return true;
}

// The schedulers take turns, none longer than a barrier takes to open: the warp that opens it may be a later one's.
void Sm::run(std::uint64_t until) {
    const std::uint64_t turn = std::clamp(gpu_.whole(gpu_.barrier_latency), 1U, 16U);
    do {
        run_turn(std::min(until, next_event_ + turn));
    } while (next_event_ < until && !context_.failed);
}

void Sm::run_turn(std::uint64_t until) {
    next_event_ = kNever;
    for (unsigned i = 0; i < schedulers_.size(); ++i) {
        run_scheduler(i, until);
    }
    refill();
    // What one scheduler did (barriers, CTAs ended and begun) may have given another something to do.
    for (const Scheduler& scheduler : schedulers_) {
        for (unsigned i = 0; i < scheduler.count; ++i) {
            next_event_ = std::min(
                next_event_, std::max({scheduler.ready[i], scheduler.pipe_free[scheduler.pipe[i]], scheduler.now}));
        }
    }
}

void Sm::run_scheduler(unsigned which, std::uint64_t until) {
    Scheduler& scheduler = schedulers_[which];
    for (;;) {
        // Greedy, then youngest, among those ready now; else the first time at which one is.
        std::uint64_t first = kNever;
        std::uint64_t youngest = 0;
        unsigned chosen = Scheduler::kMost;
        const std::uint64_t now = scheduler.now;
        for (unsigned i = 0; i < scheduler.count; ++i) {
            const std::uint64_t ready = std::max(scheduler.ready[i], scheduler.pipe_free[scheduler.pipe[i]]);
            if (ready <= now) {
                if (i == scheduler.greedy) {
                    chosen = i;
                    break;
                }
                if (chosen == Scheduler::kMost || scheduler.age[i] > youngest) {
                    chosen = i;
                    youngest = scheduler.age[i];
                }
            } else {
                first = std::min(first, ready);
            }
        }
        if (chosen == Scheduler::kMost) {
            if (first >= until) {
                return;
            }
            scheduler.now = first;
            continue;
        }
        if (now >= until) {
            return;
        }
        issue(scheduler, chosen, now);
        scheduler.now = now + 1;
    }
}

void Sm::issue(Scheduler& scheduler, unsigned entry, std::uint64_t now) {
    const unsigned slot = scheduler.slot[entry];
    Warp& warp = warps_[slot];
    const std::uint32_t index = warp.cursor.index();
    const std::uint32_t mask = warp.cursor.mask();
    const Decoded& decoded = context_.decoded[index];
    Account& account = context_.accounts[index];

    // The account: from the warp's issue before to when it could have gone is its own wait; from there to now
    // others'.
    const std::uint64_t ready = scheduler.ready[entry];
    const std::uint64_t since = std::min(warp.last_issue + 1, ready);
    if (ready > since) {
        account.cycles[static_cast<std::size_t>(warp.cause)] += static_cast<double>(ready - since);
    }
    if (now > ready) {
        const bool busy = scheduler.pipe_free[scheduler.pipe[entry]] >= now;
        const Cause why = !busy                                  ? Cause::kNotSelected
                          : scheduler.pipe[entry] == kPipeMemory ? Cause::kMemoryQueue
                                                                 : Cause::kPipe;
        account.cycles[static_cast<std::size_t>(why)] += static_cast<double>(now - ready);
    }
    const auto lanes = lanes_in(mask);
    const double share = mask == 0 ? 1.0 : lanes / double{kWarpLanes};
    account.cycles[static_cast<std::size_t>(Cause::kIssue)] += share;
    account.cycles[static_cast<std::size_t>(Cause::kDivergence)] += 1.0 - share;
    count_issue(account, mask);
    IssueObserver::Issue told;
    IssueObserver::Issue* const tell = context_.observer != nullptr ? &told : nullptr;
    if (tell != nullptr) {
        told = {number_, slot, now, index, context_.program[index].pc, mask, warp.cause, now - warp.last_issue, 0, 0};
    }
    warp.last_issue = now;
    scheduler.greedy = entry;

    std::uint64_t earliest = now + 1;
    Cause cause = Cause::kDependence;
    bool waits_at_barrier = false;
    if (mask == 0) {
        earliest = now + gpu_.whole(gpu_.latency[static_cast<std::size_t>(OpClass::kNop)]);
    } else {
        scheduler.pipe_free[decoded.pipe] = decoded.pipe == kPipeFree ? 0 : now + decoded.interval;
        std::uint64_t done = now + decoded.latency;
        Cause result = Cause::kDependence;
        switch (decoded.op.op_class) {
            case OpClass::kMemory: {
                const Access access = this->access(warp, decoded, account, now, slot, tell);
                done = cycle(access.ready);
                result = access.cause;
                scheduler.pipe_free[kPipeMemory] = std::max(now + decoded.interval, access.issue_blocked);
                break;
            }
            case OpClass::kBranch:
                earliest = now + 1 + gpu_.whole(gpu_.taken_branch);
                cause = Cause::kBranch;
                break;
            case OpClass::kBarrier:
                waits_at_barrier = true;
                break;
            default:
                break;
        }
        for (unsigned i = 0; i < decoded.destinations; ++i) {
            warp.scoreboard.write(decoded.destination[i], done, result);
        }
        if (decoded.op.sets_predicate) {
            warp.scoreboard.write(Scoreboard::kPredicate, now + gpu_.whole(gpu_.predicate_latency),
                                  Cause::kDependence);
        }
        if (decoded.op.uniform) {
            warp.scoreboard.write(Scoreboard::kUniform, done, result);
        }
    }
    if (tell != nullptr) {
        context_.observer->issued(told);
    }
    if (waits_at_barrier) {
        barrier(warp, scheduler, entry, now);
    } else if (!prepare(scheduler, entry, earliest, cause)) {
        finish_warp(scheduler, entry, now + 1);
    }
}

void Sm::barrier(Warp& warp, Scheduler& scheduler, unsigned entry, std::uint64_t now) {
    warp.at_barrier = true;
    scheduler.ready[entry] = kNever;
    ++resident_[warp.cta].waiting;
    release_barrier(warp.cta, now);
}

void Sm::release_barrier(std::uint32_t cta, std::uint64_t now) {
    ResidentCta& resident = resident_[cta];
    if (resident.waiting == 0 || resident.waiting < resident.warps) {
        return;
    }
    resident.waiting = 0;
    const std::uint64_t open = now + gpu_.whole(gpu_.barrier_latency);
    for (Scheduler& scheduler : schedulers_) {
        for (unsigned i = 0; i < scheduler.count;) {
            Warp& warp = warps_[scheduler.slot[i]];
            if (warp.cta == cta && warp.at_barrier) {
                warp.at_barrier = false;
                if (!prepare(scheduler, i, open, Cause::kBarrier)) {
                    finish_warp(scheduler, i, open);  // another entry takes its place
                    continue;
                }
            }
            ++i;
        }
    }
}

void Sm::finish_warp(Scheduler& scheduler, unsigned entry, std::uint64_t now) {
    const unsigned slot = scheduler.slot[entry];
    Warp& warp = warps_[slot];
    warp.used = false;
    warp.code.reset();
    warp_cycles_ += static_cast<double>(now - warp.begun);
    end_ = std::max({end_, static_cast<double>(now), static_cast<double>(warp.memory_done)});
    if (context_.observer != nullptr) {
        context_.observer->warp_ends(number_, slot, now);
    }
    const unsigned last = --scheduler.count;
    scheduler.ready[entry] = scheduler.ready[last];
    scheduler.age[entry] = scheduler.age[last];
    scheduler.slot[entry] = scheduler.slot[last];
    scheduler.pipe[entry] = scheduler.pipe[last];
    scheduler.greedy = scheduler.greedy == last ? entry : Scheduler::kMost;
    const std::uint32_t cta = warp.cta;
    if (--resident_[cta].warps == 0) {
        finish_cta(cta, now);
    } else {
        release_barrier(cta, now);
    }
}

void Sm::finish_cta(std::uint32_t cta, std::uint64_t now) {
    resident_[cta].used = false;
    if (--ctas_ == 0) {
        active_cycles_ += static_cast<double>(now - std::min(now, active_since_));
    }
    places_.push_back(now);
}

void Sm::refill() {
    // A CTA without instructions ends as it starts, and leaves its place again.
    while (!places_.empty() && !context_.failed) {
        const std::uint64_t now = places_.front();
        places_.erase(places_.begin());
        auto next = context_.ctas.next(static_cast<double>(now), context_.horizon);
        if (!next) {
            context_.failed = next.error();
        } else if (*next) {
            context_.grow();
            start(std::move(**next));
        } else {
            out_of_ctas_ = std::min(out_of_ctas_, now);
        }
    }
}

}  // namespace kymo::gpu
