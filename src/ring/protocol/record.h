// A summary of one metric over many objects: sum, minimum, maximum, and number of objects.
//
// 48 bytes on the wire. The sum has 128 bits, so that a mean is right even where the sum of cells wraps; its low
// half is the sum modulo 2^64, as cells are added. An empty record is all zeros. Joining is commutative and
// associative: any order along the ring gives the same bytes.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kymo::ring {

// A host has fewer than 2^32 objects of a kind, so figures of a whole ring do not overflow.
inline constexpr unsigned kObjectBits = 32;

__extension__ typedef unsigned __int128 Wide;

struct Record {
    std::uint64_t sum_low;
    std::uint64_t sum_high;
    std::uint64_t least;
    std::uint64_t greatest;
    std::uint64_t known;    // objects whose values are included
    std::uint64_t objects;  // all objects

    bool operator==(const Record&) const = default;

    [[nodiscard]] std::uint64_t unknown() const { return objects - known; }
    [[nodiscard]] Wide sum() const { return static_cast<Wide>(sum_high) << 64U | sum_low; }
    [[nodiscard]] double mean() const {
        return known == 0 ? 0 : static_cast<double>(sum()) / static_cast<double>(known);
    }

    void set_sum(Wide sum) {
        sum_low = static_cast<std::uint64_t>(sum);
        sum_high = static_cast<std::uint64_t>(sum >> 64U);
    }

    // An object with that value.
    void add(std::uint64_t value) { join({value, 0, value, value, 1, 1}); }
    // An object whose value is not known.
    void add_unknown() { ++objects; }

    void join(const Record& other) {
        if (other.known != 0) {
            least = known == 0 ? other.least : std::min(least, other.least);
            greatest = std::max(greatest, other.greatest);
            set_sum(sum() + other.sum());
            known += other.known;
        }
        objects += other.objects;
    }

    // Whether that many hosts can have such figures; a reader checks bytes from elsewhere with it.
    [[nodiscard]] bool is_possible(std::uint64_t hosts) const {
        if (objects > hosts << kObjectBits) {
            return false;
        }
        if (known == 0) {
            return sum() == 0 && least == 0 && greatest == 0;
        }
        return known <= objects && least <= greatest && sum() >= static_cast<Wide>(least) * known &&
               sum() <= static_cast<Wide>(greatest) * known;
    }
};
static_assert(sizeof(Record) == 48);

}  // namespace kymo::ring
