// scale_bench RECORDING: what each stage from a recording to its findings takes, in time and memory. For reading
// only. One line a stage: its name, wall and processor seconds, the most memory so far in MiB. Under mpirun the
// analysis is done by all processes together, and the lines are of the first.
#include "analysis/analysis.h"
#include "recording/reader.h"
#include "team/mpi.h"

#include <chrono>
#include <cstdio>
#include <string>
#include <sys/resource.h>

namespace {

double processor_s(const rusage& usage) {
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Prints what passed since the last call.
class Stages {
  public:
    void end(const char* stage) {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        const auto now = std::chrono::steady_clock::now();
        std::printf("%-12s %9.3f %9.3f %9.1f\n", stage, std::chrono::duration<double>(now - last_).count(),
                    processor_s(usage) - processor_, static_cast<double>(usage.ru_maxrss) / 1024);
        last_ = now;
        processor_ = processor_s(usage);
    }

  private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
    double processor_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    using namespace kymo;
    if (argc != 2) {
        std::fputs("usage: scale_bench RECORDING.kymo\n", stderr);
        return 2;
    }
    const auto team = team::join_mpi_job();
    if (!team) {
        std::fprintf(stderr, "%s\n", team.error().what.c_str());
        return 1;
    }
    const bool is_first = team::is_first(team->get());
    Stages stages;
    const auto recording = recording::Recording::open(argv[1]);
    if (!recording) {
        std::fprintf(stderr, "%s\n", recording.error().what.c_str());
        return 1;
    }
    std::string stage;
    const auto analysed = analysis::analyse(*recording, {.spaces = {.on_stage =
                                                                        [&](std::string_view next) {
                                                                            if (!stage.empty() && is_first) {
                                                                                stages.end(stage.c_str());
                                                                            }
                                                                            stage = next;
                                                                        },
                                                                    .team = team->get()}});
    if (!is_first) {
        return analysed ? 0 : 1;
    }
    stages.end(stage.c_str());
    if (!analysed) {
        std::fprintf(stderr, "%s\n", analysed.error().what.c_str());
        return 1;
    }
    const spacetime::Evidence& evidence = analysed->evidence;
    std::printf("%zu nodes, %zu heavy spaces, %zu patterns, %zu findings\n", evidence.nodes.size(),
                evidence.spaces.size(), evidence.patterns.size(), analysed->judgement.findings.size());
    return 0;
}
