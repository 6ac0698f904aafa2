// The handlers of one scan, gathered from several readers of rows, so that a file is read once for all of them.
//
//     struct Names {  // a reader: what it keeps of one file
//         std::map<std::uint64_t, std::string> of_stream;
//         void read_from(const File& file, Handlers& handlers) {
//             handlers.on<StreamName>([this](StreamId, const StreamName& row) { … });
//         }
//     };
//     Names names;
//     Ends ends;
//     const auto report = scan_for(file, names, ends);
//
// Readers must outlive the scan and stay where they are until its end.
#pragma once

#include "recording/reader.h"

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace kymo::recording {

class Handlers {
  public:
    // As recording::on<Row>(callback).
    template <typename Row, typename Callback>
    void on(Callback callback) {
        owned_.push_back(std::make_unique<RowHandler<Row, Callback>>(std::move(callback)));
        all_.push_back(owned_.back().get());
    }
    [[nodiscard]] std::span<AnyHandler* const> all() const { return all_; }

  private:
    std::vector<std::unique_ptr<AnyHandler>> owned_;
    std::vector<AnyHandler*> all_;
};

// One pass over a file for all readers. Readers with a member end(const ScanReport&) get the report after it.
// Error: the system cannot read the file.
template <typename... Readers>
Result<void> scan_for(const File& file, Readers&... readers) {
    Handlers handlers;
    (readers.read_from(file, handlers), ...);
    const Result<ScanReport> report = file.scan_with(handlers.all());
    if (!report) {
        return report.error();
    }
    const auto end = [&report](auto& reader) {
        if constexpr (requires { reader.end(*report); }) {
            reader.end(*report);
        }
    };
    (end(readers), ...);
    return {};
}

// What a reader keeps of each file: parallel to `files`. Error: the system cannot read one of them.
template <typename Reader>
Result<std::vector<Reader>> read_each(std::span<const File> files) {
    std::vector<Reader> readers(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (const auto scanned = scan_for(files[i], readers[i]); !scanned) {
            return scanned.error();
        }
    }
    return readers;
}

}  // namespace kymo::recording
