// Writes what a simulated machine does as a recording: the part of the monitor and of `kymo record`.
#pragma once

#include "findings/statistics/random.h"
#include "made_recording.h"
#include "recording/tables.h"
#include "spacetime/evidence/make_evidence.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::findings::simulated {

inline constexpr double kPeriod = 1e6;  // ns of a thread's clock between two samples
inline constexpr double kFaultPeriod = 251;
inline constexpr std::int64_t kTick = 4'000'000;
inline constexpr std::int64_t kLeastWait = 10'000;

struct Brief {
    std::uint64_t count = 0;
    std::int64_t ns = 0;
};

// What is known of a recorded thread.
struct ThreadRecord {
    std::size_t process = 0;
    std::uint32_t stream = 0;
    std::uint64_t tid = 0;
    std::vector<std::uint32_t> path;  // functions, outermost first

    double clock = 0;  // task-clock
    double grid = 0;   // of the clock: when its next sample is due
    double due = 0;    // and comes
    double system = 0;
    double faults = 0;
    double fault_due = 0;  // the next sampled one
    double instructions = 0;
    std::vector<std::uint64_t> last;  // events' sums at the last sample
    std::map<std::vector<std::uint32_t>, std::uint64_t> contexts;
    std::map<recording::WaitKind, Brief> brief;

    std::optional<std::int64_t> off_since;
    bool off_preempted = false;
    int off_processor = 0;
    std::uint64_t voluntary = 0;
    std::uint64_t involuntary = 0;
    std::int64_t ready_ns = 0;
};

class Recorder {
  public:
    Recorder(unsigned processors, bool counts_instructions, std::uint64_t seed);

    std::uint32_t function(std::string_view name);  // its number
    // The function that a finding's place is; empty: none.
    std::string name_of(const spacetime::Place& place) const;

    void begin_process(ThreadRecord* first, std::uint64_t parent_pid, std::int64_t time);
    void begin_thread(ThreadRecord* thread, ThreadRecord* creator, const std::string& name, std::int64_t time);
    void end_thread(ThreadRecord* thread, std::int64_t time);
    void end_process(std::size_t process, std::int64_t time);
    // Takes the samples that are due by now.
    void look(ThreadRecord* thread, std::int64_t time, int processor, bool in_kernel);
    void kernel_tick(ThreadRecord* thread, std::int64_t time);
    void wait(ThreadRecord* thread, recording::Wait row);
    void mapping(const ThreadRecord& thread, std::int64_t time, std::uint64_t bytes);
    void leaves(ThreadRecord* thread, std::int64_t time, int processor, bool is_ready);
    void returns(ThreadRecord* thread, std::int64_t time, int processor);
    // `stolen`: ns of all processors, if the hypervisor says so.
    void end(std::int64_t time, std::uint64_t peak_bytes, std::optional<std::int64_t> stolen);

    std::uint64_t pid_of(const ThreadRecord& thread) const { return processes_[thread.process].pid; }
    spacetime::Evidence evidence() const;
    const std::filesystem::path& path() const { return folder_.path(); }  // the recording
    // The function at an offset of the program's image; empty: none.
    std::string function_at(std::uint64_t offset) const;

  private:
    struct Process {
        std::uint64_t pid = 0;
        std::unique_ptr<kymo::testing::MadeFile> file;
        std::vector<std::uint64_t> totals;
    };

    kymo::testing::MadeFile& file(const ThreadRecord& thread) { return *processes_[thread.process].file; }
    std::vector<std::uint64_t> sums(const ThreadRecord& thread) const;
    std::uint64_t context(ThreadRecord* thread);
    void plan_sample(ThreadRecord* thread);
    void sample(ThreadRecord* thread, std::int64_t time, int processor, std::uint64_t event);

    kymo::testing::TemporaryFolder folder_;
    std::unique_ptr<kymo::testing::MadeFile> launch_;
    bool counts_instructions_;
    Random random_;
    std::vector<std::string> functions_;
    std::vector<Process> processes_;
    std::optional<std::int64_t> stolen_;
    std::uint64_t last_number_ = 99;  // of processes and threads
};

}  // namespace kymo::findings::simulated
