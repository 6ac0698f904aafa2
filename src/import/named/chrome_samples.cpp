#include "import/named/chrome_samples.h"

#include "base/hash.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace kymo::import::named {
namespace {

constexpr std::size_t kMostSpecial = 4096;
constexpr std::size_t kMostProfiles = std::size_t{1} << 16U;
constexpr double kMostMicroseconds = 4e15;  // 126 years

constexpr char kIdle = 'i';
constexpr char kProgram = 'p';
constexpr char kRoot = 'r';

// What V8 writes where no function of the program runs.
char special_of(std::string_view function) {
    return function == "(idle)" ? kIdle : function == "(program)" ? kProgram : function == "(root)" ? kRoot : '\0';
}

// Never 0, which stands for none.
std::uint64_t frame_number(std::uint64_t space, std::uint64_t id) {
    return mix(mix(space) ^ id) | 1U;
}
std::uint64_t node_number(std::uint64_t space, double id) {
    return frame_number(space, std::hash<double>()(id));
}

std::uint64_t ns_of(double microseconds) {
    return static_cast<std::uint64_t>(std::llround(microseconds * 1e3));
}

// The file that a function is in: the page's or program's address without "file://".
std::string_view module_of(std::string_view url) {
    constexpr std::string_view kFile = "file://";
    return url.empty() ? std::string_view("[v8]") : url.starts_with(kFile) ? url.substr(kFile.size()) : url;
}

}  // namespace

void ProfilePiece::clear() {
    start = -1;
    nodes.clear();
    samples.clear();
    deltas.clear();
}

void ChromeSamples::begin_profile(std::uint32_t pid, std::uint32_t tid, std::uint64_t id, std::uint64_t start) {
    if (profiles_.size() < kMostProfiles) {
        profiles_.try_emplace({pid, id}, Profile{tid, static_cast<double>(start) / 1e3, {}});
    }
}

void ChromeSamples::add(std::uint32_t pid, std::uint64_t id, const ProfilePiece& piece) {
    const auto found = profiles_.find({pid, id});
    if (found == profiles_.end()) {
        bad_ += piece.samples.size();
        return;
    }
    Profile& profile = found->second;
    const std::uint64_t space = mix(id) ^ pid;
    for (const ProfilePiece::Node& node : piece.nodes) {
        TraceFrame frame;
        frame.number = node_number(space, node.id);
        frame.parent = node.parent < 0 ? 0 : node_number(space, node.parent);
        if (const char special = special_of(node.function); special != '\0') {
            if (profile.special.size() < kMostSpecial) {
                profile.special[frame.number] = special;
            }
            if (special == kRoot) {
                continue;
            }
        }
        frame.module = module_of(node.url);
        frame.function = node.function.empty() ? std::string_view("(anonymous)") : std::string_view(node.function);
        visitor_.stack_frame(frame);
    }
    for (std::size_t i = 0; i < piece.samples.size(); ++i) {
        if (i >= piece.deltas.size() || !(std::abs(piece.deltas[i]) < kMostMicroseconds)) {
            ++bad_;
            continue;
        }
        const double before = profile.now;
        profile.now = std::clamp(before + piece.deltas[i], 0.0, kMostMicroseconds);
        const std::uint64_t number = node_number(space, piece.samples[i]);
        const auto special = profile.special.find(number);
        if (special != profile.special.end() && special->second != kProgram) {
            continue;
        }
        TraceSample sample;
        sample.time = ns_of(profile.now);
        sample.since = std::min(ns_of(before), sample.time);
        sample.represents_time = true;
        sample.is_outside_slices = special != profile.special.end();
        sample.pid = pid;
        sample.tid = profile.tid;
        sample.frame = number;
        ++facts_.events;
        visitor_.stack_sample(sample);
    }
}

void ChromeSamples::frame(std::string_view id, std::string_view parent, std::string_view category,
                          std::string_view function) {
    const std::hash<std::string_view> hash;
    TraceFrame made;
    made.number = frame_number(0, hash(id));
    made.parent = parent.empty() ? 0 : frame_number(0, hash(parent));
    made.module = category;
    made.function = function;
    visitor_.stack_frame(made);
}

void ChromeSamples::sample(const StackSample& sample, std::string_view frame) {
    give(sample, frame_number(0, std::hash<std::string_view>()(frame)));
}

void ChromeSamples::sample(const StackSample& sample, const std::vector<std::string>& stack) {
    std::uint64_t outer = 0;
    for (std::size_t i = 0; i < std::min(stack.size(), kMostFrames); ++i) {
        TraceFrame frame;
        frame.number = frame_number(1, outer ^ std::hash<std::string>()(stack[i]));
        frame.parent = outer;
        frame.function = stack[i];
        visitor_.stack_frame(frame);
        outer = frame.number;
    }
    give(sample, outer);
}

void ChromeSamples::give(const StackSample& sample, std::uint64_t frame) {
    constexpr double kMostWeight = 1e15;
    if (frame == 0 || !(sample.weight >= 0) || sample.weight > kMostWeight) {
        ++bad_;
        return;
    }
    TraceSample made;
    made.time = made.since = sample.time;
    made.pid = sample.pid;
    made.tid = sample.tid;
    made.name = sample.name;
    made.weight = static_cast<std::uint64_t>(std::llround(sample.weight));
    made.frame = frame;
    ++facts_.events;
    visitor_.stack_sample(made);
}

}  // namespace kymo::import::named
