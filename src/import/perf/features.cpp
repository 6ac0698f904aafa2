#include "import/perf/features.h"

#include "import/perf/attribute_bytes.h"
#include "import/perf/build_ids.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

namespace kymo::import::perf {
namespace {

enum Number : unsigned {
    kBuildIds = 2,
    kHostname = kHostnameFeature,
    kOsRelease = 4,
    kVersion = 5,
    kArch = 6,
    kProcessors = 7,
    kCpuDescription = 8,
    kCpuId = 9,
    kMemory = 10,
    kCommandLine = 11,
    kEventDescriptions = 12,
    kClockResolution = 23,
    kCompression = 27,
    kClock = 29,
};

constexpr std::array<std::string_view, 32> kNames = {"",
                                                     "TRACING_DATA",
                                                     "BUILD_ID",
                                                     "HOSTNAME",
                                                     "OSRELEASE",
                                                     "VERSION",
                                                     "ARCH",
                                                     "NRCPUS",
                                                     "CPUDESC",
                                                     "CPUID",
                                                     "TOTAL_MEM",
                                                     "CMDLINE",
                                                     "EVENT_DESC",
                                                     "CPU_TOPOLOGY",
                                                     "NUMA_TOPOLOGY",
                                                     "BRANCH_STACK",
                                                     "PMU_MAPPINGS",
                                                     "GROUP_DESC",
                                                     "AUXTRACE",
                                                     "STAT",
                                                     "CACHE",
                                                     "SAMPLE_TIME",
                                                     "MEM_TOPOLOGY",
                                                     "CLOCKID",
                                                     "DIR_FORMAT",
                                                     "BPF_PROG_INFO",
                                                     "BPF_BTF",
                                                     "COMPRESSED",
                                                     "CPU_PMU_CAPS",
                                                     "CLOCK_DATA",
                                                     "HYBRID_TOPOLOGY",
                                                     "PMU_CAPS"};

}  // namespace

std::string feature_name(unsigned number) {
    return number < kNames.size() && !kNames[number].empty() ? std::string(kNames[number])
                                                             : fmt::format("feature {}", number);
}

bool is_read(unsigned number) {
    return (number >= kBuildIds && number <= kEventDescriptions) || number == kClockResolution ||
           number == kCompression || number == kClock;
}

void Features::take(unsigned number, Bytes from) {
    if (!present_[number]) {
        present_[number] = true;
        to_.features.push_back(feature_name(number));
    }
    switch (number) {
        case kBuildIds:
            return build_ids(from);
        case kHostname:
            to_.hostname = from.counted_text();
            return;
        case kOsRelease:
            to_.os_release = from.counted_text();
            return;
        case kVersion:
            to_.perf_version = from.counted_text();
            return;
        case kArch:
            to_.arch = from.counted_text();
            return;
        case kProcessors:
            to_.processors_available = from.u32();
            to_.processors_online = from.u32();
            return;
        case kCpuDescription:
            to_.cpu_description = from.counted_text();
            return;
        case kCpuId:
            to_.cpu_id = from.counted_text();
            return;
        case kMemory:
            to_.memory_kib = from.u64();
            return;
        case kCommandLine:
            return command_line(from);
        case kEventDescriptions:
            return descriptions(from);
        case kClockResolution:
            if (from.left() >= 8) {
                to_.clock_resolution_ns = from.u64();
            }
            return;
        case kCompression:
            to_.compressed = true;
            return;
        case kClock:
            return clock(from);
        default:
            return;
    }
}

void Features::build_ids(Bytes from) {
    while (from.left() >= kRecordHeader) {
        RecordHeader header;
        header.type = from.u32();
        header.misc = from.u16();
        header.size = from.u16();
        if (header.size < kRecordHeader) {
            return;
        }
        build_id(header, Bytes(from.part(header.size - kRecordHeader), from.order()));
    }
}

void Features::build_id(const RecordHeader& header, Bytes from) {
    if (auto read = read_build_id(header, from); read && to_.build_ids.size() < kMostBuildIds) {
        to_.build_ids.push_back(std::move(*read));
    }
}

void Features::command_line(Bytes from) {
    to_.command_line.clear();
    for (std::uint32_t left = from.u32(); left > 0 && from.left() > 0; --left) {
        to_.command_line.emplace_back(from.counted_text());
    }
}

// The number of events, the size of an attribute; for each an attribute, the number of ids, a name, the ids.
void Features::descriptions(Bytes from) {
    descriptions_.clear();
    std::uint32_t left = from.u32();
    const std::uint32_t size = from.u32();
    if (size < kSmallestAttribute) {
        return;
    }
    for (; left > 0 && from.left() > size && descriptions_.size() < Events::kMostEvents; --left) {
        const Attribute attribute = read_attribute(from.part(size), from.order());
        Description to;
        to.type = attribute.type;
        to.config = attribute.config;
        const std::uint32_t ids = from.u32();
        to.name = from.counted_text();
        if (from.failed() || ids > from.left() / 8) {
            return;
        }
        to.ids.resize(ids);
        from.numbers(ids, to.ids.data());
        descriptions_.push_back(std::move(to));
    }
}

void Features::clock(Bytes from) {
    from.u32();  // version
    WallClock to;
    to.clockid = static_cast<std::int32_t>(from.u32());
    to.wall_ns = from.u64();
    to.clock_ns = from.u64();
    if (!from.failed()) {
        to_.wall_clock = to;
    }
}

// By their ids; those without by their order, if they are the same events.
void Features::name_events(Events& events) const {
    const auto all = events.all();
    for (std::size_t i = 0; i < descriptions_.size(); ++i) {
        const Description& from = descriptions_[i];
        std::uint32_t event = from.ids.empty() ? kNotGiven : events.by_id(from.ids[0]);
        if (event == kNotGiven && i < all.size() && all[i].type == from.type && all[i].config == from.config) {
            event = static_cast<std::uint32_t>(i);
        }
        if (event != kNotGiven && !from.name.empty()) {
            all[event].name = from.name;
        }
    }
}

}  // namespace kymo::import::perf
