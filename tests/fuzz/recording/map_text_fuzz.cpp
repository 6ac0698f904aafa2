// Any bytes as the text of /proc/PID/maps, whole and byte by byte: both ways give the same areas, each of which is
// one.
#include "recording/areas/map_text.h"

#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace kymo::recording;

std::string areas_of(const std::uint8_t* data, std::size_t size, std::size_t step) {
    std::string all;
    const auto take = [&](const MapArea& area) {
        if (area.end <= area.begin) {
            std::abort();
        }
        all +=
            std::to_string(area.begin) + "-" + std::to_string(area.end) + " " + std::to_string(area.protection) + " ";
        all.append(area.path).push_back('\n');
    };
    MapText text;
    text.begin();
    for (std::size_t at = 0; at < size; at += step) {
        const std::size_t bytes = size - at < step ? size - at : step;
        const std::vector<std::uint8_t> part(data + at, data + at + bytes);  // on the heap: reading past it is seen
        text.add(part, take);
    }
    text.finish(take);
    return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (areas_of(data, size, size + 1) != areas_of(data, size, 1)) {
        std::abort();
    }
    return 0;
}
