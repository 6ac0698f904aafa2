// Executes one CTA after another of a launch: warps in turn, each up to its next barrier, its lanes kept together by
// a stack of (block, where they meet again, lanes).
//
// Contract: internal to Execution. One thread. run() executes a CTA whole or says why not; with an encoder's Program
// it fills in the warps' traces.
#pragma once

#include "gpu/ptx/execute/checker.h"
#include "gpu/ptx/execute/launch_parts.h"
#include "gpu/ptx/schedule/schedule_recorder.h"
#include "gpu/ptx/select/compile.h"
#include "gpu/trace/warp_code.h"

#include <memory>

namespace kymo::gpu::ptx {

// Bytes that start at a multiple of 64.
class AlignedBytes {
  public:
    AlignedBytes() = default;
    explicit AlignedBytes(std::size_t bytes) : bytes_(bytes + 64) {}
    std::byte* data() {
        const auto at = reinterpret_cast<std::uintptr_t>(bytes_.data());
        return bytes_.data() + ((64 - at % 64) % 64);
    }

  private:
    std::vector<std::byte> bytes_;
};

struct Failure {
    Fault fault = Fault::kNone;
    Error error;
};

// Where a warp's or a call's first level meets: nowhere.
inline constexpr std::uint32_t kNever = kNoBlock - 1;

class CtaRunner {
  public:
    explicit CtaRunner(LaunchParts parts);
    CtaRunner(const CtaRunner&) = delete;
    CtaRunner& operator=(const CtaRunner&) = delete;

    // False: failure() says why.
    bool run(const Dim3& index, bool trace, Cta& cta);
    const Failure& failure() const { return failure_; }
    const Totals& totals() const { return totals_; }
    const std::vector<Defect>& defects() const;

  private:
    static constexpr unsigned kBarriers = 16;

    struct Frame {
        const Compiled* code = nullptr;
        std::unique_ptr<AlignedBytes> memory;
        std::unique_ptr<AlignedBytes> parameters;
        std::uint64_t local_at = 0;
        const Block* caller = nullptr;  // the block that ended with the call
    };
    struct Level {
        std::uint32_t block = 0;
        std::uint32_t meet = 0;
        std::uint32_t mask = 0;
        bool is_call = false;
    };
    enum class State : std::uint8_t { kReady, kWaiting, kPolling, kDone };
    struct WarpState {
        Warp warp;
        State state = State::kReady;
        std::vector<Frame> frames;
        std::vector<Level> levels;
        AlignedBytes local;
        std::unique_ptr<WarpEncoder> encoder;
        std::unique_ptr<ScheduleRecorder> recorder;  // null: no schedule
        std::uint32_t launched = 0;
        std::uint32_t barrier = 0;
        const Block* reduction = nullptr;  // waits for its result, or at its mbarrier
        std::uint32_t reduction_mask = 0;
    };
    struct Barrier {
        std::uint32_t arrived = 0;   // warps
        std::uint32_t expected = 0;  // 0: all that are left
        std::uint64_t count = 0;     // of a reduction: threads whose predicate was set,
        std::uint64_t threads = 0;   // and all
    };

    void prepare(WarpState& state, std::uint32_t number);
    void begin_cta(const Dim3& index);
    void fill(Frame& frame, const Warp& warp, bool only_cta);
    std::uint64_t special(std::string_view name, const Warp& warp, unsigned lane, std::uint64_t local_at) const;
    bool run_warp(WarpState& state);
    template <bool kChecked>
    bool run_ops(WarpState& state, const Compiled& code, const Block& block, std::uint32_t mask);
    bool end_block(WarpState& state, const Compiled& code, const Block& block, std::uint32_t mask);
    void record(WarpState& state, const Compiled& code, const Block& block, std::uint32_t mask);
    void record_bulk(WarpEncoder& encoder, std::uint32_t index, std::uint16_t log) const;
    void split(WarpState& state, const Block& block, std::uint32_t taken, std::uint32_t to, std::uint32_t rest);
    bool by_table(WarpState& state, const Compiled& code, const Block& block, std::uint32_t mask);
    bool arrive(WarpState& state, const Block& block, std::uint32_t mask);
    bool open_barriers();
    bool await(WarpState& state, const Block& block, std::uint32_t mask);
    bool ended_phases(const WarpState& state, std::uint32_t& ended);
    bool wake(WarpState& state, bool anyway, bool& woken);
    bool wake_waiters(bool is_last_hope, bool& woken);
    void give_result(WarpState& state, const Barrier& barrier);
    bool call(WarpState& state, const Block& block, std::uint32_t function, std::uint32_t mask);
    bool call_pointers(WarpState& state, const Block& block, std::uint32_t mask);
    void return_from(WarpState& state, std::uint32_t mask);
    void enter(WarpState& state, std::size_t frame);
    bool built_in(WarpState& state, const Compiled& code, const Block& block, std::uint32_t mask);
    bool read_string(WarpState& state, unsigned lane, std::uint64_t address, std::string& text) const;
    bool read_bytes(WarpState& state, unsigned lane, std::uint64_t address, std::span<std::byte> into) const;
    struct Printed {
        std::string text;
        std::int32_t arguments = 0;  // that it took
    };
    Printed formatted(WarpState& state, unsigned lane, const std::string& format, std::uint64_t arguments) const;

    bool fail(const WarpState& state, Fault fault, const Compiled& code, std::uint32_t instruction, unsigned lane,
              const std::string& what);
    bool fail_memory(const WarpState& state, const Compiled& code, const Op& op);
    static bool find(const void* self, std::uint64_t address, std::uint64_t bytes, MemoryRange& range);

    LaunchParts parts_;
    std::unique_ptr<ScheduleWays> ways_;
    std::vector<WarpState> warps_;
    std::vector<MemoryRange> ranges_;
    std::vector<LoggedAccess> log_;
    AlignedBytes shared_;
    AlignedBytes parameters_;
    std::uint64_t local_bytes_ = 0;  // a lane's
    std::array<Barrier, kBarriers> barriers_{};
    Dim3 cta_;
    std::uint64_t steps_ = 0;  // operations of this CTA
    std::uint64_t hopes_ = 0;  // times that nobody could go on but those who wait at mbarriers
    Totals totals_;
    bool tracing_ = false;
    std::unique_ptr<Checker> checker_;  // null: nothing is checked
    Failure failure_;
};

}  // namespace kymo::gpu::ptx
