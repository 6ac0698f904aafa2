#include "spacetime/accesses/access_rows.h"

#include "recording/tables.h"

#include <bit>
#include <string>

namespace kymo::spacetime {

namespace rec = recording;

namespace {

// One access; none: the size is not known, or none of a page.
PageSizes page_of(std::uint64_t bytes, bool misses_tlb) {
    if (!std::has_single_bit(bytes) || bytes < kLeastPage || bytes > kMostPage) {
        return {};
    }
    return {{bytes, {.accesses = 1, .tlb_misses = misses_tlb ? 1U : 0U}}};
}

}  // namespace

AccessSum& AccessSum::operator+=(const AccessSum& other) {
    accesses += other.accesses;
    loads += other.loads;
    stores += other.stores;
    modified_elsewhere += other.modified_elsewhere;
    tlb_misses += other.tlb_misses;
    timed += other.timed;
    cycles += other.cycles;
    return *this;
}

void add_pages(PageSizes& to, const PageSizes& from) {
    for (const auto& [bytes, sum] : from) {
        to[bytes].accesses += sum.accesses;
        to[bytes].tlb_misses += sum.tlb_misses;
    }
}

AccessSum AccessesOfCode::all() const {
    AccessSum sum;
    for (const AccessSum& level : levels) {
        sum += level;
    }
    return sum;
}

void AccessRows::read_from(const rec::File& file, rec::Handlers& handlers) {
    pid = file.header().pid;
    const std::uint16_t machine = file.header().machine;
    handlers.on<rec::Image>([this, machine](StreamId, const rec::Image& row) {
        images[row.image] = {std::string(row.path), std::string(row.build_id), machine, row.content};
    });
    handlers.on<rec::MemoryAccess>([this](StreamId stream, const rec::MemoryAccess& row) { add(raw(stream), row); });
}

void AccessRows::end(const rec::ScanReport&) {
    if (code.empty()) {
        images.clear();
    }
}

void AccessRows::add(std::uint32_t stream, const rec::MemoryAccess& row) {
    const DataSource source = data_source(row.source);
    AccessSum sum;
    sum.accesses = 1;
    sum.loads = source.is_load ? 1 : 0;
    sum.stores = source.is_store ? 1 : 0;
    sum.modified_elsewhere = source.is_modified_elsewhere ? 1 : 0;
    sum.tlb_misses = source.misses_tlb ? 1 : 0;
    // What a store's weight is differs from processor to processor.
    const bool is_timed = row.weight != 0 && !source.is_store;
    sum.timed = is_timed ? 1 : 0;
    sum.cycles = is_timed ? row.weight : 0;
    const auto level = static_cast<std::size_t>(source.level);
    levels.at(level) += sum;
    const PageSizes data_page = page_of(row.data_page, source.misses_tlb);
    add_pages(data_pages, data_page);
    add_pages(code_pages, page_of(row.code_page, false));
    const std::pair place(row.image, row.offset);
    if (const auto known = code.find(place); known != code.end() || code.size() < kMostCode) {
        AccessesOfCode& here = known != code.end() ? known->second : code[place];
        here.levels.at(level) += sum;
        add_pages(here.data_pages, data_page);
    } else {
        ++without_code;
    }
    const std::uint64_t number = row.address / kAccessLineBytes;
    const auto known = lines.find(number);
    if (known == lines.end() && lines.size() >= kMostLines) {
        ++without_line;
        return;
    }
    AccessesOfLine& line = known != lines.end() ? known->second : lines[number];
    if (line.sum.accesses == 0) {
        line.first_code = place;
    }
    line.sum += sum;
    if (line.threads.size() < kMostThreads) {
        line.threads.insert(stream);
    }
}

}  // namespace kymo::spacetime
