#include "analysis/run_tables.h"

#include "parallel/loops.h"
#include "recording/handlers.h"
#include "spacetime/load/descriptions.h"

#include <span>

namespace kymo::analysis {

RunTables read_run(const recording::Recording& recording) {
    const std::span<const recording::File> files = recording.files();
    RunTables run{.descriptions = {},
                  .metrics = std::vector<spacetime::MetricRows>(files.size()),
                  .hunts = std::vector<spacetime::FileHunt>(files.size()),
                  .looks = std::vector<spacetime::LookRows>(files.size()),
                  .memory = std::vector<spacetime::MemoryRows>(files.size()),
                  .exact = std::vector<spacetime::ExactRows>(files.size()),
                  .findings = std::vector<findings::RecordedFindings>(files.size())};
    for (std::size_t i = 0; i < files.size(); ++i) {
        run.descriptions.emplace_back(spacetime::FileData());
    }
    parallel::for_each_index(files.size(), [&](std::size_t i) {
        spacetime::Descriptions descriptions;
        const auto scanned = recording::scan_for(files[i], descriptions, run.metrics[i], run.hunts[i], run.looks[i],
                                                 run.memory[i], run.exact[i], run.findings[i]);
        if (!scanned) {  // what came before the error would be taken for all of it
            run.descriptions[i] = scanned.error();
            run.metrics[i] = {};
            run.hunts[i] = {};
            run.looks[i] = {};
            run.memory[i] = {};
            run.exact[i] = {};
            run.findings[i] = {};
            return;
        }
        run.descriptions[i] = descriptions.take();
        run.hunts[i].take_paths(*run.descriptions[i]);
    });
    return run;
}

}  // namespace kymo::analysis
