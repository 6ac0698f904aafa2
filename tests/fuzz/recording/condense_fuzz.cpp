// Any bytes as a chunk's rows, condensed again and again: within bounds, and what comes out can be read, has as many
// samples, and no more rows.

#include "recording/history/condense.h"

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace {

using namespace kymo;
using namespace kymo::recording;

void require(bool good) {
    if (!good) {
        std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr StreamId kStream{1};
    constexpr std::uint64_t kNow = 1'000'000'000;
    std::vector<std::uint8_t> rows(data, data + size);
    for (const double span : {0.0, 0.01, 1.0}) {
        ContextRows contexts;
        SamplesByAge samples;
        WaitsByLength waits;
        const ChunkRows before = read_rows(rows, kStream, kNow, contexts, &samples, &waits);
        const auto fewer = condense(rows, kStream, {.now = kNow, .span = span, .shortest_wait = 1000}, contexts, 1);
        require(before.is_sound || !fewer);
        if (!fewer) {
            return 0;
        }
        ContextRows contexts_left;
        SamplesByAge samples_left;
        WaitsByLength waits_left;
        require(read_rows(*fewer, kStream, kNow, contexts_left, &samples_left, &waits_left).is_sound);
        require(samples_left.rows() <= samples.rows());
        require(samples_left.samples() == samples.samples() || samples.samples() == UINT64_MAX);
        require(waits_left.bytes_from(0) <= waits.bytes_from(0) || span == 0);
        rows = *fewer;
    }
    return 0;
}
