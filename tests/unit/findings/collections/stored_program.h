// A program whose code and samples are known, stored as a real image and a real recording, and read back by the
// analysis: what the four collections (spacetime/evidence/collections.h) say of it follows by hand.
//
// Its functions are x86-64 code without operands, so that instructions can be counted: `nop` (1 byte), `je` and `jmp`
// (2 bytes), `ret` (1 byte). Each is called by the first one, and begins at a round address of its own. Each thread
// has a sample a millisecond, all of it user time.
#pragma once

#include "findings/judge.h"
#include "made_recording.h"
#include "spacetime/evidence/evidence.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kymo::collections {

using spacetime::ByteRange;
using testing::kMs;

struct MadeFunction {
    std::string name;
    std::vector<std::uint8_t> code;
};
// Without jumps: nops, the last instruction a ret.
MadeFunction straight(const std::string& name, std::size_t instructions);
// A branch: A 0x0–0x6 (4 nops, je C), B 0x6–0xe (6 nops, jmp D), C 0xe–0x10 (2 nops), D 0x10–0x19 (8 nops, ret): 5,
// 7, 2 and 9 instructions.
MadeFunction forked(const std::string& name);

// Counters, by their place among the recording's events. Packets are an event of the program's own.
inline constexpr std::size_t kClock = 0;
inline constexpr std::size_t kMisses = 1;
inline constexpr std::size_t kPackets = 2;

inline constexpr std::uint64_t kMiddle = 16;  // where functions of 32 instructions are sampled
inline std::uint64_t address(std::size_t function, std::uint64_t offset = 0) {
    return 0x1000 + 0x100 * function + offset;
}

class StoredProgram {
  public:
    explicit StoredProgram(const std::vector<MadeFunction>& functions);

    // What follows is this thread's (0, 1, …): each begins at 0.
    void on_thread(std::uint32_t thread);
    // A sample at an offset of a function, with what the counters rose by since the thread's last one.
    void sample(std::size_t function, std::uint64_t offset, std::uint64_t misses = 0, std::uint64_t packets = 0);
    // So many samples in the middle of a function, each with so many misses.
    void run(std::size_t function, std::uint64_t ms, std::uint64_t misses = 0);

    // Ends the recording and looks at it. Once.
    spacetime::Evidence evidence(const spacetime::EvidenceOptions& options = {});

  private:
    struct Thread {
        std::uint64_t samples = 0;
        std::uint64_t misses = 0;
        std::uint64_t packets = 0;
        std::vector<std::uint64_t> contexts;  // offsets; number 1 is the first function
    };
    testing::TemporaryFolder folder_;
    std::unique_ptr<testing::MadeFile> file_;
    std::vector<Thread> threads_;
    std::uint32_t thread_ = 0;
};

// The node of a function, as the kept nodes are numbered.
std::uint32_t node_of(const spacetime::Evidence& evidence, const std::string& function);
// The group of the space that is these bytes alone.
std::uint32_t group_of(const spacetime::Evidence& evidence, const ByteRange& bytes);
const spacetime::SpaceIntervals& intervals_of(const spacetime::Evidence& evidence, std::uint32_t node);

// What a finding of the kind more-events says, tested.
struct Told {
    std::string function;  // where
    double seconds = 0;
    double share = 0;
    double share_low = 0;
    std::string direction = "walk memory in order, make the records smaller, block the loops, or prefetch";
};
void expect_told(const findings::Finding& finding, const std::string& title, const Told& told);

inline std::int64_t ms(std::uint64_t count) {
    return static_cast<std::int64_t>(count * kMs);
}

}  // namespace kymo::collections
