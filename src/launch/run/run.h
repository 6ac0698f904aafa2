// A run, step by step, from the recording's first byte to its last.
#pragma once

#include "base/result.h"
#include "launch/child.h"
#include "launch/record_outcome.h"
#include "launch/run/kept_history.h"
#include "launch/run/kernel_records.h"
#include "launch/run/log_rows.h"
#include "launch/run/memory_samples.h"
#include "launch/run/outside_maps.h"
#include "launch/run/participant.h"
#include "launch/run/program_watch.h"
#include "launch/run/recorded_processes.h"
#include "launch/run/session_file.h"
#include "launch/run/short_processes.h"
#include "launch/run_log.h"
#include "launch/signals.h"
#include "launch/stage.h"
#include "recording/folder.h"

#include <optional>
#include <vector>

namespace kymo::launch {

class Run {
  public:
    // All outlive the run. `target`: the recording's folder; `stage`: where it is written, null: in the target.
    Run(Settled& settled, const recording::Folder& target, const Stage* stage);
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    // Empties the folders again unless the program began: then the recording is kept.
    ~Run();

    // All of it. Errors: the program did not begin; nothing is left behind.
    Result<RecordOutcome> run();

  private:
    Result<void> begin();
    Result<void> open_log();
    Result<void> fork_program();
    Result<void> tell_started();
    Result<void> let_go();

    void watch();
    void wait_until(std::uint64_t due);

    RecordOutcome end();
    void write_end(const RecordOutcome& outcome);

    void empty_folder(const recording::Folder& folder) const;

    Settled& settled_;
    const recording::Folder& target_;
    const Stage* const stage_;
    const recording::Folder& folder_;  // where it is written
    RunLog log_;
    SignalWatch signals_;
    std::optional<Child> child_;
    std::optional<ProgramWatch> program_;
    RunScene scene_;
    std::uint64_t let_go_ = 0;  // when the program was released
    bool is_to_keep_ = false;

    KernelRecords kernel_records_;
    SessionFile session_;
    ShortProcesses short_processes_;
    RecordedProcesses recorded_processes_;
    OutsideMaps outside_maps_{recorded_processes_};
    MemorySamples memory_samples_{recorded_processes_};
    KeptHistory kept_history_{recorded_processes_};
    LogRows log_rows_;
    std::vector<RunParticipant*> participants_;
};

}  // namespace kymo::launch
