// A modelled kernel as a recording: what a profiler of the GPU would have written, in the model's clock.
//
// For the full model one stream is one warp place of one SM, for the basic model one thread simulator. CTAs are
// occurrences: marks "cta" begin and end in the stream of each of their warps, with the CTA's number. A sample is
// the instruction that a warp issues, or that a thread simulator ends, once `period` cycles have passed since its
// last sample, with the change of every event since then. The kernel is image 1, linked at 0.
//
// Contract: one recorder per launch: create() or create_of_threads(), pass it to run_full or run_basic as the
// observer, finish(). Rows without space are counted and are never an error of the model.
#pragma once

#include "gpu/basic/step_observer.h"
#include "gpu/model/result.h"
#include "gpu/model/sm.h"
#include "gpu/report/findings.h"
#include "recording/writer.h"

#include <filesystem>
#include <string>
#include <vector>

namespace kymo::gpu {

class Timeline : public IssueObserver, public StepObserver {
  public:
    static constexpr std::uint64_t kPeriod = 128;  // cycles
    static constexpr std::uint64_t kMostThreads = 4096;

    // Makes the folder REC.kymo with one file. Errors: kOutputExists, kPermission, kNoSpace.
    static Result<std::unique_ptr<Timeline>> create(const std::filesystem::path& folder, const KernelHeader& header,
                                                    const Gpu& gpu, const LaunchCosts& launch, unsigned slots_per_sm,
                                                    std::uint64_t period = kPeriod);
    // The same for the basic model, whose threads must be those of the launch. Errors: also kUsage, a launch of more
    // than kMostThreads.
    static Result<std::unique_ptr<Timeline>> create_of_threads(const std::filesystem::path& folder,
                                                               const KernelHeader& header, const Gpu& gpu,
                                                               const LaunchCosts& launch,
                                                               std::uint64_t period = kPeriod);
    ~Timeline() override;

    void warp_begins(unsigned sm, unsigned slot, std::uint64_t cycle, std::uint64_t cta, std::uint32_t warp) override;
    void issued(const Issue& issue) override;
    void warp_ends(unsigned sm, unsigned slot, std::uint64_t cycle) override;
    void thread_begins(std::uint64_t thread, std::uint64_t cta) override;
    void stepped(const Step& step) override;
    void thread_ends(std::uint64_t thread, double cycle) override;

    // Writes what is known only at the end, and closes the file.
    Result<void> finish(const KernelResult& result, const std::vector<Finding>& found);
    std::uint64_t samples() const { return samples_; }

    // The recorded events, in the order of a sample's deltas.
    enum Event : std::uint8_t {
        kTaskClock,
        kInstructions,  // of warps; of the basic model's threads those that they execute
        kIdleLanes,     // or masked instructions
        kSectors,
        kBankConflicts,
        kDependenceStall,
        kMemoryStall,
        kBarrierStall,
        kContentionStall,
        kSystemTime,  // always 0: a GPU has none, and without it the analysis would guess
        kEvents
    };

  private:
    struct Slot {
        recording::StreamWriter writer;
        std::vector<std::uint32_t> context;  // by static instruction; 0: none yet
        std::uint32_t contexts = 0;
        std::uint64_t last_sample = 0;  // cycle
        std::uint64_t cta = 0;
        bool open = false;
        std::array<std::uint64_t, kEvents> deltas{};
        std::array<std::uint64_t, kEvents> totals{};
    };
    Timeline() = default;
    static Result<std::unique_ptr<Timeline>> make(const std::filesystem::path& folder, const KernelHeader& header,
                                                  const Gpu& gpu, const LaunchCosts& launch, std::size_t streams,
                                                  std::uint64_t period, bool of_threads);
    int close();  // 0 or an errno
    void begin(std::size_t stream, const std::string& name, std::uint64_t cycle, std::uint64_t cta);
    void end(Slot& slot, std::uint64_t cycle);
    std::uint64_t ns(std::uint64_t cycle) const {
        return static_cast<std::uint64_t>(static_cast<double>(cycle) * 1e3 / mhz_);
    }
    Slot& slot(unsigned sm, unsigned number) { return slots_[sm * slots_per_sm_ + number]; }
    void sample(Slot& slot, std::uint64_t cycle, unsigned sm, std::uint32_t instruction, std::uint64_t pc);

    recording::FileWriter file_;
    recording::StreamWriter common_;
    std::vector<Slot> slots_;
    std::string name_;
    double mhz_ = 1;
    unsigned slots_per_sm_ = 1;
    std::uint64_t period_ = kPeriod;
    std::uint64_t samples_ = 0;
};

}  // namespace kymo::gpu
