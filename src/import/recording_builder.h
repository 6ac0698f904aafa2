// A recording, made from records of the kernel's performance events as they come: a file's, or those of programs that
// run.
//
// The records come in the order of their times. Each process image with samples becomes one file of the folder; what
// the kernel says of threads and switches goes into the run's log. Not thread-safe.
#pragma once

#include "import/event_plan.h"
#include "import/generated_code.h"
#include "import/paths/sample_paths.h"
#include "import/paths/stack_use.h"
#include "import/perf/visitor.h"
#include "import/process.h"
#include "import/process_images.h"
#include "launch/run_log.h"
#include "recording/folder.h"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kymo::import {

struct BuilderOptions {
    std::filesystem::path symfs;  // programs and libraries are looked for below it; empty: at their own paths
    std::string producer;         // "kymo 0.1.0"
    recording::Mechanism mechanism = recording::Mechanism::kImported;
    // The kernel's functions, as /proc/kallsyms; empty: those of the kernel that the records name, if they are here.
    std::filesystem::path kernel_symbols = {};
    bool every_process = false;  // processes and threads without samples have rows, too
    // Where files of code are, of processes that run: see ImageFiles.
    ImageFiles::Locate locate = {};
    // What a descriptor of a process is open on, while that runs; none: not known.
    std::function<recording::FileKind(std::uint32_t pid, std::uint32_t descriptor)> file_kind = {};
    GeneratedNames generated_names = {};
    // Attribute beyond those that are events of the recording: who wakes which thread (wakes.h).
    std::uint32_t wakes = ~0U;
};

struct BuilderCounts {
    std::uint64_t samples = 0;          // written
    std::uint64_t processes = 0;        // with samples
    std::uint64_t threads = 0;          // likewise
    std::uint64_t waits = 0;            // with their kinds
    std::uint64_t idle = 0;             // samples of processors without a task, which are left out
    std::uint64_t lost = 0;             // records that the kernel had no room for
    std::uint64_t other_registers = 0;  // samples with a copied stack, but of another kind of machine: without paths
    std::uint64_t left_out = 0;         // samples of more than kMostFiles processes
    std::uint64_t generating = 0;       // processes with frames in code that they made themselves
    std::uint64_t nameless = 0;         // of those, without names of that code
};
inline constexpr std::size_t kMostFiles = 1U << 16U;  // processes with samples

// Where just-in-time compiled code has no names: that, and how to get them. `why`: empty: nothing more is known.
std::optional<events::Missing> missing_generated_names(const BuilderCounts& counts, const std::string& why = {});

class RecordingBuilder : public perf::Visitor {
  public:
    // All outlive this.
    RecordingBuilder(const recording::Folder& folder, const BuilderOptions& options, launch::RunLog& log)
        : folder_(folder),
          options_(options),
          log_(log),
          files_of_images_(options.symfs, options.locate),
          kernel_(options.kernel_symbols) {}

    void header(const perf::FileFacts& facts, std::span<const perf::Attribute> attributes) override;
    Result<void> begin(const perf::FileFacts& facts, std::span<const perf::Attribute> attributes) override;
    void mapping(const perf::Mapping& row) override;
    void comm(const perf::Comm& row) override;
    void fork(const perf::Fork& row) override;
    void exit(const perf::Exit& row) override;
    void context_switch(const perf::Switch& row) override;
    void lost(const perf::Lost& row) override;
    void sample(const perf::Sample& row) override;
    // A thread that has slept since before the records began, at `time`; after the record of the loss of its
    // processor.
    void asleep(std::uint32_t pid, std::uint32_t tid, std::uint64_t time, const Sleeper& sleeper);
    bool enough() const override { return error_.has_value(); }

    // Every process that is known, and every thread of it, has rows from now on, samples or not.
    void write_all_known();
    // Ends the files. `at`: not before the last record. kNoSpace, kPermission: rows are missing.
    Result<void> finish(std::uint64_t at);

    const BuilderCounts& counts() const { return counts_; }
    // Of the samples with a copied stack, those of time and of switches.
    const StackUse& stack_use() const { return stack_use_; }
    const EventPlan& plan() const { return plan_; }
    std::uint64_t first_time() const { return begin_; }
    std::uint64_t last_time() const { return end_; }
    const std::vector<std::string>& files() const { return files_; }  // of the folder
    const ImageFiles& images() const { return files_of_images_; }
    // Processes that had records and have not ended.
    bool has_live_process() const;

  private:
    void find_kernel(const perf::FileFacts& facts);
    void forget_oldest(std::uint32_t ended);
    void see(const perf::Origin& row);
    Process& process_of(std::uint32_t pid);
    bool open_log(std::uint32_t pid, Process& process);
    static void write_images(Process& process);
    void end_process(std::uint32_t pid, std::uint64_t time, std::uint64_t how);
    void see_generated(std::uint32_t pid, Process& process);
    void name_generated(std::uint32_t pid, Process& process, std::uint64_t time);
    void find_deltas(const perf::Sample& row);
    void note_wake(const perf::Sample& row);
    void note_stack(const perf::Sample& row, const FoundPath& path);
    void note_blocked(Process& process, std::uint32_t tid, const FoundPath& path, std::uint64_t since);
    void write_wait(std::uint32_t pid, Process& process, std::uint32_t tid, Task& task, std::uint64_t end,
                    std::uint64_t flags);

    const recording::Folder& folder_;
    const BuilderOptions& options_;
    launch::RunLog& log_;
    std::uint16_t machine_ = 0;
    std::span<const perf::Attribute> attributes_;
    EventPlan plan_;
    std::uint64_t begin_ = 0;  // of what came
    std::uint64_t end_ = 0;
    ImageFiles files_of_images_;  // before processes_, which use its files
    KernelCode kernel_;
    bool has_kernel_ = false;  // the file has said which one it is
    std::optional<SamplePaths> paths_;
    std::vector<Frame> path_;
    std::unordered_map<std::uint32_t, Process> processes_;
    std::unordered_map<std::uint32_t, unsigned> images_of_pid_;  // that had samples
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> reads_;
    // By thread: its last waking, and when.
    std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::uint64_t>> wakes_;
    std::vector<std::string> files_;
    std::deque<std::uint32_t> ended_;  // processes, oldest first
    std::vector<std::uint64_t> deltas_;
    std::vector<std::uint64_t> operands_;
    std::optional<Error> error_;
    BuilderCounts counts_;
    std::size_t branch_room_ = BranchSums::kMost;
    StackUse stack_use_;
};

}  // namespace kymo::import
