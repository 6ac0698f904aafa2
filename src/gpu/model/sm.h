// One streaming multiprocessor of the full model: its warp slots, four schedulers, pipes, and load/store unit.
//
// Event-driven: the earliest issue time of a warp's next instruction is known as soon as the previous one has
// issued (except at barriers), so a scheduler steps from one issue to the next and never through empty cycles. It
// prefers the warp it issued last (greedy), then the youngest that is ready: this matches measured runs of
// dependent FFMAs (six warps per scheduler take twice the time of four, as do eight).
//
// Contract: one thread. run(until) issues everything before `until`; the shared MemorySystem sees the requests of
// different SMs out of order by at most the caller's step.
#pragma once

#include "gpu/model/launch_context.h"
#include "gpu/model/load_store_unit.h"
#include "gpu/trace/warp_code.h"

#include <algorithm>
#include <limits>
#include <memory>

namespace kymo::gpu {

class Sm {
  public:
    static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

    Sm(LaunchContext& context, unsigned number);

    // A CTA arrives. Precondition: ctas() < occupancy.ctas.
    void start(CtaScheduler::Start start);
    // Takes a new CTA for every one that has ended. To be called once after the first CTAs; run() does it itself.
    void refill();
    void run(std::uint64_t until);
    // Have the host prefetch what run(until) will read: first the warps, then, once cached, what they refer to.
    void prefetch_warps(std::uint64_t until) const;
    void prefetch_accesses(std::uint64_t until) const;
    std::uint64_t next_event() const { return next_event_; }
    unsigned ctas() const { return ctas_; }
    double end() const { return end_; }                         // of the last instruction or store so far
    std::uint64_t out_of_ctas() const { return out_of_ctas_; }  // when it first needed a CTA and there was none
    double warp_cycles() const { return warp_cycles_; }
    double active_cycles() const { return active_cycles_; }
    std::uint64_t l1_reads() const { return load_store_.l1_reads(); }
    std::uint64_t l1_read_hits() const { return load_store_.l1_read_hits(); }

  private:
    // The fields that every issue needs come first.
    struct alignas(64) Warp {
        WarpCursor cursor;
        std::uint32_t mask_before = 0;
        Cause cause = Cause::kIssue;
        bool has_first = false;
        std::uint64_t first = 0;  // the next instruction's first lane's address
        Scoreboard scoreboard;
        std::uint64_t last_issue = 0;
        std::uint64_t memory_done = 0;  // its stores and atomics so far
        std::uint64_t copies_done = 0;  // its asynchronous copies so far
        std::uint64_t begun = 0;
        std::uint32_t cta = 0;  // place in resident_
        bool used = false;
        bool at_barrier = false;
        std::shared_ptr<const std::vector<std::uint8_t>> code;
    };
    struct Entry {
        std::uint64_t ready = 0;  // its next instruction; kNever at a barrier
        std::uint32_t age = 0;    // larger: younger
        std::uint16_t slot = 0;
        Pipe pipe = kPipeFree;
    };
    static constexpr unsigned kNone = ~0U;
    struct alignas(64) Scheduler {
        Entry* entries = nullptr;  // `count` of them; there is room for all its warps
        unsigned count = 0;
        unsigned greedy = kNone;  // entry issued last
        std::uint64_t now = 0;
        std::uint64_t next = kNever;  // its next issue, as far as is known
        std::array<std::uint64_t, kPipes> pipe_free{};
        std::uint64_t time_of(const Entry& entry) const {
            return std::max({entry.ready, pipe_free[entry.pipe], now});
        }
        // For an entry that another scheduler's warp, or a new CTA, made ready.
        void expect(const Entry& entry) { next = std::min(next, time_of(entry)); }
    };
    struct ResidentCta {
        unsigned warps = 0;    // still running
        unsigned waiting = 0;  // at the barrier
        std::uint64_t number = 0;
        bool used = false;
    };

    void prefetch_lines(const Warp& warp) const;
    void run_turn(std::uint64_t until);
    void run_scheduler(Scheduler& scheduler, std::uint64_t until);
    [[gnu::always_inline]] void issue(Scheduler& scheduler, unsigned place, std::uint64_t now);
    // The warp's next instruction: when it could issue, and why not before. False: the warp has ended.
    bool prepare(Scheduler& scheduler, unsigned place, std::uint64_t earliest, Cause cause);
    void finish_warp(Scheduler& scheduler, unsigned place, std::uint64_t now);
    void finish_cta(std::uint32_t cta, std::uint64_t now);
    void barrier(Warp& warp, Scheduler& scheduler, unsigned place, std::uint64_t now);
    void release_barrier(std::uint32_t cta, std::uint64_t now);

    LaunchContext& context_;
    const Gpu& gpu_;
    unsigned number_;
    IssueObserver::Issue told_;  // the issue under way, where there is an observer
    std::pmr::vector<Scheduler> schedulers_;
    std::pmr::vector<Entry> entries_;  // of all schedulers
    std::pmr::vector<Warp> warps_;
    std::vector<ResidentCta> resident_;
    unsigned ctas_ = 0;
    std::vector<std::uint64_t> places_;  // when a CTA ended whose place is to be taken
    std::uint32_t next_age_ = 0;
    std::uint64_t next_event_ = kNever;
    LoadStoreUnit load_store_;
    double end_ = 0;
    std::uint64_t out_of_ctas_ = kNever;
    double warp_cycles_ = 0;
    double active_cycles_ = 0;
    std::uint64_t active_since_ = 0;
};

}  // namespace kymo::gpu
