#include "import/perf/record_reader.h"

#include <algorithm>
#include <linux/perf_event.h>
#include <sys/mman.h>

namespace kymo::import::perf {
namespace {

constexpr std::size_t kBuildIdBytes = 20;

template <typename Record>
Record made_at(const Origin& origin) {
    Record record;
    static_cast<Origin&>(record) = origin;
    return record;
}

}  // namespace

bool is_delivered(std::uint32_t type) {
    switch (type) {
        case PERF_RECORD_MMAP:
        case PERF_RECORD_LOST:
        case PERF_RECORD_COMM:
        case PERF_RECORD_EXIT:
        case PERF_RECORD_THROTTLE:
        case PERF_RECORD_UNTHROTTLE:
        case PERF_RECORD_FORK:
        case PERF_RECORD_SAMPLE:
        case PERF_RECORD_MMAP2:
        case PERF_RECORD_LOST_SAMPLES:
        case PERF_RECORD_SWITCH:
        case PERF_RECORD_SWITCH_CPU_WIDE:
        case PERF_RECORD_NAMESPACES:
        case PERF_RECORD_KSYMBOL:
        case PERF_RECORD_CGROUP:
            return true;
        default:
            return false;
    }
}

bool RecordReader::deliver(const RecordHeader& header, std::span<const std::uint8_t> record, std::uint64_t time) {
    if (header.type != PERF_RECORD_SAMPLE) {
        return other(header, record.subspan(kRecordHeader), time);
    }
    if (!samples_.read(header, record, sample_)) {
        return false;
    }
    sample_.time = time;
    visitor_.sample(sample_);
    return true;
}

bool RecordReader::other(const RecordHeader& header, std::span<const std::uint8_t> body, std::uint64_t time) {
    Trailer trailer = read_trailer(events_, body, order_);
    trailer.origin.time = time;
    trailer.origin.mode = mode_of(header.misc);
    const Bytes from(body.first(body.size() - trailer.bytes), order_);
    switch (header.type) {
        case PERF_RECORD_MMAP:
        case PERF_RECORD_MMAP2:
            return mapping(header, from, trailer.origin);
        case PERF_RECORD_LOST:
        case PERF_RECORD_LOST_SAMPLES:
            return lost(header, from, trailer.origin, trailer.id);
        case PERF_RECORD_COMM:
            return comm(header, from, trailer.origin);
        case PERF_RECORD_FORK: {
            auto record = made_at<Fork>(trailer.origin);
            return life(from, record) && (visitor_.fork(record), true);
        }
        case PERF_RECORD_EXIT: {
            auto record = made_at<Exit>(trailer.origin);
            return life(from, record) && (visitor_.exit(record), true);
        }
        case PERF_RECORD_THROTTLE:
        case PERF_RECORD_UNTHROTTLE:
            return throttle(header, from, trailer.origin);
        case PERF_RECORD_SWITCH:
        case PERF_RECORD_SWITCH_CPU_WIDE:
            return context_switch(header, from, trailer.origin);
        case PERF_RECORD_NAMESPACES:
            return namespaces(from, trailer.origin);
        case PERF_RECORD_KSYMBOL:
            return kernel_symbol(from, trailer.origin);
        case PERF_RECORD_CGROUP:
            return cgroup(from, trailer.origin);
        default:
            return false;
    }
}

bool RecordReader::mapping(const RecordHeader& header, Bytes from, const Origin& origin) {
    auto to = made_at<Mapping>(origin);
    to.pid = from.u32();
    to.tid = from.u32();
    to.begin = from.u64();
    to.length = from.u64();
    to.file_offset = from.u64();
    if (header.type == PERF_RECORD_MMAP) {
        to.protection = (header.misc & PERF_RECORD_MISC_MMAP_DATA) != 0 ? 0 : PROT_EXEC;
    } else {
        if ((header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) != 0) {
            const std::size_t size = std::min<std::size_t>(from.u8(), kBuildIdBytes);
            from.part(3);  // reserved
            const auto bytes = from.part(kBuildIdBytes);
            to.build_id = bytes.first(std::min(size, bytes.size()));
        } else {
            to.device_major = from.u32();
            to.device_minor = from.u32();
            to.inode = from.u64();
            to.inode_generation = from.u64();
        }
        to.protection = from.u32();
        to.flags = from.u32();
    }
    to.executable = (to.protection & PROT_EXEC) != 0;
    to.kernel = to.mode == Mode::kKernel || to.mode == Mode::kGuestKernel;
    if (from.failed()) {
        return false;
    }
    to.path = from.text();
    visitor_.mapping(to);
    return true;
}

// Forks and exits, which have the same fields.
template <typename Record>
bool RecordReader::life(Bytes from, Record& to) {
    to.pid = from.u32();
    to.parent_pid = from.u32();
    to.tid = from.u32();
    to.parent_tid = from.u32();
    from.u64();  // the time
    return !from.failed();
}

bool RecordReader::throttle(const RecordHeader& header, Bytes from, const Origin& origin) {
    auto to = made_at<Throttle>(origin);
    to.begins = header.type == PERF_RECORD_THROTTLE;
    from.u64();  // the time
    to.id = from.u64();
    if (const std::uint32_t event = events_.by_id(to.id); event != kNotGiven) {
        to.attribute = event;
    }
    if (from.failed()) {
        return false;
    }
    visitor_.throttle(to);
    return true;
}

bool RecordReader::context_switch(const RecordHeader& header, Bytes from, const Origin& origin) {
    auto to = made_at<Switch>(origin);
    to.out = (header.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
    to.preempted = to.out && (header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
    if (header.type == PERF_RECORD_SWITCH_CPU_WIDE) {
        to.other_pid = from.u32();
        to.other_tid = from.u32();
    }
    if (from.failed()) {
        return false;
    }
    visitor_.context_switch(to);
    return true;
}

bool RecordReader::lost(const RecordHeader& header, Bytes from, const Origin& origin, std::uint64_t id) {
    auto to = made_at<Lost>(origin);
    to.samples = header.type == PERF_RECORD_LOST_SAMPLES;
    to.id = to.samples ? id : from.u64();
    to.count = from.u64();
    if (const std::uint32_t event = events_.by_id(to.id); event != kNotGiven) {
        to.attribute = event;
    }
    if (from.failed()) {
        return false;
    }
    visitor_.lost(to);
    return true;
}

bool RecordReader::comm(const RecordHeader& header, Bytes from, const Origin& origin) {
    auto to = made_at<Comm>(origin);
    to.pid = from.u32();
    to.tid = from.u32();
    to.is_exec = (header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
    if (from.failed()) {
        return false;
    }
    to.name = from.text();
    visitor_.comm(to);
    return true;
}

bool RecordReader::kernel_symbol(Bytes from, const Origin& origin) {
    auto to = made_at<KernelSymbol>(origin);
    to.begin = from.u64();
    to.length = from.u32();
    to.type = from.u16();
    to.removed = (from.u16() & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER) != 0;
    if (from.failed()) {
        return false;
    }
    to.name = from.text();
    visitor_.kernel_symbol(to);
    return true;
}

bool RecordReader::cgroup(Bytes from, const Origin& origin) {
    auto to = made_at<Cgroup>(origin);
    to.id = from.u64();
    if (from.failed()) {
        return false;
    }
    to.path = from.text();
    visitor_.cgroup(to);
    return true;
}

bool RecordReader::namespaces(Bytes from, const Origin& origin) {
    auto to = made_at<Namespaces>(origin);
    to.pid = from.u32();
    to.tid = from.u32();
    const std::uint64_t count = from.u64();
    if (from.failed() || count > from.left() / 16) {
        return false;
    }
    namespaces_.clear();
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t device = from.u64();
        namespaces_.push_back({device, from.u64()});
    }
    to.links = namespaces_;
    visitor_.namespaces(to);
    return true;
}

}  // namespace kymo::import::perf
