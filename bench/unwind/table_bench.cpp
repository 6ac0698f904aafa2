// Making the unwinding tables of real images, per row made: ours beside elfutils' (dwarf_next_cfi does not evaluate,
// so every function's rows are fetched with dwarf_cfi_addrframe, as whoever builds a table through it must).
#include "image/describe.h"
#include "ratios.h"
#include "unwind/compile.h"
#include "unwind/image_set.h"

#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#ifdef KYMO_HAS_ELFUTILS
#include <elfutils/libdw.h>
#include <gelf.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

void build_with_kymo(benchmark::State& state, const kymo::image::LoadedImage* image) {
    double rows = 0;
    double functions = 0;
    for (auto _ : state) {
        kymo::unwind::Table table;
        if (!kymo::unwind::compile_image(*image, &table)) {
            state.SkipWithError("no memory");
            return;
        }
        rows += table.rows;
        functions = table.functions;
        state.PauseTiming();
        kymo::unwind::release(&table);
        state.ResumeTiming();
    }
    state.counters["rows"] = benchmark::Counter(rows, benchmark::Counter::kAvgIterations);
    state.counters["functions"] = functions;
    state.counters["ns_each"] = benchmark::Counter(rows, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

#ifdef KYMO_HAS_ELFUTILS
void build_with_elfutils(benchmark::State& state, std::string path, std::uint64_t begin, std::uint64_t end) {
    double rows = 0;
    elf_version(EV_CURRENT);
    for (auto _ : state) {
        const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        Elf* elf = elf_begin(file, ELF_C_READ_MMAP, nullptr);
        Dwarf_CFI* frames = dwarf_getcfi_elf(elf);
        std::uint64_t at = begin;
        while (at < end) {
            Dwarf_Frame* frame = nullptr;
            Dwarf_Addr row_begin = 0;
            Dwarf_Addr row_end = 0;
            if (dwarf_cfi_addrframe(frames, at, &frame) != 0) {
                ++at;
                continue;
            }
            dwarf_frame_info(frame, &row_begin, &row_end, nullptr);
            Dwarf_Op* operations = nullptr;
            std::size_t count = 0;
            dwarf_frame_cfa(frame, &operations, &count);
            benchmark::DoNotOptimize(operations);
            free(frame);
            ++rows;
            at = row_end > at ? row_end : at + 1;
        }
        dwarf_cfi_end(frames);
        elf_end(elf);
        close(file);
    }
    state.counters["rows"] = benchmark::Counter(rows, benchmark::Counter::kAvgIterations);
    state.counters["ns_each"] = benchmark::Counter(rows, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
#endif

// Registers the image that holds `symbol` of `library` (nullptr: what is loaded already).
void add(const char* name, const char* library, const char* symbol, bool with_peer) {
    void* handle = library == nullptr ? RTLD_DEFAULT : dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void* address = handle == nullptr && library != nullptr ? nullptr : dlsym(handle, symbol);
    static kymo::image::Arena arena;
    auto* image = arena.allocate_array<kymo::image::LoadedImage>(1);
    if (address == nullptr ||
        !kymo::image::describe_image_at(reinterpret_cast<std::uint64_t>(address), arena, image)) {
        std::fprintf(stderr, "%s is not installed: left out\n", name);
        return;
    }
    benchmark::RegisterBenchmark((std::string("kymo_") + name).c_str(), build_with_kymo, image)
        ->Unit(benchmark::kMicrosecond);
#ifdef KYMO_HAS_ELFUTILS
    if (with_peer) {
        const auto code = image->code();
        benchmark::RegisterBenchmark((std::string("elfutils_") + name).c_str(), build_with_elfutils,
                                     std::string(image->path), code.begin - image->bias, code.end - image->bias)
            ->Unit(benchmark::kMicrosecond)
            ->Iterations(1);
    }
#endif
}

}  // namespace

int main(int argc, char** argv) {
    add("libc", nullptr, "printf", true);
    add("libstdc++", nullptr, "_ZNSo5flushEv", true);
    add("libcrypto", "libcrypto.so.3", "EVP_sha256", true);
    add("libLLVM", "libLLVM-14.so.1", "LLVMContextCreate", false);
    return run_and_compare(argc, argv, "row");
}
