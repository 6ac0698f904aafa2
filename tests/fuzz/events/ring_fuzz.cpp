// Any words as a ring's contents: every record is walked once, none is read outside the ring, and what is taken from
// a record lies within it. Byte 0 is where in the ring the records begin (in words), byte 1 how the walk's end is
// moved beyond the data.
#include "events/ring.h"
#include "launch/kernel_record.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo;
    constexpr std::size_t kBytes = 4096;
    if (size < 2) {
        return 0;
    }
    const std::uint64_t start = std::uint64_t{data[0]} * 16 + std::uint64_t{kBytes} * 3;
    const std::uint64_t beyond = std::uint64_t{data[1]} * 8;
    data += 2;
    size -= 2;
    // On the heap and of the exact size, so that a sanitizer sees any word read outside.
    std::vector<std::uint64_t> ring(kBytes / 8, 0);
    const std::size_t words = std::min(size / 8, ring.size());
    for (std::size_t i = 0; i < words; ++i) {
        std::memcpy(&ring[(start / 8 + i) % ring.size()], data + i * 8, 8);
    }
    const std::uint64_t head = start + words * 8 + beyond;
    std::uint64_t seen = 0;
    const std::uint64_t end =
        events::walk_ring(ring.data(), kBytes, start, head, [&](const events::RingRecord& record) {
            seen += record.bytes();
            require(record.bytes() >= 8 && record.bytes() <= kBytes);
            require(record[record.size()] == 0 && record[SIZE_MAX] == 0);
            events::RingSample sample;
            for (const bool lost : {false, true}) {
                if (events::parse_sample(record, lost, sample)) {
                    require(sample.count <= events::kMaxEvents);
                    require(record.size() >= 8 + sample.count * (lost ? 3U : 2U));
                }
            }
            launch::KernelRecord kernel;
            if (launch::parse_kernel_record(record, kernel)) {
                require(std::memchr(kernel.name, 0, sizeof kernel.name) != nullptr);
            }
        });
    require(end == head && seen <= kBytes);
    return 0;
}
