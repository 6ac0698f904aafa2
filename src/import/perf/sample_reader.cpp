#include "import/perf/sample_reader.h"

#include <algorithm>
#include <bit>
#include <linux/perf_event.h>

namespace kymo::import::perf {
namespace {

// Newer than the oldest headers that this compiles with.
constexpr std::uint64_t kSampleWeightStruct = std::uint64_t{1} << 24;
constexpr std::uint64_t kReadLost = std::uint64_t{1} << 4;
constexpr std::uint64_t kBranchHardwareIndex = std::uint64_t{1} << 17;
constexpr std::uint64_t kBranchCounters = std::uint64_t{1} << 19;

// The bit fields of perf_branch_entry in their order, of the low to the high bits on little-endian machines.
constexpr int kBranchFields[] = {1, 1, 1, 1, 16, 4, 2, 4, 3};

// On big-endian machines the first field has the highest bits.
std::uint64_t branch_flags(std::uint64_t flags, bool big) {
    if (!big) {
        return flags;
    }
    std::uint64_t result = 0;
    int from_low = 0;
    for (const int bits : kBranchFields) {
        const std::uint64_t field = flags >> (64 - from_low - bits) & ((std::uint64_t{1} << bits) - 1);
        result |= field << from_low;
        from_low += bits;
    }
    return result;
}

}  // namespace

bool SampleReader::read(const RecordHeader& header, std::span<const std::uint8_t> record, Sample& to) {
    const auto body = record.subspan(kRecordHeader);
    to = Sample{};
    const std::uint32_t index = events_.of_sample(body, order_);
    if (index == kNotGiven) {
        return false;
    }
    const Attribute& event = events_.all()[index];
    const std::uint64_t type = event.sample_type;
    to.attribute = index;
    to.mode = mode_of(header.misc);
    to.exact_ip = (header.misc & PERF_RECORD_MISC_EXACT_IP) != 0;
    to.period = event.period;
    used_ = 0;
    Bytes from(body, order_);
    identity(from, event, to);
    if ((type & PERF_SAMPLE_READ) != 0 && !counters(from, event, to)) {
        return false;
    }
    if ((type & PERF_SAMPLE_CALLCHAIN) != 0 && !list(from, from.u64(), to.callchain)) {
        return false;
    }
    if ((type & PERF_SAMPLE_RAW) != 0) {
        to.raw = from.part(from.u32());
    }
    if ((type & PERF_SAMPLE_BRANCH_STACK) != 0 && !branches(from, event, to)) {
        return false;
    }
    if ((type & PERF_SAMPLE_REGS_USER) != 0 && !registers(from, event.sample_regs_user, to.user_registers)) {
        return false;
    }
    if ((type & PERF_SAMPLE_STACK_USER) != 0) {
        stack(from, to);
    }
    memory_access(from, type, to);
    if ((type & PERF_SAMPLE_REGS_INTR) != 0 && !registers(from, event.sample_regs_intr, to.interrupted_registers)) {
        return false;
    }
    to.physical_address = (type & PERF_SAMPLE_PHYS_ADDR) != 0 ? from.u64() : 0;
    to.cgroup = (type & PERF_SAMPLE_CGROUP) != 0 ? from.u64() : 0;
    to.data_page_size = (type & PERF_SAMPLE_DATA_PAGE_SIZE) != 0 ? from.u64() : 0;
    to.code_page_size = (type & PERF_SAMPLE_CODE_PAGE_SIZE) != 0 ? from.u64() : 0;
    return !from.failed();  // what an AUX area has, if anything, is last and not read
}

void SampleReader::identity(Bytes& from, const Attribute& event, Sample& to) {
    const std::uint64_t type = event.sample_type;
    if ((type & PERF_SAMPLE_IDENTIFIER) != 0) {
        to.id = from.u64();
    }
    if ((type & PERF_SAMPLE_IP) != 0) {
        to.ip = from.u64();
    }
    if ((type & PERF_SAMPLE_TID) != 0) {
        to.pid = from.u32();
        to.tid = from.u32();
    }
    if ((type & PERF_SAMPLE_TIME) != 0) {
        to.time = given_time(from.u64());
    }
    if ((type & PERF_SAMPLE_ADDR) != 0) {
        to.address = from.u64();
    }
    if ((type & PERF_SAMPLE_ID) != 0) {
        to.id = from.u64();
    }
    if ((type & PERF_SAMPLE_STREAM_ID) != 0) {
        to.stream_id = from.u64();
    }
    if ((type & PERF_SAMPLE_CPU) != 0) {
        to.cpu = from.u32();
        from.u32();  // reserved
    }
    if ((type & PERF_SAMPLE_PERIOD) != 0) {
        to.period = from.u64();
    }
}

bool SampleReader::counters(Bytes& from, const Attribute& event, Sample& to) {
    reads_.clear();
    if ((event.read_format & PERF_FORMAT_GROUP) == 0) {
        one_counter(from, event, to);
    } else if (!group(from, event, to)) {
        return false;
    }
    to.reads = reads_;
    return !from.failed();
}

void SampleReader::one_counter(Bytes& from, const Attribute& event, Sample& to) {
    CounterValue counter;
    counter.value = from.u64();
    to.time_enabled = (event.read_format & PERF_FORMAT_TOTAL_TIME_ENABLED) != 0 ? from.u64() : 0;
    to.time_running = (event.read_format & PERF_FORMAT_TOTAL_TIME_RUNNING) != 0 ? from.u64() : 0;
    counter.id = (event.read_format & PERF_FORMAT_ID) != 0 ? from.u64() : 0;
    counter.lost = (event.read_format & kReadLost) != 0 ? from.u64() : 0;
    counter.attribute = to.attribute;
    reads_.push_back(counter);
}

bool SampleReader::group(Bytes& from, const Attribute& event, Sample& to) {
    const std::uint64_t count = from.u64();
    to.time_enabled = (event.read_format & PERF_FORMAT_TOTAL_TIME_ENABLED) != 0 ? from.u64() : 0;
    to.time_running = (event.read_format & PERF_FORMAT_TOTAL_TIME_RUNNING) != 0 ? from.u64() : 0;
    if (count > from.left() / 8) {
        return false;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        CounterValue counter;
        counter.value = from.u64();
        counter.id = (event.read_format & PERF_FORMAT_ID) != 0 ? from.u64() : 0;
        counter.lost = (event.read_format & kReadLost) != 0 ? from.u64() : 0;
        counter.attribute = events_.by_id(counter.id);
        reads_.push_back(counter);
    }
    return true;
}

bool SampleReader::branches(Bytes& from, const Attribute& event, Sample& to) {
    const std::uint64_t count = from.u64();
    if ((event.branch_sample_type & kBranchHardwareIndex) != 0) {
        from.u64();
    }
    if (count > from.left() / 24) {
        return false;
    }
    branches_.resize(static_cast<std::size_t>(count));
    for (Branch& branch : branches_) {
        branch.from = from.u64();
        branch.to = from.u64();
        branch.flags = branch_flags(from.u64(), order_.big);
    }
    to.branches = branches_;
    return (event.branch_sample_type & kBranchCounters) == 0 || list(from, count, to.branch_counters);
}

bool SampleReader::registers(Bytes& from, std::uint64_t mask, Registers& to) {
    to.abi = from.u64();
    if (to.abi == PERF_SAMPLE_REGS_ABI_NONE) {
        return !from.failed();
    }
    to.mask = mask;
    return list(from, static_cast<std::uint64_t>(std::popcount(mask)), to.values);
}

bool SampleReader::list(Bytes& from, std::uint64_t count, std::span<const std::uint64_t>& to) {
    if (count > kWords - used_ || !from.numbers(count, words_.get() + used_)) {
        return false;
    }
    to = {words_.get() + used_, static_cast<std::size_t>(count)};
    used_ += static_cast<std::size_t>(count);
    return true;
}

void SampleReader::stack(Bytes& from, Sample& to) {
    const std::uint64_t size = from.u64();
    if (size == 0) {
        return;
    }
    const auto all = from.part(size);
    const std::uint64_t valid = from.u64();
    to.user_stack = all.first(static_cast<std::size_t>(std::min<std::uint64_t>(valid, all.size())));
}

void SampleReader::memory_access(Bytes& from, std::uint64_t type, Sample& to) {
    if ((type & kSampleWeightStruct) != 0) {
        const std::uint64_t weights = from.u64();
        to.weight = weights & 0xffff'ffff;
        to.weight_2 = static_cast<std::uint16_t>(weights >> 32);
        to.weight_3 = static_cast<std::uint16_t>(weights >> 48);
    } else if ((type & PERF_SAMPLE_WEIGHT) != 0) {
        to.weight = from.u64();
    }
    to.data_source = (type & PERF_SAMPLE_DATA_SRC) != 0 ? from.u64() : 0;
    to.transaction = (type & PERF_SAMPLE_TRANSACTION) != 0 ? from.u64() : 0;
}

}  // namespace kymo::import::perf
