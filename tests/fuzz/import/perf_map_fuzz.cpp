// Any bytes as a perf-PID.map: functions come in order, do not overlap, and each has a wanted address.
#include "import/named/perf_map.h"
#include "named_checker.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo::import::named;
    std::vector<std::uint64_t> wanted;
    for (std::uint64_t at = 0x1000; at < 0x3000; at += 0x78) {
        wanted.push_back(at);
    }
    wanted.push_back(0x7fff'ffff'f000);
    wanted.push_back(~std::uint64_t{0} - 1);
    Input input = input_of({data, size});
    PerfMap map(wanted);
    const auto require = [](bool holds) {
        if (!holds) {
            std::abort();
        }
    };
    require(map.read(input).ok());
    std::uint64_t end = 0;
    std::size_t named = 0;
    for (const GeneratedFunction& function : map.functions()) {
        require(function.begin >= end && function.end > function.begin && !function.name.empty());
        const auto first = std::lower_bound(wanted.begin(), wanted.end(), function.begin);
        const auto last = std::lower_bound(wanted.begin(), wanted.end(), function.end);
        require(first != last);
        named += static_cast<std::size_t>(last - first);
        end = function.end;
    }
    require(named == map.named());
    return 0;
}
