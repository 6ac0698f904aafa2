#include "import/run_generated_names.h"

#include "base/time.h"
#include "import/generated_code.h"
#include "import/process_log.h"
#include "launch/job.h"
#include "recording/encode.h"
#include "recording/pack.h"
#include "recording/reader.h"

#include <ctime>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace kymo::import {
namespace {

namespace rec = recording;

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

// File systems round times down to the kernel's tick.
constexpr std::int64_t kRounding = 20'000'000;  // ns

// The process whose map may be in our /tmp; time 0: none.
rec::Process process_of(const rec::File& file) {
    rec::Process found;
    static_cast<void>(file.scan_streams([](StreamId stream) { return raw(stream) == 0; },
                                        rec::on<rec::Process>([&](StreamId, const rec::Process& row) {
                                            found.time = row.time;
                                            found.pid = row.pid;
                                            found.kernel_pid = row.kernel_pid;
                                        })));
    const bool is_ours = found.kernel_pid == 0 || found.kernel_pid == found.pid;
    found.time = is_ours ? found.time : 0;
    return found;
}

std::int64_t ns_of(const timespec& time) {
    return time.tv_sec * kNsPerSecond + time.tv_nsec;
}

bool is_written_since(const Descriptor& map, std::uint64_t begin) {
    struct stat facts{};
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const std::int64_t since = ns_of(now) - static_cast<std::int64_t>(monotonic_now().ns - begin);
    return ::fstat(map.number(), &facts) == 0 && ns_of(facts.st_mtim) >= since - kRounding;
}

std::vector<std::uint64_t> generated_addresses(const rec::File& file) {
    std::vector<std::uint64_t> addresses;
    static_cast<void>(file.scan(rec::on<rec::Context>([&](StreamId, const rec::Context& row) {
        if (row.image == 0 && addresses.size() < ProcessLog::kMostGenerated) {
            addresses.push_back(row.offset);
        }
    })));
    return addresses;
}

// A row as a record of a chunk, behind the description of its table.
template <typename Row>
std::vector<std::uint8_t> record_of(const Row& row) {
    const auto encode = [](const auto& record, std::vector<std::uint8_t>& to) {
        std::uint64_t bases[rec::RowRecord<Row>::kDeltas + 1] = {};
        const std::size_t body = record.body(bases);
        const std::size_t before = to.size();
        to.resize(before + 2 * kMaxVarintBytes + body);
        std::uint8_t* at = encode_varint(to.data() + before, record.number());
        at = encode_varint(at, body);
        at = record.write(at, bases);
        to.resize(static_cast<std::size_t>(at - to.data()));
    };
    std::vector<std::uint8_t> bytes;
    encode(rec::SchemaRecord<Row>{}, bytes);
    encode(rec::RowRecord<Row>{row}, bytes);
    return bytes;
}

Result<void> name_process(const rec::Folder& folder, const std::string& name, const Descriptor& tmp) {
    struct stat facts{};
    const auto file = rec::File::open(folder, name);
    if (!file || file->header().has_writer || ::fstatat(folder.descriptor(), name.c_str(), &facts, 0) != 0) {
        return {};
    }
    const rec::Process process = process_of(*file);
    if (process.time == 0) {
        return {};
    }
    Descriptor map = open_perf_map(tmp.number(), static_cast<std::uint32_t>(process.pid), facts.st_uid);
    if (!map || !is_written_since(map, process.time)) {
        return {};
    }
    std::vector<std::uint64_t> addresses = generated_addresses(*file);
    if (addresses.empty()) {
        return {};
    }
    const auto made = write_generated_image(std::move(addresses), std::move(map), file->header().machine, folder);
    if (!made) {
        return made.error();
    }
    if (!*made) {
        return {};
    }
    rec::Image row = (*made)->row;
    row.time = monotonic_now().ns;
    row.build_id = (*made)->build_id;
    const auto packed = rec::pack_file(folder, name, record_of(row));
    return packed || packed.error().kind == ErrorKind::kUnsupported ? Result<void>() : Result<void>(packed.error());
}

}  // namespace

void RunGeneratedNames::ended(launch::RunScene& scene, launch::RecordOutcome& outcome) {
    const Descriptor tmp(::open(tmp_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    const auto names = scene.folder.names(launch::process_file_ending(scene.settled.job));
    if (!tmp || !names) {
        return;
    }
    for (const std::string& name : *names) {
        if (!name.starts_with("process-")) {
            continue;
        }
        if (const auto named = name_process(scene.folder, name, tmp); !named) {
            outcome.warnings.push_back("just-in-time compiled code has no names: " + named.error().what);
            return;
        }
    }
}

}  // namespace kymo::import
