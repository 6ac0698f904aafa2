// An SM's CTAs: they begin where there is room, their warps meet at barriers, and as they end others come.
#include "gpu/model/cycles.h"
#include "gpu/model/sm.h"

#include <algorithm>

namespace kymo::gpu {

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
        warp.scoreboard.clear(context_.entries, context_.pool);
        warp.code = std::move(trace.code);
        warp.begun = warp.last_issue = cycle(begin);
        warp.memory_done = 0;
        warp.copies_done = 0;
        warp.mask_before = 0xFFFF'FFFFU;
        warp.cta = place;
        warp.used = true;
        warp.at_barrier = false;
        Scheduler& scheduler = schedulers_[slot % schedulers_.size()];
        const unsigned entry = scheduler.count++;
        scheduler.entries[entry] = {0, next_age_++, static_cast<std::uint16_t>(slot), kPipeFree};
        if (context_.observer != nullptr) {
            context_.observer->warp_begins(number_, static_cast<unsigned>(slot), warp.begun, start.number, trace.id);
        }
        if (!prepare(scheduler, entry, warp.begun, Cause::kIssue)) {
            finish_warp(scheduler, entry, warp.begun);
        } else {
            next_event_ = std::min(next_event_, scheduler.entries[entry].ready);
        }
    }
}

void Sm::barrier(Warp& warp, Scheduler& scheduler, unsigned place, std::uint64_t now) {
    warp.at_barrier = true;
    scheduler.entries[place].ready = kNever;
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
            Warp& warp = warps_[scheduler.entries[i].slot];
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

void Sm::finish_warp(Scheduler& scheduler, unsigned place, std::uint64_t now) {
    const unsigned slot = scheduler.entries[place].slot;
    Warp& warp = warps_[slot];
    warp.used = false;
    warp.code.reset();
    warp_cycles_ += static_cast<double>(now - warp.begun);
    end_ = std::max({end_, static_cast<double>(now), static_cast<double>(warp.memory_done)});
    if (context_.observer != nullptr) {
        context_.observer->warp_ends(number_, slot, now);
    }
    const unsigned last = --scheduler.count;
    scheduler.entries[place] = scheduler.entries[last];
    if (scheduler.greedy == place) {
        scheduler.greedy = kNone;
    } else if (scheduler.greedy == last) {
        scheduler.greedy = place;
    }
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
