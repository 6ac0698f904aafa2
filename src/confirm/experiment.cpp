#include "confirm/experiment.h"

#include "confirm/imports.h"
#include "confirm/settings_library.h"

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

// The begins of linkage names. Of GNU's OpenMP: calls by which compiled loops with schedule(dynamic) or
// schedule(guided) begin, and those with schedule(runtime); of the C library's streams and C++'s.
constexpr auto kLoopsByPiece = std::to_array<std::string_view>(
    {"GOMP_loop_dynamic_start", "GOMP_loop_guided_start", "GOMP_loop_nonmonotonic_dynamic_start",
     "GOMP_loop_nonmonotonic_guided_start", "GOMP_loop_ull_dynamic_start", "GOMP_loop_ull_guided_start",
     "GOMP_loop_ull_nonmonotonic_dynamic_start", "GOMP_loop_ull_nonmonotonic_guided_start",
     "GOMP_parallel_loop_dynamic", "GOMP_parallel_loop_guided", "GOMP_parallel_loop_nonmonotonic_dynamic",
     "GOMP_parallel_loop_nonmonotonic_guided"});
constexpr auto kLoopsBySetting = std::to_array<std::string_view>(
    {"GOMP_loop_runtime_start", "GOMP_loop_maybe_nonmonotonic_runtime_start", "GOMP_loop_nonmonotonic_runtime_start",
     "GOMP_loop_ull_runtime_start", "GOMP_loop_ull_maybe_nonmonotonic_runtime_start", "GOMP_parallel_loop_runtime",
     "GOMP_parallel_loop_maybe_nonmonotonic_runtime", "GOMP_parallel_loop_nonmonotonic_runtime"});
constexpr auto kStreams = std::to_array<std::string_view>(
    {"fopen", "fdopen", "fwrite", "fputs", "fputc", "fread", "fgets", "getline", "fprintf", "printf", "puts",
     "putchar", "__printf_chk", "__fprintf_chk", "_ZNSt13basic_filebufIcSt11char_traitsIcEE",
     "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE", "_ZNSt14basic_ofstreamIcSt11char_traitsIcEE",
     "_ZNSt13basic_fstreamIcSt11char_traitsIcEE"});

// They call one another: that says nothing of the program.
bool is_of_system(const std::string& path) {
    return path.starts_with("/usr/lib") || path.starts_with("/lib") || path.starts_with("[");
}

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

Experiment other_chunks(const Platform& platform, bool are_larger) {
    return {are_larger ? "larger-chunks" : "smaller-chunks",
            are_larger ? "a thread takes up to 16 times as many rounds of a loop at once"
                       : "a thread takes so few rounds of a loop at once that each takes 32 times and more",
            {{"LD_PRELOAD", platform.settings_library}, {"KYMO_LOOP_CHUNKS", are_larger ? "larger" : "smaller"}},
            false};
}

// OpenMP 5.2, 21.2.1. Of loops with schedule(runtime).
Experiment other_schedule(bool is_shared_evenly) {
    return {is_shared_evenly ? "static-schedule" : "dynamic-schedule",
            is_shared_evenly ? "each thread gets an equal part of a loop's rounds at once"
                             : "each thread takes the next round of a loop when it has done one",
            {{"OMP_SCHEDULE", is_shared_evenly ? "static" : "dynamic"}},
            false};
}

Experiment larger_buffers(const Platform& platform) {
    return {"larger-buffers",
            "files that the C library or C++ streams open have a buffer of 1 MiB",
            {{"LD_PRELOAD", platform.settings_library}, {"KYMO_LARGER_BUFFERS", "1"}},
            false};
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
    if (const auto library = settings_library()) {
        platform.settings_library = library->string();
    }
    for (const std::string& path : images) {
        if (!is_of_system(path)) {
            const auto imports = imported_functions(path);
            const auto imports_any = [&](const auto& begins) {
                return std::any_of(begins.begin(), begins.end(), [&](std::string_view begin) {
                    const auto next = imports.lower_bound(begin);
                    return next != imports.end() && next->starts_with(begin);
                });
            };
            platform.has_loops_by_piece = platform.has_loops_by_piece || imports_any(kLoopsByPiece);
            platform.has_loops_by_setting = platform.has_loops_by_setting || imports_any(kLoopsBySetting);
            platform.opens_streams = platform.opens_streams || imports_any(kStreams);
        }
    }
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
    // Threads that have not enough to do get smaller pieces, those that fetch work too often larger ones.
    const bool are_smaller = is("load-imbalance");
    if (are_smaller || is("fine-grained-tasks", "atomic-contention", "locking-overhead")) {
        if (platform.has_loops_by_piece && !platform.settings_library.empty()) {
            result.push_back(other_chunks(platform, !are_smaller));
        }
        if (platform.has_loops_by_setting) {
            result.push_back(other_schedule(!are_smaller));
        }
    }
    if (is("fine-grained-tasks", "lock-contention", "atomic-contention", "locking-overhead") && platform.has_openmp) {
        result.push_back(one_thread());
    }
    if (is("syscall-storm") && platform.opens_streams && !platform.settings_library.empty()) {
        result.push_back(larger_buffers(platform));
    }
    if (has_code && suits_speed_up(kind)) {
        result.push_back(virtual_speed_up());  // last: the others change the program's run itself
    }
    return result;
}

}  // namespace kymo::confirm
