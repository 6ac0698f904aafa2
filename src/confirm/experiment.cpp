#include "confirm/experiment.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace kymo::confirm {
namespace {

namespace fs = std::filesystem;

constexpr std::array kAllocators = {"libjemalloc", "libtcmalloc", "libmimalloc"};
constexpr std::array kAllocatorFiles = {"libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libtcmalloc.so.4",
                                        "libmimalloc.so.2"};
constexpr std::array kLibraryFolders = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
                                        "/usr/local/lib", "/usr/lib"};

bool is_library(const std::string& path, std::string_view name) {
    return fs::path(path).filename().string().starts_with(name);
}

std::string find_allocator() {
    for (const char* const file : kAllocatorFiles) {
        for (const char* const folder : kLibraryFolders) {
            std::error_code ignored;
            if (const fs::path path = fs::path(folder) / file; fs::exists(path, ignored)) {
                return path.string();
            }
        }
    }
    return {};
}

bool gives_huge_pages() {
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
    const std::string modes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return modes.find("[madvise]") != std::string::npos || modes.find("[always]") != std::string::npos;
}

// Of the C library's allocator (glibc 2.35, manual, "Memory Allocation Tunables").
Experiment keep_memory() {
    return {"keep-memory",
            "the C library keeps freed memory instead of returning it to the kernel",
            {{"GLIBC_TUNABLES",
              "glibc.malloc.trim_threshold=17179869184:glibc.malloc.mmap_max=0:glibc.malloc.top_pad=67108864"}}};
}

Experiment huge_pages() {
    return {"huge-pages", "the C library asks for huge pages", {{"GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"}}};
}

Experiment other_allocator(const Platform& platform) {
    return {"other-allocator",
            "another allocator takes the place of the C library's",
            {{"LD_PRELOAD", platform.another_allocator}}};
}

// OpenMP 5.2, chapter 21 "Environment Variables"; GOMP_SPINCOUNT: GNU libgomp's manual.
Experiment sleep_while_waiting(const Platform& platform) {
    Experiment result{"passive-waiting", "OpenMP's threads sleep while they wait", {{"OMP_WAIT_POLICY", "passive"}}};
    if (platform.is_openmp_of_gnu) {
        result.settings.push_back({"GOMP_SPINCOUNT", "0"});
    }
    return result;
}

Experiment fewer_threads(const Platform& platform) {
    const std::string threads = std::to_string(platform.processors);
    return {"fewer-threads",
            "OpenMP makes as many threads as there are processors, and none inside of others",
            {{"OMP_NUM_THREADS", threads}, {"OMP_THREAD_LIMIT", threads}, {"OMP_MAX_ACTIVE_LEVELS", "1"}}};
}

Experiment fixed_places() {
    return {"fixed-places",
            "each thread of OpenMP stays on a processor of its own",
            {{"OMP_PROC_BIND", "true"}, {"OMP_PLACES", "threads"}}};
}

Experiment own_processors() {
    return {"own-processors", "each thread is bound to a processor, by turns, from outside", {}, true, false, true};
}

Experiment one_thread() {
    return {"one-thread", "one thread does all the work", {{"OMP_NUM_THREADS", "1"}}, false};
}

// Kinds of findings whose stake is work of their function, which a faster function saves.
bool suits_speed_up(std::string_view kind) {
    // Not: waiting, processors that others use, faults at first use, and occurrences that are slow for a reason of
    // their own: there a faster function saves another time than the one at stake.
    static constexpr std::array kKinds = {"allocation-churn",
                                          "atomic-contention",
                                          "clearing-memory",
                                          "copying",
                                          "division-bound",
                                          "exceptions-as-control-flow",
                                          "fine-grained-tasks",
                                          "formatting",
                                          "growth",
                                          "hashing",
                                          "io-overhead",
                                          "latency-chain",
                                          "locking-overhead",
                                          "not-vectorised",
                                          "page-faults",
                                          "pipeline-stage",
                                          "quadratic",
                                          "reading-clocks",
                                          "reference-counting",
                                          "regular-expressions",
                                          "repeated-work",
                                          "serial-section",
                                          "serialising",
                                          "strided-access",
                                          "string-building",
                                          "syscall-storm"};
    return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

}  // namespace

Experiment virtual_speed_up() {
    return {"virtual-speed-up",
            "all other threads are slowed while one is in the function, as if the function were faster",
            {},
            true,
            true};
}

Platform platform_of(const std::vector<std::string>& images, std::uint64_t processors) {
    const auto has = [&](std::string_view name) {
        return std::any_of(images.begin(), images.end(), [&](const auto& path) { return is_library(path, name); });
    };
    Platform platform;
    platform.processors = processors;
    platform.is_openmp_of_gnu = has("libgomp.so");
    platform.has_openmp = platform.is_openmp_of_gnu || has("libomp.so") || has("libiomp5.so");
    platform.has_other_allocator = std::any_of(kAllocators.begin(), kAllocators.end(), has);
    platform.another_allocator = find_allocator();
    platform.has_huge_pages = gives_huge_pages();
    return platform;
}

std::vector<Experiment> experiments_for(std::string_view kind, const Platform& platform, bool has_code) {
    const auto is = [&](auto... kinds) { return ((kind == kinds) || ...); };
    const bool is_allocator_known = !platform.has_other_allocator;
    std::vector<Experiment> result;
    // First: they help with memory that is kept, and with memory that comes and goes.
    if (is("page-faults", "cold-start") && is_allocator_known && platform.has_huge_pages) {
        result.push_back(huge_pages());
    }
    if (is("allocation-churn", "page-faults") && is_allocator_known) {
        result.push_back(keep_memory());
    }
    if (is("allocation-churn") && is_allocator_known && !platform.another_allocator.empty()) {
        result.push_back(other_allocator(platform));
    }
    if (is("busy-wait", "oversubscription") && platform.has_openmp) {
        result.push_back(sleep_while_waiting(platform));
    }
    if (is("oversubscription") && platform.has_openmp && platform.processors != 0) {
        result.insert(result.begin(), fewer_threads(platform));
    }
    if (is("thread-migration") && platform.has_openmp) {
        result.push_back(fixed_places());
    }
    if (is("thread-migration") && platform.processors > 1) {
        result.push_back(own_processors());
    }
    if (is("fine-grained-tasks", "lock-contention", "atomic-contention", "locking-overhead") && platform.has_openmp) {
        result.push_back(one_thread());
    }
    if (has_code && suits_speed_up(kind)) {
        result.push_back(virtual_speed_up());  // last: the others change the program's run itself
    }
    return result;
}

}  // namespace kymo::confirm
