// Executes the CTAs of a launch one after another: warps in turn, each up to its next barrier, its lanes kept
// together by a stack of (block, meeting point, lanes).
//
// Lanes make independent progress, as on GPUs since Volta, where they need it: once a strand only repeats itself,
// the lanes that wait for it at its meeting point continue by themselves (cta_strands.cpp). If everything that can
// run in a CTA repeats itself, and nothing changes, it would do so forever; this is reported.
//
// Contract: internal to Execution. One thread. run() executes a whole CTA or returns the reason why not; with an
// encoder's Program it fills in the warps' traces.
#pragma once

#include "gpu/ptx/check/checker.h"
#include "gpu/ptx/execute/launch_parts.h"
#include "gpu/ptx/execute/spin_probe.h"
#include "gpu/ptx/execute/strand.h"

#include <deque>

namespace kymo::gpu::ptx {

struct Failure {
    Fault fault = Fault::kNone;
    Error error;
};

class CtaRunner {
  public:
    explicit CtaRunner(LaunchParts parts);
    CtaRunner(const CtaRunner&) = delete;
    CtaRunner& operator=(const CtaRunner&) = delete;

    // False: failure() has the reason.
    bool run(const Dim3& index, bool trace, Cta& cta);
    const Failure& failure() const { return failure_; }
    const Totals& totals() const { return totals_; }
    const std::vector<Defect>& defects() const;

  private:
    static constexpr unsigned kBarriers = 16;

    using State = Strand::State;
    struct Barrier {
        std::uint32_t arrived = 0;   // warps
        std::uint32_t waiting = 0;   // those of them that wait, a bit each
        std::uint32_t expected = 0;  // 0: all that are left
        std::uint64_t count = 0;     // of a reduction: threads whose predicate was set,
        std::uint64_t threads = 0;   // and all
    };

    void prepare(Strand& state, std::uint32_t number);
    void begin_cta(const Dim3& index);
    void fill(Frame& frame, const Warp& warp, bool only_cta);
    std::uint64_t special(std::string_view name, const Warp& warp, unsigned lane, std::uint64_t local_at) const;
    std::uint32_t warps() const { return static_cast<std::uint32_t>(split_.size()); }
    bool run_strands(bool& left, bool& ran);
    bool run_strand(Strand& state);
    bool run_block(Strand& state, const Compiled& code, const Block& block, std::uint32_t mask);
    template <bool kChecked, bool kWatched>
    bool run_ops(Strand& state, const Compiled& code, const Block& block, std::uint32_t mask);
    bool end_block(Strand& state, const Compiled& code, const Block& block, std::uint32_t mask);
    void record(Strand& state, const Compiled& code, const Block& block, std::uint32_t mask);
    void record_values(Strand& state, const Compiled& code, const Block& block, std::uint32_t mask);
    void record_bulk(WarpEncoder& encoder, std::uint32_t index, std::uint16_t log) const;
    void split(Strand& state, const Block& block, std::uint32_t taken, std::uint32_t to, std::uint32_t rest);
    bool by_table(Strand& state, const Compiled& code, const Block& block, std::uint32_t mask);
    std::uint32_t elsewhere(const Strand& state) const;
    void check_members(const Strand& state, const Compiled& code, std::size_t op, std::uint32_t lanes);
    bool park(Strand& state, const Compiled& code, std::size_t op, std::uint32_t lanes);
    bool split_one();
    bool split_waiting(Strand& state);
    bool join_strands(std::uint32_t warp);
    void join(Strand& from, Strand& into);
    bool arrive(Strand& state, const Block& block, std::uint32_t mask);
    bool open_barriers();
    bool await(Strand& state, const Block& block, std::uint32_t mask);
    bool ended_phases(const Strand& state, std::uint32_t& ended);
    bool wake(Strand& state, bool anyway, bool& woken);
    bool wake_waiters(bool is_last_hope, bool& woken);
    void give_result(Strand& state, const Barrier& barrier);
    bool call(Strand& state, const Block& block, std::uint32_t function, std::uint32_t mask);
    bool call_pointers(Strand& state, const Block& block, std::uint32_t mask);
    void return_from(Strand& state, std::uint32_t mask);
    void enter(Strand& state, std::size_t frame);
    bool built_in(Strand& state, const Compiled& code, const Block& block, std::uint32_t mask);
    bool read_string(Strand& state, unsigned lane, std::uint64_t address, std::string& text) const;
    bool read_bytes(Strand& state, unsigned lane, std::uint64_t address, std::span<std::byte> into) const;
    struct Printed {
        std::string text;
        std::int32_t arguments = 0;  // that it took
    };
    Printed formatted(Strand& state, unsigned lane, const std::string& format, std::uint64_t arguments) const;

    bool fail(const Strand& state, Fault fault, const Compiled& code, std::uint32_t instruction, unsigned lane,
              const std::string& what);
    std::string place_of(const Compiled& code, std::uint32_t instruction) const;
    bool is_changed_from_outside() const;
    bool fail_stuck();
    std::string standstill(const Strand& state) const;
    bool fail_memory(const Strand& state, const Compiled& code, const Op& op);
    static bool find(const void* self, std::uint64_t address, std::uint64_t bytes, MemoryRange& range);

    LaunchParts parts_;
    std::unique_ptr<ScheduleWays> ways_;
    std::deque<Strand> strands_;       // one a warp, in order; then those that were split from them
    std::vector<std::uint8_t> split_;  // of each warp: whether it has several
    SpinProbe probe_;
    std::vector<MemoryRange> ranges_;
    std::vector<LoggedAccess> log_;
    AlignedBytes shared_;
    AlignedBytes parameters_;
    std::uint64_t local_bytes_ = 0;  // a lane's
    std::array<Barrier, kBarriers> barriers_{};
    Dim3 cta_;
    std::uint64_t steps_ = 0;  // operations of this CTA
    std::uint64_t hopes_ = 0;  // times that only warps waiting at mbarriers were left
    Totals totals_;
    bool tracing_ = false;
    std::unique_ptr<Checker> checker_;  // null: nothing is checked
    Failure failure_;
};

}  // namespace kymo::gpu::ptx
