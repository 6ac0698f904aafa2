// Call stacks in Chromium's traces: V8's profiles, and the samples of other profilers, whose stacks are in the events
// or in a list of the file's own.
//
// Not thread-safe. Memory: some 100 bytes a profile.
#pragma once

#include "import/named/trace.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::import::named {

// A piece of a profile of V8's, as an event has it. Numbers are those of the file.
struct ProfilePiece {
    static constexpr std::size_t kMostNodes = std::size_t{1} << 20U;
    static constexpr std::size_t kMostSamples = std::size_t{1} << 22U;

    struct Node {
        double id = 0;
        double parent = -1;  // none
        std::string function;
        std::string url;
    };
    double start = -1;  // of the profile, µs; none
    std::vector<Node> nodes;
    std::vector<double> samples;  // by node
    std::vector<double> deltas;   // µs since the sample before

    void clear();
};

// What is not of V8's profiles. The frame is a text of the file, or a number as a text.
struct StackSample {
    std::uint64_t time = 0;
    std::uint32_t pid = kNotGiven;
    std::uint32_t tid = kNotGiven;
    std::string_view name;
    double weight = 1;
};

class ChromeSamples {
  public:
    static constexpr std::size_t kMostFrames = 512;  // of a stack

    ChromeSamples(TraceVisitor& visitor, TraceFacts& facts) : visitor_(visitor), facts_(facts) {}

    // The thread has a profile of this id, and the pieces of it come from any thread of its process.
    void begin_profile(std::uint32_t pid, std::uint32_t tid, std::uint64_t id, std::uint64_t start);
    void add(std::uint32_t pid, std::uint64_t id, const ProfilePiece& piece);

    // Of the file's list of frames, which may come behind the samples.
    void frame(std::string_view id, std::string_view parent, std::string_view category, std::string_view function);
    void sample(const StackSample& sample, std::string_view frame);
    // The stack in the event itself, outermost first.
    void sample(const StackSample& sample, const std::vector<std::string>& stack);

    std::uint64_t bad() const { return bad_; }  // samples whose time, stack or profile is not known

  private:
    struct Profile {
        std::uint32_t tid = 0;
        double now = 0;                         // µs, of its last sample
        std::map<std::uint64_t, char> special;  // frames that are no functions, by what they say
    };
    void give(const StackSample& sample, std::uint64_t frame);

    TraceVisitor& visitor_;
    TraceFacts& facts_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, Profile> profiles_;
    std::uint64_t bad_ = 0;
};

}  // namespace kymo::import::named
