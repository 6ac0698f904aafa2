#include "import/perf/perf_file.h"

#include "import/perf/contents.h"
#include "import/perf/features.h"
#include "import/perf/file_header.h"
#include "import/perf/input.h"
#include "import/perf/record_reader.h"
#include "import/perf/scan.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <linux/perf_event.h>
#include <new>
#include <utility>
#include <vector>

namespace kymo::import::perf {
namespace {

constexpr std::size_t kRecordsBetweenQuestions = 4'096;

void take_notices(Skipped& from, FileFacts& to) {
    auto lines = from.take_notices();
    std::move(lines.begin(), lines.end(), std::back_inserter(to.notices));
}

Result<void> first_reading(Input& input, FileHeader& header, Contents& to, Visitor& visitor,
                           const Progress& progress) {
    auto read = read_file_header(input.file, input.name, to.skipped);
    if (!read) {
        return read.error();
    }
    header = std::move(*read);
    to.facts.swapped = header.order.swapped;
    to.facts.big_endian = header.order.big;
    to.facts.pipe_mode = header.pipe;
    Features features(to.facts);
    if (!header.pipe) {
        if (auto done = read_events(input.file, header, input.name, to.events); !done) {
            return done;
        }
        read_features(input.file, header, features);
        visitor.header(to.facts, std::as_const(to.events).all());
    }
    const auto half = [&progress](double share) { progress(share / 2); };
    if (auto done = Scan(input.file, header, to, features).run(progress ? Progress(half) : Progress()); !done) {
        return done;
    }
    features.name_events(to.events);
    if (to.events.all().empty()) {
        return Error{ErrorKind::kMalformed, fmt::format("{} has no events", input.name),
                     "perf record -o FILE makes a file with events"};
    }
    return {};
}

// A file is the buffers of processors, one after another, each in the order of its own: few rising stretches, which
// are merged. Where they are not few, it is no such file.
void sort_by_time(std::vector<Place>& places) {
    constexpr std::size_t kShort = 32;  // places in a stretch, on average
    std::vector<std::size_t> ends;
    for (auto at = places.begin(); at != places.end();) {
        at = std::is_sorted_until(at, places.end());
        ends.push_back(static_cast<std::size_t>(at - places.begin()));
        if (ends.size() * kShort > places.size() + kShort) {
            std::sort(places.begin(), places.end());
            return;
        }
    }
    std::vector<Place> merged(ends.size() > 1 ? places.size() : 0);
    while (ends.size() > 1) {
        std::vector<std::size_t> left;
        std::size_t begin = 0;
        const auto place = [&places](std::size_t at) { return places.begin() + static_cast<std::ptrdiff_t>(at); };
        for (std::size_t i = 0; i < ends.size(); i += 2) {
            const std::size_t end = i + 1 < ends.size() ? ends[i + 1] : ends[i];
            std::merge(place(begin), place(ends[i]), place(ends[i]), place(end),
                       merged.begin() + static_cast<std::ptrdiff_t>(begin));
            left.push_back(end);
            begin = end;
        }
        places.swap(merged);
        ends = std::move(left);
    }
}

Error was_cut(const std::string& name) {
    return {ErrorKind::kMalformed, fmt::format("{} became shorter, or unreadable, while it was read", name),
            "import it when nothing writes it any more"};
}

// The second reading.
Result<void> deliver_all(Input& input, const FileHeader& header, Contents& contents, Visitor& visitor,
                         const Progress& progress) {
    BlockFile decompressed;
    if (contents.decompressed) {
        const std::uint64_t size = contents.decompressed->size();
        decompressed = BlockFile(contents.decompressed->release(), size);
    }
    std::vector<std::uint8_t> copy;
    RecordReader reader(contents.events, header.order, visitor);
    for (std::size_t i = 0; i < contents.places.size(); ++i) {
        if (i % kRecordsBetweenQuestions == 0) {
            if (visitor.enough()) {
                return {};
            }
            if (progress) {
                progress(0.5 + static_cast<double>(i) / static_cast<double>(contents.places.size()) / 2);
            }
        }
        const std::uint64_t at = contents.places[i].at & ~Place::kInSpool;
        BlockFile& file = (contents.places[i].at & Place::kInSpool) != 0 ? decompressed : input.file;
        const auto head = file.at(at, kRecordHeader);
        const RecordHeader record = head.empty() ? RecordHeader() : read_record_header(head, header.order);
        auto bytes = record.size >= kRecordHeader ? file.at(at, record.size) : std::span<const std::uint8_t>();
        // Of samples each number is taken once. Others have texts, which are read more often.
        if (record.type != PERF_RECORD_SAMPLE) {
            copy.assign(bytes.begin(), bytes.end());
            bytes = copy;
        }
        if (bytes.empty() || !reader.deliver(record, bytes, contents.places[i].time)) {
            contents.skipped.malformed();
        }
    }
    if (progress) {
        progress(1);
    }
    return input.file.was_cut() || decompressed.was_cut() ? was_cut(input.name) : Result<void>();
}

Result<FileFacts> read(const std::filesystem::path& path, Visitor& visitor, const Progress& progress) {
    auto input = open_input(path);
    if (!input) {
        return input.error();
    }
    FileHeader header;
    Contents contents;
    if (auto done = first_reading(*input, header, contents, visitor, progress); !done) {
        return done.error();
    }
    if (input->file.was_cut()) {
        return was_cut(input->name);
    }
    take_notices(contents.skipped, contents.facts);
    sort_by_time(contents.places);
    if (auto done = visitor.begin(contents.facts, std::as_const(contents.events).all()); !done) {
        return done.error();
    }
    if (auto done = deliver_all(*input, header, contents, visitor, progress); !done) {
        return done.error();
    }
    take_notices(contents.skipped, contents.facts);
    return std::move(contents.facts);
}

}  // namespace

Result<FileFacts> read_perf_data(const std::filesystem::path& path, Visitor& visitor, const Progress& progress) {
    try {
        return read(path, visitor, progress);
    } catch (const std::bad_alloc&) {
        return Error{ErrorKind::kNoSpace, fmt::format("there is not enough memory for all of {}", path.string()),
                     "record a shorter run, or with fewer samples a second"};
    }
}

}  // namespace kymo::import::perf
