// How an SM's warps issue. Where their CTAs come from and go: sm_ctas.cpp.
#include "gpu/model/sm.h"

#include "gpu/model/access_counts.h"
#include "gpu/model/cycles.h"

#include <algorithm>

namespace kymo::gpu {
namespace {

// Until an access has read its registers, so that they may be written again: 9 to 20 cycles by kind and width, 11 for
// loads of 32 bits and 14 for stores (Huerta et al., Analyzing Modern NVIDIA GPU Cores, 2025, table 2).
constexpr std::uint64_t kOperandsRead = 12;

}  // namespace

Sm::Sm(LaunchContext& context, unsigned number)
    : context_(context),
      gpu_(context.gpu),
      number_(number),
      schedulers_(gpu_.whole(gpu_.sm_schedulers), &context.pool),
      entries_(&context.pool),
      warps_(&context.pool),
      resident_(context.occupancy.ctas),
      load_store_(context, number) {
    warps_.resize(std::size_t{context.occupancy.ctas} * context.occupancy.warps_per_cta);
    const std::size_t share = (warps_.size() + schedulers_.size() - 1) / schedulers_.size();
    entries_.resize(share * schedulers_.size());
    for (std::size_t i = 0; i < schedulers_.size(); ++i) {
        schedulers_[i].entries = &entries_[i * share];
    }
}

bool Sm::prepare(Scheduler& scheduler, unsigned place, std::uint64_t earliest, Cause cause) {
    Entry& entry = scheduler.entries[place];
    Warp& warp = warps_[entry.slot];
    if (!warp.cursor.next()) {
        if (warp.cursor.broken()) {
            context_.failed =
                Error{ErrorKind::kMalformed, context_.header.name + ": a warp's instructions cannot be decoded",
                      "make the compact trace again with kymo gpu trace"};
        }
        return false;
    }
    const Decoded& decoded = context_.decoded[warp.cursor.index()];
    // The address is read now and not when the instruction issues, so that the host has prefetched its data by
    // then.
    warp.has_first = warp.cursor.has_addresses() && warp.cursor.first_address(warp.first);
    warp.cursor.prefetch();
    if (warp.has_first) {
        prefetch_lines(warp);
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
    if (decoded.op.waits_for_copies && warp.copies_done > ready) {
        ready = warp.copies_done;
        cause = Cause::kFence;
    }
    warp.mask_before = mask;
    warp.cause = cause;
    entry.ready = ready;
    entry.pipe = mask == 0 ? kPipeFree : decoded.pipe;
    scheduler.expect(entry);
    return true;
}

void Sm::prefetch_warps(std::uint64_t until) const {
    for (const Scheduler& scheduler : schedulers_) {
        for (unsigned i = 0; scheduler.next < until && i < scheduler.count; ++i) {
            if (scheduler.entries[i].ready < until) {
                const auto* const warp = reinterpret_cast<const char*>(&warps_[scheduler.entries[i].slot]);
                for (std::size_t at = 0; at < sizeof(Warp); at += alignof(Warp)) {
                    __builtin_prefetch(warp + at);
                }
            }
        }
    }
}

void Sm::prefetch_accesses(std::uint64_t until) const {
    for (const Scheduler& scheduler : schedulers_) {
        for (unsigned i = 0; scheduler.next < until && i < scheduler.count; ++i) {
            if (scheduler.entries[i].ready < until) {
                const Warp& warp = warps_[scheduler.entries[i].slot];
                warp.cursor.prefetch();
                warp.scoreboard.prefetch();
                if (warp.has_first) {
                    prefetch_lines(warp);
                }
            }
        }
    }
}

// The lines that the warp's next instruction will touch.
void Sm::prefetch_lines(const Warp& warp) const {
    const std::uint32_t index = warp.cursor.index();
    const Op& op = context_.decoded[index].op;
    if (op.space == Space::kGlobal || op.space == Space::kGeneric) {
        context_.memo.probable_lines(index, warp.first, [&](std::uint64_t line) {
            if (!op.atomic) {
                load_store_.prefetch(line);
            }
            if (op.store || op.atomic) {
                context_.memory.prefetch(line);
            }
        });
    }
}

// The schedulers take turns, none longer than a barrier takes to open, because a later scheduler's warp may open
// it.
void Sm::run(std::uint64_t until) {
    const std::uint64_t turn = std::clamp(gpu_.whole(gpu_.barrier_latency), 1U, 16U);
    do {
        run_turn(std::min(until, next_event_ + turn));
    } while (next_event_ < until && !context_.failed);
}

void Sm::run_turn(std::uint64_t until) {
    next_event_ = kNever;
    for (Scheduler& scheduler : schedulers_) {
        if (scheduler.next < until) {
            run_scheduler(scheduler, until);
        }
    }
    refill();
    // One scheduler's work (barriers, CTAs ended and begun) may have given another something to do.
    for (const Scheduler& scheduler : schedulers_) {
        next_event_ = std::min(next_event_, scheduler.next);
    }
}

void Sm::run_scheduler(Scheduler& scheduler, std::uint64_t until) {
    for (;;) {
        // The first that can issue; of several, the one issued last (greedy), then the youngest.
        std::uint64_t first = kNever;
        unsigned chosen = scheduler.greedy;
        if (chosen != kNone) {
            first = scheduler.time_of(scheduler.entries[chosen]);
        }
        if (first != scheduler.now) {
            std::uint32_t youngest = ~0U;  // younger than all: the greedy one
            for (unsigned i = 0; i < scheduler.count; ++i) {
                const Entry& entry = scheduler.entries[i];
                const std::uint64_t time = scheduler.time_of(entry);
                if (time < first || (time == first && entry.age > youngest)) {
                    first = time;
                    youngest = entry.age;
                    chosen = i;
                }
            }
        }
        if (first >= until) {
            scheduler.next = first;
            return;
        }
        scheduler.now = first;
        issue(scheduler, chosen, first);
        scheduler.now = first + 1;
    }
}

inline void Sm::issue(Scheduler& scheduler, unsigned place, std::uint64_t now) {
    const Entry& entry = scheduler.entries[place];
    const unsigned slot = entry.slot;
    Warp& warp = warps_[slot];
    const std::uint32_t index = warp.cursor.index();
    const std::uint32_t mask = warp.cursor.mask();
    const Decoded& decoded = context_.decoded[index];
    Account& account = context_.accounts[index];

    // Accounting: from the warp's previous issue to when it could have issued is its own wait; the rest is due to
    // other warps.
    const std::uint64_t ready = entry.ready;
    const std::uint64_t since = std::min(warp.last_issue + 1, ready);
    if (ready > since) {
        account.cycles[static_cast<std::size_t>(warp.cause)] += time_of(ready - since);
    }
    if (now > ready) {
        const bool busy = scheduler.pipe_free[entry.pipe] >= now;
        const Cause why = !busy                       ? Cause::kNotSelected
                          : entry.pipe == kPipeMemory ? Cause::kMemoryQueue
                                                      : Cause::kPipe;
        account.cycles[static_cast<std::size_t>(why)] += time_of(now - ready);
    }
    if (mask == 0 || mask == 0xFFFF'FFFFU) {
        account.cycles[static_cast<std::size_t>(Cause::kIssue)] += 1;
    } else {
        const double lanes = lanes_in(mask) / double{kWarpLanes};
        account.cycles[static_cast<std::size_t>(Cause::kIssue)] += lanes;
        account.cycles[static_cast<std::size_t>(Cause::kDivergence)] += 1 - lanes;
    }
    count_issue(account, mask);
    IssueObserver::Issue* const tell = context_.observer != nullptr ? &told_ : nullptr;
    if (tell != nullptr) {
        told_ = {number_, slot, now, index, context_.program[index].pc, mask, warp.cause, now - warp.last_issue,
                 0,       0};
    }
    warp.last_issue = now;
    scheduler.greedy = place;

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
                const LoadStoreUnit::Access access = load_store_.access(
                    warp.cursor, warp.has_first ? &warp.first : nullptr, decoded, {now, slot, tell, &account});
                done = cycle(access.ready);
                result = access.cause;
                warp.memory_done = std::max(warp.memory_done, access.stored);
                if (decoded.op.copy) {
                    warp.copies_done = std::max(warp.copies_done, done);
                }
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
        if (decoded.write_barrier != 0) {
            warp.scoreboard.raise(decoded.write_barrier, done, result);
        }
        if (decoded.read_barrier != 0) {
            warp.scoreboard.raise(decoded.read_barrier, now + kOperandsRead, Cause::kDependence);
        }
    }
    earliest = std::max(earliest, now + decoded.stall);
    if (tell != nullptr) {
        context_.observer->issued(told_);
    }
    if (waits_at_barrier) {
        barrier(warp, scheduler, place, now);
    } else if (!prepare(scheduler, place, earliest, cause)) {
        finish_warp(scheduler, place, now + 1);
    }
}

}  // namespace kymo::gpu
