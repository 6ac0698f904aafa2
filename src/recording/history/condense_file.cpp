#include "recording/history/condense_file.h"

#include "base/descriptor.h"
#include "recording/format.h"
#include "recording/history/condense.h"
#include "recording/parse_schema.h"
#include "recording/record.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kymo::recording {
namespace {

constexpr std::uint64_t kPage = 4096;  // what a file system frees at least
// A chunk with less room than this is not given to another stream (writer.h).
constexpr std::size_t kWorthKeeping = 256;
constexpr double kStep = 1.25;    // between two coarsenesses that are tried
constexpr double kFinest = 1e-6;  // of a row's age
constexpr double kCoarsest = 1;

std::uint64_t pages(std::uint64_t bytes) {
    return (bytes + kPage - 1) / kPage * kPage;
}

struct ChunkAt {
    std::uint64_t offset = 0;
    ChunkHeader header{};
    bool is_old = false;
    bool is_closed = false;  // old, and no stream goes on in it
    std::uint64_t most = 0;  // bytes up to the next chunk: the capacity that it may get
    ChunkRows rows;          // if it is old

    StreamId stream() const { return StreamId{header.stream}; }
    std::uint64_t bytes() const {
        return header.condensed != 0 ? pages(sizeof header + header.committed) : header.capacity;
    }
    std::size_t room() const { return header.capacity - sizeof header - header.committed; }
};

class LiveFile {
  public:
    LiveFile(const Folder& folder, const std::string& name)
        : path_(folder.path() / name),
          file_(openat(folder.descriptor(), name.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK)) {}

    // Whether it is a file that a writer of this version has open.
    bool read_header() {
        struct stat status{};
        const bool is_read =
            file_ && fstat(file_.number(), &status) == 0 && S_ISREG(status.st_mode) && read(0, &header_);
        size_ = static_cast<std::uint64_t>(status.st_size);
        return is_read && std::memcmp(header_.magic, kFileMagic, sizeof kFileMagic) == 0 &&
               header_.major == kMajorVersion && header_.packed == 0 && header_.closed == 0 &&
               header_.header_bytes == kHeaderBytes && header_.chunk_bytes == kGridBytes;
    }
    const FileHeader& header() const { return header_; }
    // Space is claimed before the file has it.
    std::uint64_t end() const { return std::min(header_.used_bytes, size_); }
    const std::filesystem::path& path() const { return path_; }

    template <typename Value>
    bool read(std::uint64_t offset, Value* to) const {
        return pread(file_.number(), to, sizeof *to, static_cast<off_t>(offset)) == static_cast<ssize_t>(sizeof *to);
    }
    std::optional<std::vector<std::uint8_t>> payload(const ChunkAt& chunk) const {
        std::vector<std::uint8_t> bytes(chunk.header.committed);
        const auto offset = static_cast<off_t>(chunk.offset + sizeof(ChunkHeader));
        if (pread(file_.number(), bytes.data(), bytes.size(), offset) != static_cast<ssize_t>(bytes.size())) {
            return std::nullopt;
        }
        return bytes;
    }
    bool write(std::uint64_t offset, const void* bytes, std::size_t size) const {
        return pwrite(file_.number(), bytes, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
    }
    bool has_room(std::uint64_t offset, std::uint64_t bytes) const {
        return fallocate(file_.number(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                         static_cast<off_t>(bytes)) == 0;
    }
    // Zeros there, which take no space. 0 or an errno.
    int punch(std::uint64_t offset, std::uint64_t bytes) const {
        return bytes == 0 || fallocate(file_.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                       static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0
                   ? 0
                   : errno;
    }
    std::uint64_t behind_hole(std::uint64_t offset) const {
        const off_t data = lseek(file_.number(), static_cast<off_t>(offset), SEEK_DATA);
        return data < 0 ? (errno == ENXIO ? UINT64_MAX : offset) : static_cast<std::uint64_t>(data);
    }

  private:
    std::filesystem::path path_;
    Descriptor file_;
    FileHeader header_{};
    std::uint64_t size_ = 0;
};

class CondensingFile {
  public:
    CondensingFile(LiveFile& file, const CondensePlan& plan) : file_(file), plan_(plan) {}

    Result<Condensed> run() {
        if (auto listed = list(); !listed) {
            return listed.error();
        }
        const std::uint64_t before = taken();
        mark_old();
        if (auto read = read_old(); !read) {
            return read.error();
        }
        mark_closed();
        choose();
        if (auto done = condense_streams(); !done) {
            return done.error();
        }
        return Condensed{before - freed_, before};
    }

  private:
    Error damaged(std::uint64_t offset) const {
        return {ErrorKind::kMalformed, file_.path().string() + " is damaged at offset " + std::to_string(offset),
                "its history is not condensed"};
    }
    std::uint64_t taken() const { return file_.header().used_bytes - file_.header().freed_bytes; }

    Result<void> list() {
        const std::uint64_t end = file_.end();
        for (std::uint64_t at = kHeaderBytes; at < end;) {
            ChunkAt chunk;
            chunk.offset = at;
            if (!file_.read(at, &chunk.header)) {
                return damaged(at);
            }
            if (chunk.header.magic == 0) {  // a hole, or being taken
                const std::uint64_t data = file_.behind_hole(at);
                at = data == UINT64_MAX
                         ? end
                         : std::max(at + kGridBytes,
                                    kHeaderBytes + (data - std::min(data, kHeaderBytes)) / kGridBytes * kGridBytes);
                continue;
            }
            const ChunkHeader& header = chunk.header;
            if (header.magic != kChunkMagic || header.capacity < kGridBytes || header.capacity % kGridBytes != 0 ||
                header.capacity > kMaxChunkBytes || header.committed > header.capacity - sizeof header) {
                return damaged(at);
            }
            at += header.capacity;
            chunks_.push_back(chunk);
        }
        return {};
    }

    // The newest chunks stay as they are.
    void mark_old() {
        std::uint64_t newest = 0;
        for (auto chunk = chunks_.rbegin(); chunk != chunks_.rend(); ++chunk) {
            newest += chunk->bytes();
            chunk->is_old = newest > plan_.most_bytes / 2;
        }
    }

    Result<void> read_old() {
        for (ChunkAt& chunk : chunks_) {
            if (!chunk.is_old) {
                continue;
            }
            const auto payload = file_.payload(chunk);
            if (!payload || !knows_tables(*payload)) {
                return payload
                           ? Error{ErrorKind::kUnsupported, file_.path().string() + " has tables of another version",
                                   "its history is not condensed"}
                           : damaged(chunk.offset);
            }
            chunk.rows = read_rows(*payload, chunk.stream(), plan_.now, contexts_, &samples_, &waits_);
            if (!chunk.rows.is_sound) {
                return damaged(chunk.offset);
            }
            other_bytes_ += chunk.rows.other_bytes;
        }
        return {};
    }

    static bool knows_tables(std::span<const std::uint8_t> payload) {
        const std::uint8_t* at = payload.data();
        const std::uint8_t* const end = at + payload.size();
        for (Record record; at != end && read_record(at, end, record);) {
            if (record.number == kSchemaTable) {
                const auto schema = parse_schema(record.body);
                if (!schema || !can_condense(*schema)) {
                    return false;
                }
            }
        }
        return true;
    }

    // A running stream goes on in its last chunk; the room in others, if it is worth that, goes to a new stream.
    void mark_closed() {
        std::unordered_map<std::uint32_t, std::uint64_t> last;  // offset
        std::unordered_map<std::uint32_t, std::uint64_t> first;
        for (const ChunkAt& chunk : chunks_) {
            first.try_emplace(chunk.header.stream, chunk.offset);
            last[chunk.header.stream] = chunk.offset;
            if (chunk.is_old) {
                last[raw(chunk.rows.last_stream)] = chunk.offset;
            }
        }
        for (std::size_t i = 0; i + 1 < chunks_.size(); ++i) {
            chunks_[i].most = std::min<std::uint64_t>(chunks_[i + 1].offset - chunks_[i].offset, kChunkBytes);
        }
        for (ChunkAt& chunk : chunks_) {
            const bool is_left = chunk.header.condensed != 0 ||
                                 (chunk.room() < kWorthKeeping && last[chunk.header.stream] != chunk.offset);
            chunk.is_closed =
                chunk.is_old && is_left && chunk.rows.is_of_one && first[chunk.header.stream] != chunk.offset;
        }
    }

    // The finest coarseness by which the old rows fit: waits get half the space, or what samples leave.
    void choose() {
        const double space = static_cast<double>(plan_.most_bytes) / 2 - static_cast<double>(other_bytes_);
        coarseness_.now = plan_.now;
        coarseness_.shortest_wait =
            waits_.shortest_that_fits(std::max(space / 2, space - static_cast<double>(samples_.bytes())));
        const auto first_kept = static_cast<std::size_t>(std::bit_width(coarseness_.shortest_wait));
        const double left = space - static_cast<double>(waits_.bytes_from(first_kept));
        if (static_cast<double>(samples_.bytes()) > left) {
            coarseness_.span = kFinest;
            while (coarseness_.span < kCoarsest && samples_.bytes_at(coarseness_.span) > left) {
                coarseness_.span *= kStep;
            }
        }
    }

    Result<void> condense_streams() {
        std::unordered_map<std::uint32_t, std::vector<ChunkAt*>> streams;
        for (ChunkAt& chunk : chunks_) {
            streams[chunk.header.stream].push_back(&chunk);
        }
        for (auto& [stream, chunks] : streams) {
            Batch batch;
            for (ChunkAt* const chunk : chunks) {
                if (!chunk->is_closed) {
                    if (auto done = finish(batch); !done) {
                        return done;
                    }
                    continue;
                }
                if (auto done = add(batch, *chunk); !done) {
                    return done;
                }
            }
            if (auto done = finish(batch); !done) {
                return done;
            }
        }
        return {};
    }

    // Consecutive chunks of a stream whose rows go into the first of them.
    struct Batch {
        std::vector<ChunkAt*> chunks;
        std::vector<std::uint8_t> rows;
    };

    Result<void> add(Batch& batch, ChunkAt& chunk) {
        const auto payload = file_.payload(chunk);
        auto rows = payload ? condense(*payload, chunk.stream(), coarseness_, contexts_, chunk.offset ^ plan_.now)
                            : std::nullopt;
        if (!rows) {
            return damaged(chunk.offset);
        }
        constexpr std::size_t kMarker = 2 + kMaxVarintBytes;  // at most
        const bool fits = !batch.chunks.empty() && sizeof(ChunkHeader) + batch.rows.size() + kMarker + rows->size() <=
                                                       batch.chunks.front()->most;
        if (!fits) {
            if (auto done = finish(batch); !done) {
                return done;
            }
            if (sizeof(ChunkHeader) + rows->size() > chunk.most) {
                return {};  // nothing is saved: it stays as it is
            }
            batch.chunks = {&chunk};
            batch.rows = std::move(*rows);
            return {};
        }
        append_marker(batch.rows, chunk.stream());
        batch.rows.insert(batch.rows.end(), rows->begin(), rows->end());
        batch.chunks.push_back(&chunk);
        return {};
    }

    Result<void> finish(Batch& batch) {
        const Batch done = std::exchange(batch, {});
        if (done.chunks.empty()) {
            return {};
        }
        std::uint64_t before = 0;
        for (const ChunkAt* chunk : done.chunks) {
            before += chunk->bytes();
        }
        const std::uint64_t after = pages(sizeof(ChunkHeader) + done.rows.size());
        if (after >= before) {
            return {};
        }
        return rewrite(done, before - after);
    }

    // In this order: a kill leaves no row twice.
    Result<void> rewrite(const Batch& batch, std::uint64_t saved) {
        static constexpr std::uint32_t kNothing = 0;
        static constexpr ChunkHeader kZero{};
        ChunkAt& to = *batch.chunks.front();
        const std::size_t bytes = sizeof(ChunkHeader) + batch.rows.size();
        if (!file_.has_room(to.offset, bytes)) {
            return {};  // a full disk
        }
        bool good = true;
        for (const ChunkAt* chunk : batch.chunks) {
            good = good && file_.write(chunk->offset + offsetof(ChunkHeader, committed), &kNothing, sizeof kNothing);
        }
        for (const ChunkAt* chunk : batch.chunks) {
            good = good && (chunk == &to || file_.write(chunk->offset, &kZero, sizeof kZero));
        }
        ChunkHeader header = to.header;
        header.capacity = static_cast<std::uint32_t>((bytes + kGridBytes - 1) / kGridBytes * kGridBytes);
        header.committed = static_cast<std::uint32_t>(batch.rows.size());
        header.condensed = 1;
        good = good && file_.write(to.offset + sizeof header, batch.rows.data(), batch.rows.size()) &&
               file_.write(to.offset, &header, sizeof header);
        if (!good) {
            return damaged(to.offset);
        }
        const std::uint64_t kept = std::min<std::uint64_t>(to.header.capacity, pages(bytes));
        int error = file_.punch(to.offset + kept, to.header.capacity - kept);
        for (const ChunkAt* chunk : batch.chunks) {
            error = error != 0 || chunk == &to ? error : file_.punch(chunk->offset, chunk->header.capacity);
        }
        if (error != 0) {
            return Error{
                ErrorKind::kUnsupported,
                file_.path().string() + ": the file system cannot free parts of a file: " + std::strerror(error),
                "its history is not condensed"};
        }
        freed_ += saved;
        const std::uint64_t freed = file_.header().freed_bytes + freed_;
        if (!file_.write(offsetof(FileHeader, freed_bytes), &freed, sizeof freed)) {
            return damaged(0);
        }
        return {};
    }

    LiveFile& file_;
    const CondensePlan& plan_;
    std::vector<ChunkAt> chunks_;  // in the file's order
    ContextRows contexts_;
    SamplesByAge samples_;  // old ones, as are:
    WaitsByLength waits_;
    std::uint64_t other_bytes_ = 0;
    Coarseness coarseness_;
    std::uint64_t freed_ = 0;
};

}  // namespace

std::uint64_t bytes_taken(const Folder& folder, const std::string& name) {
    LiveFile file(folder, name);
    return file.read_header() ? file.header().used_bytes - file.header().freed_bytes : 0;
}

Result<Condensed> condense_file(const Folder& folder, const std::string& name, const CondensePlan& plan) {
    LiveFile file(folder, name);
    if (!file.read_header()) {
        return Error{ErrorKind::kUnsupported, file.path().string() + " is not a file that this Kymo writes",
                     "its history is not condensed"};
    }
    return CondensingFile(file, plan).run();
}

}  // namespace kymo::recording
