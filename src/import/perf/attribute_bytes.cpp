#include "import/perf/attribute_bytes.h"

#include "import/perf/event_names.h"

#include <algorithm>

namespace kymo::import::perf {
namespace {

// Which bit of the flags is which, counted in the order of their declaration.
enum Flag : unsigned {
    kInherit = 1,
    kExcludeUser = 4,
    kExcludeKernel = 5,
    kExcludeHypervisor = 6,
    kFrequency = 10,
    kPreciseFirst = 15,
    kPreciseSecond = 16,
    kSampleIdAll = 18,
    kUseClockid = 25,
    kContextSwitch = 26,
};

// The flags are bit fields: the first one is in the first byte, in its lowest bit or, on big-endian machines, its
// highest one.
class Flags {
  public:
    Flags(std::span<const std::uint8_t> bytes, bool big) : bytes_(bytes), big_(big) {}

    [[nodiscard]] bool has(unsigned bit) const {
        const unsigned in_byte = big_ ? 7 - bit % 8 : bit % 8;
        return bit / 8 < bytes_.size() && (bytes_[bit / 8] >> in_byte & 1) != 0;
    }
    // Of a field of two bits, whose first is then the higher one.
    [[nodiscard]] std::uint8_t two(unsigned first, unsigned second) const {
        const unsigned high = has(big_ ? first : second) ? 2 : 0;
        return static_cast<std::uint8_t>(high | (has(big_ ? second : first) ? 1U : 0U));
    }

  private:
    std::span<const std::uint8_t> bytes_;
    bool big_;
};

void read_flags(Bytes& from, Attribute& to) {
    const Flags flags(from.part(8), from.order().big);
    to.inherit = flags.has(kInherit);
    to.exclude_user = flags.has(kExcludeUser);
    to.exclude_kernel = flags.has(kExcludeKernel);
    to.exclude_hypervisor = flags.has(kExcludeHypervisor);
    to.is_frequency = flags.has(kFrequency);
    to.precise = flags.two(kPreciseFirst, kPreciseSecond);
    to.sample_id_all = flags.has(kSampleIdAll);
    to.use_clockid = flags.has(kUseClockid);
    to.context_switch = flags.has(kContextSwitch);
}

}  // namespace

std::optional<std::size_t> attribute_size(std::span<const std::uint8_t> bytes, ByteOrder order) {
    Bytes from(bytes, order);
    from.u32();  // type
    const std::uint32_t stated = from.u32();
    const std::size_t size = stated == 0 ? kSmallestAttribute : stated;
    if (from.failed() || size < kSmallestAttribute || size > bytes.size()) {
        return std::nullopt;
    }
    return size;
}

Attribute read_attribute(std::span<const std::uint8_t> bytes, ByteOrder order) {
    const std::size_t stated = attribute_size(bytes, order).value_or(bytes.size());
    Bytes from(bytes.first(std::min(bytes.size(), stated)), order);
    Attribute to;
    to.type = from.u32();
    from.u32();  // the size
    to.config = from.u64();
    const std::uint64_t period_or_frequency = from.u64();
    to.sample_type = from.u64();
    to.read_format = from.u64();
    read_flags(from, to);
    (to.is_frequency ? to.frequency : to.period) = period_or_frequency;
    from.u64();  // wakeup, bp_type
    to.config1 = from.u64();
    // The first version ends here.
    to.config2 = from.u64();
    to.branch_sample_type = from.u64();
    to.sample_regs_user = from.u64();
    to.sample_stack_user = from.u32();
    to.clockid = static_cast<std::int32_t>(from.u32());
    to.sample_regs_intr = from.u64();
    to.name = event_name(to.type, to.config);
    return to;
}

}  // namespace kymo::import::perf
