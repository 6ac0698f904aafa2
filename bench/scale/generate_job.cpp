// generate_job FOLDER [--ranks N | --processes N] [--samples S] [--slow RANK] [--bundles] [--seed SEED]: the
// recording of a parallel job, or of a run of many short processes, with known totals (job.h), which it prints as
// JSON.
#include "job.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

int main(int argc, char** argv) {
    CLI::App options("Make the recording of a parallel job whose totals are known, and print them.", "generate_job");
    std::string folder;
    kymo::bench::Job job;
    std::uint32_t processes = 0;
    options.add_option("folder", folder, "the recording to make")->type_name("REC.kymo")->required();
    auto* const ranks =
        options.add_option("--ranks", job.ranks, "ranks (1,000), of one process each")->check(CLI::PositiveNumber);
    options.add_option("--processes", processes, "instead: this many processes, one after the other")
        ->check(CLI::PositiveNumber)
        ->excludes(ranks);
    options.add_option("--samples", job.samples, "of all together (200,000,000)")->check(CLI::PositiveNumber);
    options.add_option("--slow", job.slow_rank, "this rank works half as long again (617)");
    options.add_option("--places", job.places, "from which the computation is called: 194 call paths each (4)");
    options.add_flag("--bundles", job.has_bundles, "files are in bundles, one a host, as kymo record leaves them");
    options.add_option("--seed", job.seed, "for what varies by chance (1)");
    CLI11_PARSE(options, argc, argv);
    if (processes != 0) {
        job.ranks = processes;
        job.has_ranks = false;
    }
    try {
        const kymo::bench::JobTruth truth = kymo::bench::generate_job(folder, job);
        nlohmann::json said = {{"samples", truth.samples}, {"steps", truth.steps}, {"functions", truth.functions}};
        if (job.has_ranks) {
            said["slow"] = job.slow_rank;
        }
        std::puts(said.dump(1).c_str());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "generate_job: %s\n", error.what());
        return 1;
    }
    return 0;
}
