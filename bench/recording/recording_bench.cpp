// Writing and reading samples with four counter deltas, and their size at rest. Beside it, the usual way of keeping
// such rows: fixed-size structs through buffered stdio, which survives no kill and describes nothing.
//
// Counters: ns_row, and bytes_row at rest.

#include "generator.h"
#include "recording/crc.h"
#include "recording/pack.h"
#include "recording/reader.h"
#include "recording/writer.h"

#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

namespace {

using namespace kymo;
using namespace kymo::recording;

constexpr std::uint64_t kRows = 1'000'000;

// Made once, before anything is timed.
struct Data {
    Data() {
        std::string name = (std::filesystem::temp_directory_path() / "kymo-bench-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            std::abort();
        }
        folder = name;
        const bench::Workload workload;
        bench::generate_recording(folder / "packed.kymo", workload);
        bench::SampledThread thread(0, workload);
        for (std::uint64_t i = 0; i < kRows; ++i) {
            sampled.push_back(thread.next());
        }
    }
    Data(const Data&) = delete;
    Data& operator=(const Data&) = delete;
    ~Data() { std::filesystem::remove_all(folder); }

    std::filesystem::path folder;
    std::vector<bench::SampledThread::Sampled> sampled;
};

const Data& data() {
    static const Data made;
    return made;
}

void report(benchmark::State& state, std::uint64_t rows, double bytes) {
    state.SetItemsProcessed(static_cast<std::int64_t>(rows));
    state.counters["ns_row"] = benchmark::Counter(static_cast<double>(rows) / 1e9,
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
    if (bytes > 0) {
        state.counters["bytes_row"] = bytes;
    }
}

Sample sample_of(const bench::SampledThread::Sampled& sampled) {
    return {
        .time = sampled.time, .processor = sampled.processor, .context = sampled.context, .deltas = sampled.deltas};
}

// Taking chunks, allocating and populating them included; closing is not.
void kymo_append(benchmark::State& state) {
    const auto path = data().folder / "append.krec";
    std::uint64_t rows = 0;
    double bytes = 0;
    for (auto _ : state) {
        state.PauseTiming();
        const auto writer = std::make_unique<FileWriter>();
        StreamWriter stream;
        if (writer->create(path.c_str(), {}) != 0) {
            state.SkipWithError("cannot create a file");
            return;
        }
        stream.open(*writer, StreamId{1});
        state.ResumeTiming();
        for (const auto& sampled : data().sampled) {
            benchmark::DoNotOptimize(stream.append(sample_of(sampled)));
        }
        state.PauseTiming();
        rows += data().sampled.size();
        writer->close();
        if (const auto packed = pack_file(path)) {
            bytes = static_cast<double>(packed->bytes_after) / static_cast<double>(kRows);
        }
        std::filesystem::remove(path);
        state.ResumeTiming();
    }
    report(state, rows, bytes);
}
BENCHMARK(kymo_append)->Unit(benchmark::kMillisecond);

void stdio_structs_write(benchmark::State& state) {
    const auto path = data().folder / "structs";
    std::uint64_t rows = 0;
    for (auto _ : state) {
        std::FILE* const file = std::fopen(path.c_str(), "wb");
        for (const auto& sampled : data().sampled) {
            benchmark::DoNotOptimize(std::fwrite(&sampled, sizeof sampled, 1, file));
        }
        std::fclose(file);
        rows += data().sampled.size();
    }
    report(state, rows, sizeof(bench::SampledThread::Sampled));
}
BENCHMARK(stdio_structs_write)->Unit(benchmark::kMillisecond);

void kymo_take_chunk(benchmark::State& state) {
    const auto path = data().folder / "chunks.krec";
    const auto writer = std::make_unique<FileWriter>();
    if (writer->create(path.c_str(), {}) != 0) {
        state.SkipWithError("cannot create a file");
        return;
    }
    for (auto _ : state) {
        benchmark::DoNotOptimize(writer->take(kChunkBytes, 1));
    }
    writer->close();
    std::filesystem::remove(path);
}
BENCHMARK(kymo_take_chunk)->Iterations(4000);  // 256 MiB

// A thread of four rows, from its stream's opening to its end.
void kymo_short_stream(benchmark::State& state) {
    const auto path = data().folder / "short.krec";
    const auto writer = std::make_unique<FileWriter>();
    if (writer->create(path.c_str(), {}) != 0) {
        state.SkipWithError("cannot create a file");
        return;
    }
    std::uint32_t id = 0;
    for (auto _ : state) {
        StreamWriter stream;
        stream.open(*writer, StreamId{++id});
        for (std::size_t i = 0; i < 4; ++i) {
            stream.append(sample_of(data().sampled[i]));
        }
        stream.release();
    }
    writer->close();
    std::filesystem::remove(path);
}
BENCHMARK(kymo_short_stream);

Result<File> generated() {
    return File::open(data().folder / "packed.kymo" / "process-4242-0.krec");
}

// Checksums included.
void kymo_scan(benchmark::State& state) {
    const auto file = generated();
    std::uint64_t rows = 0;
    std::uint64_t sum = 0;
    for (auto _ : state) {
        const auto scanned = file->scan(on<Sample>([&](StreamId, const Sample& sample) {
            ++rows;
            sum += sample.time + sample.context + sample.deltas[3];
        }));
        benchmark::DoNotOptimize(scanned);
        benchmark::DoNotOptimize(sum);
    }
    report(state, rows, static_cast<double>(std::filesystem::file_size(file->path())) / static_cast<double>(kRows));
}
BENCHMARK(kymo_scan)->Unit(benchmark::kMillisecond);

// Rows counted and stepped over.
void kymo_scan_nothing(benchmark::State& state) {
    const auto file = generated();
    std::uint64_t rows = 0;
    for (auto _ : state) {
        const auto scanned = file->scan();
        rows += scanned->rows("sample");
    }
    report(state, rows, 0);
}
BENCHMARK(kymo_scan_nothing)->Unit(benchmark::kMillisecond);

void stdio_structs_read(benchmark::State& state) {
    const auto path = data().folder / "structs";
    std::FILE* const made = std::fopen(path.c_str(), "wb");
    std::fwrite(data().sampled.data(), sizeof data().sampled[0], data().sampled.size(), made);
    std::fclose(made);
    std::uint64_t rows = 0;
    std::uint64_t sum = 0;
    for (auto _ : state) {
        std::FILE* const file = std::fopen(path.c_str(), "rb");
        for (bench::SampledThread::Sampled sampled{}; std::fread(&sampled, sizeof sampled, 1, file) == 1; ++rows) {
            sum += sampled.time + sampled.context + sampled.deltas[3];
        }
        std::fclose(file);
        benchmark::DoNotOptimize(sum);
    }
    report(state, rows, sizeof(bench::SampledThread::Sampled));
}
BENCHMARK(stdio_structs_read)->Unit(benchmark::kMillisecond);

void checksum(benchmark::State& state, std::uint32_t (*crc)(std::span<const std::uint8_t>)) {
    const std::vector<std::uint8_t> bytes(kChunkBytes, 0x5A);
    for (auto _ : state) {
        benchmark::DoNotOptimize(crc(bytes));
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK_CAPTURE(checksum, by_instruction, crc_by_instruction);
BENCHMARK_CAPTURE(checksum, by_tables, crc_by_tables);

}  // namespace
