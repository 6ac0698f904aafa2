// generate_recording FOLDER [SAMPLES [THREADS]]: a recording to measure readers and reports with.
#include "generator.h"

#include <cstdio>
#include <cstdlib>
#include <exception>

int main(int argc, char** argv) {
    if (argc < 2 || argc > 4) {
        std::fputs("usage: generate_recording FOLDER [SAMPLES [THREADS]]\n", stderr);
        return 2;
    }
    kymo::bench::Workload workload;
    if (argc > 2) {
        workload.samples = std::strtoull(argv[2], nullptr, 10);
    }
    if (argc > 3) {
        workload.threads = static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10));
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
