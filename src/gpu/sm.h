// One streaming multiprocessor of the full model: its warp slots, four schedulers, pipes, L1, shared memory and
// load/store unit.
//
// Event-driven: a warp's next instruction has a time from which it could issue, known as soon as the one before has
// issued (barriers apart), so a scheduler steps from one issue to the next and never through empty cycles. It prefers
// the warp it issued last (greedy), then the youngest that is ready: what measured runs of dependent FFMAs show (six
// warps a scheduler take twice the time of four, as do eight).
//
// Contract: one thread. run(until) issues everything before `until`; the shared MemorySystem sees the requests of
// different SMs out of order by at most what the caller runs one of them ahead.
#pragma once

#include "gpu/access_memo.h"
#include "gpu/cta_scheduler.h"
#include "gpu/decoded.h"
#include "gpu/memory_system.h"
#include "gpu/miss_registers.h"
#include "gpu/result.h"
#include "gpu/warp_code.h"

#include <algorithm>
#include <limits>
#include <memory>

namespace kymo::gpu {

// The cycle in which something that comes at `time` can first be used; times are below 2^63. Through signed numbers,
// which the baseline x86-64 converts in one instruction, and rounds up in none.
inline std::uint64_t cycle(double time) {
    const auto whole = static_cast<std::int64_t>(time);
    return static_cast<std::uint64_t>(whole + (static_cast<double>(whole) < time ? 1 : 0));
}
inline double time_of(std::uint64_t cycle) {
    return static_cast<double>(static_cast<std::int64_t>(cycle));
}

// Told of every issue, for timelines. `slot` counts warp places of one SM.
class IssueObserver {
  public:
    virtual ~IssueObserver() = default;
    struct Issue {
        unsigned sm = 0;
        unsigned slot = 0;
        std::uint64_t cycle = 0;
        std::uint32_t instruction = 0;
        std::uint64_t pc = 0;
        std::uint32_t mask = 0;
        Cause cause = Cause::kIssue;  // of the wait before
        std::uint64_t waited = 0;     // cycles since the warp's issue before
        unsigned sectors = 0;
        unsigned extra_passes = 0;
    };
    virtual void warp_begins(unsigned sm, unsigned slot, std::uint64_t cycle, std::uint64_t cta,
                             std::uint32_t warp) = 0;
    virtual void issued(const Issue& issue) = 0;
    virtual void warp_ends(unsigned sm, unsigned slot, std::uint64_t cycle) = 0;
};

// What all SMs of one launch share.
struct LaunchContext {
    const Gpu& gpu;
    LaunchCosts launch;
    const KernelHeader& header;
    const Program& program;
    Occupancy occupancy;
    MemorySystem& memory;
    CtaScheduler& ctas;
    std::vector<Decoded> decoded;  // grows with the program
    std::vector<Account> accounts;
    AccessMemo memo;
    double horizon = 0;    // nothing happens before this time any more
    unsigned entries = 2;  // of a scoreboard: one more than the highest that the program names
    IssueObserver* observer = nullptr;
    std::optional<Error> failed;
    // Of all SMs' warps and tags.
    std::pmr::monotonic_buffer_resource pool{kHugePage, huge_pages()};
    void grow();  // after a CTA was read
};

class Sm {
  public:
    static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

    Sm(LaunchContext& context, unsigned number);

    // A CTA arrives. Precondition: ctas() < occupancy.ctas.
    void start(CtaScheduler::Start start);
    // Takes a new CTA for every one that has ended. To be called once after the first CTAs; run() does it itself.
    void refill();
    void run(std::uint64_t until);
    // Have the host fetch what run(until) will look at: first the warps, then, when they are there, what they name.
    void prefetch_warps(std::uint64_t until) const;
    void prefetch_accesses(std::uint64_t until) const;
    std::uint64_t next_event() const { return next_event_; }
    unsigned ctas() const { return ctas_; }
    double end() const { return end_; }                         // of the last instruction or store so far
    std::uint64_t out_of_ctas() const { return out_of_ctas_; }  // when it first wanted a CTA and there was none
    double warp_cycles() const { return warp_cycles_; }
    double active_cycles() const { return active_cycles_; }
    std::uint64_t l1_reads() const { return l1_reads_; }
    std::uint64_t l1_read_hits() const { return l1_read_hits_; }

  private:
    // What every issue needs comes first.
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
        // For an entry that another scheduler's warp, or a new CTA, gave something to do.
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

    struct Access {
        double ready = 0;
        Cause cause = Cause::kDependence;
        std::uint64_t issue_blocked = 0;  // the memory pipe takes nothing before this
    };
    Access access(Warp& warp, const Decoded& decoded, Account& account, std::uint64_t now, unsigned slot,
                  IssueObserver::Issue* told);
    Access shared(const Decoded& decoded, AccessMemo::Banks banks, Account& account, std::uint64_t now,
                  IssueObserver::Issue* told);
    Access global(Warp& warp, const Decoded& decoded, const Footprint& footprint, std::uint64_t now);
    // What the lines of a global access wait for. `begin`: when the load/store unit takes it, for so many `passes`.
    void loads(const Footprint& footprint, double begin, double passes, Access& result);
    void stores(Warp& warp, const Footprint& footprint, double begin);
    void atomics(Warp& warp, const Footprint& footprint, double begin, bool wants_result, Access& result);
    Access unknown_constant(std::uint64_t now);
    Access constant(const Footprint& footprint, std::uint64_t now);

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
    SectoredCache l1_;
    SectoredCache constants_;
    bool constants_cold_ = true;
    double constant_ready_ = 0;
    Server load_store_;
    Server port_;  // from the interconnect
    MissRegisters misses_;
    double end_ = 0;
    std::uint64_t out_of_ctas_ = kNever;
    double warp_cycles_ = 0;
    double active_cycles_ = 0;
    std::uint64_t active_since_ = 0;
    std::uint64_t l1_reads_ = 0;
    std::uint64_t l1_read_hits_ = 0;
};

}  // namespace kymo::gpu
