// The GPU and its settings: options that several sub-verbs share.
#pragma once

#include "cli/verbs.h"
#include "gpu/basic/basic_model.h"
#include "gpu/model/full_model.h"
#include "gpu/report/timeline.h"
#include "gpu/trace/whole_launch.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::cli {

// The words behind "--", and argc without them: a program and its arguments.
inline std::vector<std::string> words_after_dashes(int& argc, char** argv) {
    std::vector<std::string> words;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--") {
            words.assign(argv + i + 1, argv + argc);
            argc = i;
        }
    }
    return words;
}

// A built-in GPU's name unchanged, or a file's whole path.
inline std::string gpu_seen_from_anywhere(const std::string& gpu) {
    const bool is_file = gpu.find('/') != std::string::npos || gpu.ends_with(".json");
    return is_file ? std::filesystem::absolute(gpu).string() : gpu;
}

struct GpuTarget {
    std::string gpu = "a100-pcie";
    std::vector<std::string> settings;
    std::string model = "full";
    bool profiled = false;
    bool warm = false;
    bool exact = false;
    bool partial = false;

    void add_to(CLI::App& app) {
        app.add_option("--gpu", gpu, "a GPU's name (kymo gpu list) or file")
            ->type_name("NAME")
            ->capture_default_str();
        app.add_option("--model", model, "full, or basic: one thread at a time, fixed latencies")
            ->check(CLI::IsMember({"full", "basic"}))
            ->capture_default_str();
        app.add_flag("--profiled", profiled,
                     "as under a profiler that holds the base clock (Nsight Compute), not at boost");
        app.add_flag("--exact", exact, "simulate every CTA; equal ones of a long launch are sampled otherwise");
        app.add_flag("--warm", warm, "the L2 holds what the same launch before left there");
        app.add_flag("--partial", partial, "model a trace that holds only a part of its launch, and say which");
    }
    bool reads_twice() const { return warm || model == "basic"; }
    gpu::Extent extent() const { return partial ? gpu::Extent::kPartial : gpu::Extent::kWhole; }
    Result<gpu::Gpu> load() const {
        auto loaded = gpu::load_gpu(gpu);
        for (std::size_t i = 0; loaded && i < settings.size(); ++i) {
            if (auto set = gpu::set_parameter(*loaded, settings[i]); !set) {
                return set.error();
            }
        }
        return loaded;
    }
    const gpu::LaunchCosts& launch(const gpu::Gpu& loaded) const { return profiled ? loaded.profiled : loaded.boost; }
    Result<gpu::KernelResult> run(const gpu::Gpu& loaded, gpu::KernelSource& source,
                                  gpu::Timeline* observer = nullptr) const {
        if (model == "basic") {
            return gpu::run_basic(loaded, launch(loaded), source, observer);
        }
        return gpu::run_full(loaded, launch(loaded), source, {warm, observer, exact});
    }
};

}  // namespace kymo::cli
