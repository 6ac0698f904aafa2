// The code in a process's address space, as mappings come and go: which image is at an address.
//
// Not thread-safe. Cost: at() one look-up in an ordered map; map() the same, and the mappings that it replaces.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace kymo::import {

struct MappedImage {
    std::uint64_t image = 0;    // number of an image row; 0: code without a file
    std::uint64_t bias = 0;     // process address − offset in the image
    bool is_code = true;        // false: nothing is mapped there, as far as known
    bool is_generated = false;  // code without a file that the program made itself
};

class AddressSpace {
  public:
    // From now on [begin, begin + bytes) is this. Parts of earlier mappings there are gone.
    void map(std::uint64_t begin, std::uint64_t bytes, const MappedImage& mapped) {
        const std::uint64_t end = begin + bytes < begin ? ~std::uint64_t{0} : begin + bytes;
        if (end == begin) {
            return;
        }
        auto at = areas_.upper_bound(begin);
        if (at != areas_.begin() && std::prev(at)->second.end > begin) {
            --at;
        }
        while (at != areas_.end() && at->first < end) {
            const std::uint64_t first = at->first;
            const Area old = at->second;
            at = areas_.erase(at);
            if (first < begin) {
                areas_.insert({first, {begin, old.mapped}});
            }
            if (old.end > end) {
                areas_.insert({end, {old.end, old.mapped}});
            }
        }
        areas_[begin] = {end, mapped};
    }

    // An address without a mapping is in image 0.
    MappedImage at(std::uint64_t address) const {
        const auto next = areas_.upper_bound(address);
        if (next == areas_.begin()) {
            return {.is_code = false};
        }
        const Area& area = std::prev(next)->second;
        return address < area.end ? area.mapped : MappedImage{.is_code = false};
    }

  private:
    struct Area {
        std::uint64_t end = 0;
        MappedImage mapped;
    };
    std::map<std::uint64_t, Area> areas_;  // by begin
};

}  // namespace kymo::import
