#include "gpu/cudart/device.h"

#include "gpu/ptx/check/check.h"

#include <cmath>
#include <cstdio>

namespace kymo::gpu::cudart {
namespace {

Result<Gpu> load(const JobOptions& options) {
    auto gpu = load_gpu(options.gpu);
    for (const std::string& setting : options.settings) {
        if (gpu) {
            if (auto done = set_parameter(*gpu, setting); !done) {
                return done.error();
            }
        }
    }
    return gpu;
}

}  // namespace

Device::Device(Job told, Gpu which)
    : job(std::move(told)),
      gpu(std::move(which)),
      capability(static_cast<unsigned>(std::lround(gpu.capability * 10))),
      memory(static_cast<std::uint64_t>(gpu.dram_size)),
      caches(gpu, costs()) {
    if (const auto checks = ptx::checks_from(job.options().checks); checks && checks->initialised) {
        memory.watch();
    }
}

Device* Device::get() {
    static Device* const device = []() -> Device* {
        auto job = Job::from_environment();
        if (!job) {
            (void)std::fprintf(stderr, "kymo: %s\nkymo: %s\n", job.error().what.c_str(), job.error().next.c_str());
            return nullptr;
        }
        auto gpu = load(job->options());
        if (!gpu) {
            job->problem(gpu.error());
            return nullptr;
        }
        return new Device(std::move(*job), std::move(*gpu));
    }();
    return device;
}

const Allocation* Device::find(const void* address, std::size_t bytes, std::uint64_t* begin) const {
    const auto at = reinterpret_cast<std::uint64_t>(address);
    auto after = allocations.upper_bound(at);
    if (after == allocations.begin()) {
        return nullptr;
    }
    --after;
    if (at - after->first > after->second.bytes || bytes > after->second.bytes - (at - after->first)) {
        return nullptr;
    }
    if (begin != nullptr) {
        *begin = after->first;
    }
    return &after->second;
}

std::recursive_mutex& Device::lock() {
    static auto* const mutex = new std::recursive_mutex;
    return *mutex;
}

Status& Device::last_error() {
    thread_local Status last = Status::kSuccess;
    return last;
}

}  // namespace kymo::gpu::cudart
