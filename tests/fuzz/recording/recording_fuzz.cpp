// Any bytes as a recording file: opening, describing and scanning them ends, within bounds, with rows or errors.
//
// Every input is tried twice: as it is, and with its checksums made right, since no fuzzer guesses a CRC.

#include "mend.h"
#include "recording/reader.h"
#include "recording/tables/processor.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace kymo;
using namespace kymo::recording;

// A column of every type; Kymo's own tables have no real numbers.
struct Everything {
    std::uint64_t a = 0;
    std::int64_t b = 0;
    std::uint64_t c = 0;
    std::string_view d = {};
    std::string_view e = {};
    std::span<const std::uint64_t> f = {};
    double g = 0;
    static constexpr const char* kTable = "e";
    [[maybe_unused]] static constexpr std::uint32_t kTableId = 99;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("a", ColumnType::kUint, "", &Everything::a);
        visit("b", ColumnType::kInt, "", &Everything::b);
        visit("c", ColumnType::kDelta, "", &Everything::c);
        visit("d", ColumnType::kBytes, "", &Everything::d);
        visit("e", ColumnType::kText, "", &Everything::e);
        visit("f", ColumnType::kUintList, "", &Everything::f);
        visit("g", ColumnType::kReal, "", &Everything::g);
    }
};

// Looks at everything a row points to, so that the sanitizers see what is wrong with it.
std::uint64_t seen = 0;

void look(std::uint64_t value) {
    seen += value;
}
void look(std::int64_t value) {
    seen += static_cast<std::uint64_t>(value);
}
void look(double value) {
    seen += value > 0 ? 1 : 0;
}
void look(std::string_view text) {
    for (const char c : text) {
        seen += static_cast<unsigned char>(c);
    }
}
void look(std::span<const std::uint64_t> list) {
    for (const std::uint64_t value : list) {
        seen += value;
    }
}

void scan(const File& file) {
    std::vector<std::unique_ptr<AnyHandler>> handlers;
    std::vector<AnyHandler*> all;
    std::uint64_t delivered = 0;
    const auto add = [&]<typename Row>() {
        auto callback = [&delivered](StreamId, const Row& row) {
            ++delivered;
            Row::columns([&](const char*, ColumnType, const char*, auto member) { look(row.*member); });
        };
        handlers.push_back(std::make_unique<RowHandler<Row, decltype(callback)>>(callback));
        all.push_back(handlers.back().get());
    };
    for_each_row_type(add);
    for_each_processor_row(add);
    add.operator()<Everything>();
    const Result<ScanReport> report = file.scan_with(all);
    if (!report) {
        return;
    }
    std::uint64_t counted = 0;
    for (const TableRows& table : report->tables) {
        counted += table.rows;
    }
    if (counted < delivered || report->damaged.size() > report->damages ||
        report->damaged.size() > ScanReport::kMaxDamages) {
        std::abort();
    }
    if (const auto tables = file.tables(); !tables || tables->size() > kMaxTables + 1) {
        std::abort();
    }
}

void try_bytes(const std::vector<std::uint8_t>& bytes) {
    const int file = memfd_create("input", MFD_CLOEXEC);
    if (file < 0 || write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
        std::abort();
    }
    if (const auto opened = File::open("/proc/self/fd/" + std::to_string(file))) {
        scan(*opened);
    }
    close(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::uint8_t> bytes(data, data + size);
    try_bytes(bytes);
    testing::mend(bytes);
    try_bytes(bytes);
    return 0;
}
