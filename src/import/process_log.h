// The file of one process image in a recording that is imported: its threads' samples become rows.
//
// Rows of one thread must come in the order of time. Not thread-safe. Memory: the call paths, and of each thread the
// samples since its last one of the pace event.
#pragma once

#include "base/result.h"
#include "import/context_tree.h"
#include "import/event_plan.h"
#include "import/processor/branch_stacks.h"
#include "recording/file_writer.h"
#include "recording/folder.h"
#include "recording/tables.h"
#include "recording/tables/operand_turns.h"
#include "recording/writer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace kymo::import {

struct Frame {
    std::uint64_t image = 0;
    std::uint64_t offset = 0;
};

// A sample as it is imported.
struct SampleIn {
    std::uint64_t time = 0;
    std::uint64_t processor = 0;
    std::uint32_t attribute = 0;
    bool in_kernel = false;
    bool recovered = false;  // a frame of the path was found without a rule
    bool after_gap = false;  // of the time since the thread's last sample nothing is known
    recording::PathEnd path_end{};
    std::span<const Frame> path;                   // innermost first; the user's
    std::span<const std::uint64_t> deltas;         // by attribute
    std::span<const std::uint64_t> operands = {};  // as recording::SampleOperands::values; empty: not known
    // The memory that it used, without the place of the instruction, which is that of the path; none: not known.
    const recording::MemoryAccess* access = nullptr;
};

// A wait as it is imported; its row without the context.
struct WaitIn {
    recording::Wait row;
    std::span<const Frame> path;
};

struct ProcessStart {
    std::uint64_t time = 0;
    std::uint32_t pid = 0;
    std::uint32_t parent_pid = 0;
    std::string name;        // of the command
    std::string executable;  // its path, as far as known
    std::uint64_t entry = 0;
    std::uint16_t machine = 0;  // ELF e_machine
    recording::Mechanism mechanism{};
};

class ProcessLog {
  public:
    static Result<std::unique_ptr<ProcessLog>> create(const recording::Folder& folder, const std::string& file,
                                                      const ProcessStart& start, const EventPlan& plan,
                                                      std::string producer);
    ProcessLog(const ProcessLog&) = delete;
    ProcessLog& operator=(const ProcessLog&) = delete;
    ~ProcessLog();

    const std::string& file() const { return file_name_; }
    void write(const recording::Image& row) { common_.append(row); }
    void write(const BranchSums& branches) { branches.write(common_); }
    // `born`: when the thread began; 0: not known. `name`: empty: not known.
    void sample(std::uint32_t tid, std::uint64_t born, std::string_view name, const SampleIn& sample);
    // In the order of the ends of a thread's waits. Those below kBriefWait are added up by kind instead.
    void wait(std::uint32_t tid, std::uint64_t born, std::string_view name, const WaitIn& wait);
    static constexpr std::uint64_t kBriefWait = 10'000;  // ns
    // In the order of time of the thread's samples.
    void mark(std::uint32_t tid, std::uint64_t born, std::string_view name, const recording::Mark& mark);
    // The thread has rows from now on, samples or not.
    void begin_thread(std::uint32_t tid, std::uint64_t born, std::string_view name);
    void rename(std::uint32_t tid, std::string_view name);
    void end_thread(std::uint32_t tid, std::uint64_t time);
    // The last row. `how`: as recording::ProcessEnd's. False: rows are missing for want of space.
    bool close(std::uint64_t time, std::uint64_t how);

    std::uint64_t threads() const { return opened_; }
    // Addresses in image 0 of call paths, as they came up: some more than once; the first kMostGenerated.
    const std::vector<std::uint64_t>& generated() const { return generated_; }
    static constexpr std::size_t kMostGenerated = std::size_t{1} << 21U;

  private:
    struct Held {
        recording::Sample row;
        std::vector<std::uint64_t> deltas;
        std::optional<recording::MemoryAccess> access;
    };
    struct Thread {
        std::uint64_t stream = 0;
        std::uint64_t last = 0;  // the time of its last row of the pace event, or its begin
        double usual_gap = 0;    // between two samples of it, ns; 0: not known yet
        recording::StreamWriter writer;
        recording::OperandTurns operand_turns;
        ContextTree contexts;
        std::vector<Held> held;  // of other events, until the next row of the pace event
        std::vector<std::uint64_t> totals;
        std::map<std::uint64_t, recording::WaitBrief> brief_waits;  // by kind
    };

    ProcessLog(const EventPlan& plan, std::string file, std::string producer)
        : plan_(plan), file_name_(std::move(file)), producer_(std::move(producer)) {}
    void write_start(const ProcessStart& start);
    void describe_accesses();
    Thread& open_thread(std::uint32_t tid, std::uint64_t begin, std::string_view name);
    Thread& thread_of(std::uint32_t tid, std::uint64_t born, std::string_view name, const SampleIn& sample);
    std::uint64_t enter_path(Thread& thread, std::span<const Frame> path);
    std::uint64_t clock_of(Thread& thread, const SampleIn& sample, std::uint64_t period) const;
    static void write_held(Thread& thread, std::uint64_t time);
    void end(Thread& thread, std::uint64_t time);

    const EventPlan& plan_;
    std::string file_name_;
    std::string producer_;
    recording::FileWriter file_;
    recording::StreamWriter common_;
    std::uint64_t begin_ = 0;
    recording::Mechanism mechanism_{};
    std::uint64_t opened_ = 0;  // streams
    std::unordered_map<std::uint32_t, std::unique_ptr<Thread>> threads_;
    std::vector<std::uint64_t> deltas_;
    std::vector<std::uint64_t> generated_;
    bool has_accesses_ = false;  // and their table is described
    bool incomplete_ = false;
};

}  // namespace kymo::import
