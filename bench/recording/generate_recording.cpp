// generate_recording FOLDER [SAMPLES [THREADS [CONTEXTS DWELL]]]: a recording to measure readers and reports with.
// With the last two all threads run the same code and stay at a place for DWELL samples on average.
#include "generator.h"

#include <cstdio>
#include <cstdlib>
#include <exception>

int main(int argc, char** argv) {
    if (argc < 2 || argc > 6) {
        std::fputs("usage: generate_recording FOLDER [SAMPLES [THREADS [CONTEXTS DWELL]]]\n", stderr);
        return 2;
    }
    kymo::bench::Workload workload;
    if (argc > 2) {
        workload.samples = std::strtoull(argv[2], nullptr, 10);
    }
    if (argc > 3) {
        workload.threads = static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10));
    }
    if (argc > 5) {
        workload.contexts = static_cast<std::uint32_t>(std::strtoul(argv[4], nullptr, 10));
        workload.dwell = static_cast<std::uint32_t>(std::strtoul(argv[5], nullptr, 10));
        workload.same_code = true;
    }
    if (workload.contexts == 0 || workload.dwell == 0) {
        std::fputs("contexts and dwell are numbers above 0\n", stderr);
        return 2;
    }
    if (workload.samples == 0 || workload.threads == 0) {
        std::fputs("samples and threads are numbers above 0\n", stderr);
        return 2;
    }
    try {
        kymo::bench::generate_recording(argv[1], workload);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
