// The reading side of a recording.
//
//     auto recording = Recording::open("run.kymo");
//     for (const File& file : recording->files()) {
//         auto report = file.scan(on<Context>([&](StreamId stream, const Context& row) { ... }),
//                                 on<Sample>([&](StreamId stream, const Sample& row) { ... }));
//     }
//
// Contract. Files are read in pieces, never mapped: memory is bounded by the largest chunk (8 MiB) and not by
// the file. Input is not trusted: whatever the bytes are, the outcome is rows, entries in the ScanReport,
// or an Error. A damaged chunk is reported and the rest read on. Files that are still being written and files
// of killed programs read as far as rows were committed.
//
// Rows of one stream are delivered in the order in which they were written; rows of different streams
// come in no particular order. A const File may be scanned by several threads at once.
//
// Cost: about 20 ns a sample of four deltas and core, checksums included, once the bytes are in memory.
#pragma once

#include "base/descriptor.h"
#include "base/result.h"
#include "recording/decode.h"
#include "recording/folder.h"
#include "recording/format.h"
#include "recording/row_types.h"
#include "recording/table_schema.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kymo::recording {

struct Header {
    std::uint16_t major = 0;
    std::uint16_t minor = 0;
    std::uint16_t machine = 0;  // ELF e_machine
    ClockDomain clock = ClockDomain::kMonotonic;
    std::uint32_t pid = 0;
    std::string producer;
    bool closed = false;  // the writer ended regularly; not so after SIGKILL, or while it still writes
    bool packed = false;
    bool has_writer = false;  // when it was opened, or copied by pack_copy(): more rows may come
    std::uint32_t header_bytes = 0;
    std::uint32_t chunk_bytes = 0;
    std::uint64_t used_bytes = 0;   // when the file was opened
    std::uint64_t freed_bytes = 0;  // of these, given back when old rows were condensed
};

struct TableRows {
    std::string name;  // "table 77" where the file does not describe it
    std::uint64_t rows = 0;
    bool operator==(const TableRows&) const = default;
};

struct Damage {
    std::uint64_t offset = 0;  // in the file
    std::uint64_t bytes = 0;   // skipped
    std::string what;
};

struct ScanReport {
    std::vector<TableRows> tables;   // every table met, by first appearance
    std::vector<TableRows> unknown;  // those of them that are neither in tables.h nor have a handler: skipped
    std::vector<Damage> damaged;     // the first kMaxDamages places
    std::uint64_t damages = 0;       // all of them
    std::uint64_t chunks = 0;
    std::uint64_t uncommitted_bytes = 0;  // room in chunks behind the last whole row: free, or a row in the making
    std::uint64_t missing_bytes = 0;      // committed, but the file is shorter (truncated)

    static constexpr std::size_t kMaxDamages = 100;
    std::uint64_t rows(std::string_view table) const;
    bool whole() const { return damages == 0 && missing_bytes == 0; }
};

// A table of a file, as `kymo sql` and other generic consumers need it.
struct TableInfo {
    TableSchema schema;
    std::uint64_t rows = 0;
};

class File {
  public:
    // Errors: kNotFound, kPermission, kMalformed (empty, truncated inside its header, foreign), kNewerFormat.
    static Result<File> open(const std::filesystem::path& path);
    // A file of a folder. kMalformed also for what is no plain file there: links are not followed.
    static Result<File> open(const Folder& folder, const std::string& name);

    File(File&& other) noexcept;
    File& operator=(File&& other) noexcept;
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File();

    const Header& header() const { return header_; }
    const std::filesystem::path& path() const { return path_; }
    std::uint64_t bytes() const { return bytes_; }  // when it was opened

    // A member of a bundle (bundle.h), which stays open for as long as one of its members lives. `path`: what it
    // would be outside the bundle.
    static Result<File> open(std::shared_ptr<const Descriptor> bundle, std::filesystem::path path,
                             std::uint64_t begin, std::uint64_t bytes);

    // The file, open: for as long as this lives. Offsets are those of the file, also of one in a bundle.
    class Reading {
      public:
        explicit Reading(const File& file);
        Reading(const Reading&) = delete;
        Reading& operator=(const Reading&) = delete;
        ~Reading();
        // 0, or the errno of opening it; ESTALE: another file has its name.
        int error() const { return error_; }
        // Now; none: the system cannot tell (errno).
        std::optional<std::uint64_t> size() const;
        // As pread(2); never beyond the file's end.
        ssize_t read(void* to, std::size_t bytes, std::uint64_t offset) const;
        // As lseek(2) with SEEK_DATA or SEEK_HOLE; −1 and errno.
        std::int64_t seek(std::uint64_t offset, int whence) const;
        // −1: in a bundle, or not open. For locks, and a file's owner and mode.
        int own_descriptor() const { return is_in_bundle_ ? -1 : descriptor_; }

      private:
        int descriptor_;
        std::uint64_t begin_;
        std::uint64_t bytes_;
        int error_ = 0;
        bool is_in_bundle_;
        bool is_own_ = false;
    };
    // From now on it is open only while it is read: a process may have fewer open files than a job has ranks.
    // `folder`: where it was opened.
    void close_between_readings(std::shared_ptr<const Folder> folder);

    // One pass over the rows; handlers are made by on<Row>(callback). Several handlers of one table are
    // called in the order given. Error: the system cannot read the file.
    template <typename... Handlers>
    Result<ScanReport> scan(Handlers&&... handlers) const {
        AnyHandler* const all[] = {static_cast<AnyHandler*>(&handlers)..., nullptr};
        return scan_with({all, sizeof...(Handlers)});
    }
    Result<ScanReport> scan_with(std::span<AnyHandler* const> handlers) const;

    // The same for some of the streams: rows of those for which `choice` is true, and of stream 0. It is asked once a
    // chunk or so. Several threads may scan parts at once; what is not delivered is not decoded.
    using StreamChoice = std::function<bool(StreamId)>;
    template <typename... Handlers>
    Result<ScanReport> scan_streams(const StreamChoice& choice, Handlers&&... handlers) const {
        AnyHandler* const all[] = {static_cast<AnyHandler*>(&handlers)..., nullptr};
        return scan_with({all, sizeof...(Handlers)}, choice);
    }
    // An empty `choice`: all streams.
    Result<ScanReport> scan_with(std::span<AnyHandler* const> handlers, const StreamChoice& choice) const;

    // From now on every scan delivers an excerpt: of each of a stream's chunks but its first, the rows in time up to
    // the first `samples` samples, and no switch records; of all other tables every row. The sample behind what was
    // left out has kAfterPause: as if measurement had been off. 0: everything. ScanReport counts the rows left out,
    // too, in a scan that has to look at them.
    void set_excerpt(std::uint32_t samples) { excerpt_ = samples; }
    std::uint32_t excerpt() const { return excerpt_; }

    // The tables that the file describes or holds rows of. One pass.
    Result<std::vector<TableInfo>> tables() const;

  private:
    File() = default;
    static Result<File> of_descriptor(std::filesystem::path path, int descriptor);
    static Result<File> read_header(File file);

    std::filesystem::path path_;
    std::shared_ptr<const Descriptor> bundle_;  // that it is a member of, from here on
    std::uint64_t begin_ = 0;
    int descriptor_ = -1;                   // −1: open only while it is read, or in a bundle
    std::shared_ptr<const Folder> folder_;  // then it is opened in this
    std::uint64_t device_ = 0;
    std::uint64_t inode_ = 0;
    std::uint64_t bytes_ = 0;
    Header header_;
    std::uint32_t excerpt_ = 0;
};

// The files of a recording's folder.
class Recording {
  public:
    // Opens every *.krec in `folder` and in its bundles, in the order of their names. A file that cannot be read, or
    // is not regular, is named in warnings(), unless none can. Of up to kMostHeld files all stay open; of more, each
    // is open only while it is read. Errors: kNotFound, kPermission, kMalformed (no folder, no recording in it), or
    // the error of the first file. While this lives, old rows of files that are still written are not condensed
    // (history/history_lock.h), so that several passes see the same rows.
    static constexpr std::size_t kMostHeld = 256;
    static Result<Recording> open(const std::filesystem::path& folder);

    std::span<const File> files() const { return files_; }
    // As File::set_excerpt(), of all files.
    void set_excerpt(std::uint32_t samples) {
        for (File& file : files_) {
            file.set_excerpt(samples);
        }
    }
    const std::vector<std::string>& warnings() const { return warnings_; }

  private:
    std::vector<File> files_;
    std::vector<std::string> warnings_;
    std::shared_ptr<const Descriptor> history_;  // while this lives, no history of its files is condensed
};

}  // namespace kymo::recording
