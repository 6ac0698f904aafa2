// The image and the recording behind StoredProgram, written out.
#include "stored_program.h"

#include "made_image.h"
#include "spacetime/evidence/make_evidence.h"
#include "spacetime/profile/make_profile.h"

#include <algorithm>
#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>

namespace kymo::collections {
namespace {

constexpr std::uint8_t kNop = 0x90;
constexpr std::uint8_t kJe = 0x74;
constexpr std::uint8_t kJmp = 0xeb;
constexpr std::uint8_t kRet = 0xc3;

std::vector<std::uint8_t> image_of(const std::vector<MadeFunction>& functions) {
    std::vector<testing::ImageFunction> placed;
    for (std::size_t i = 0; i < functions.size(); ++i) {
        placed.push_back({functions[i].name, address(i), functions[i].code});
    }
    return testing::make_image(EM_X86_64, placed);
}

}  // namespace

MadeFunction straight(const std::string& name, std::size_t instructions) {
    MadeFunction function{name, std::vector<std::uint8_t>(instructions, kNop)};
    function.code.back() = kRet;
    return function;
}

MadeFunction forked(const std::string& name) {
    MadeFunction function{name, std::vector<std::uint8_t>(0x19, kNop)};
    function.code[0x4] = kJe;
    function.code[0x5] = 0xe - 0x6;  // to C, from behind the jump
    function.code[0xc] = kJmp;
    function.code[0xd] = 0x10 - 0xe;  // to D
    function.code[0x18] = kRet;
    return function;
}

StoredProgram::StoredProgram(const std::vector<MadeFunction>& functions) {
    const std::string path = (folder_.path() / "app").string();
    const std::vector<std::uint8_t> bytes = image_of(functions);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file_ = std::make_unique<testing::MadeFile>(folder_.path() / "process-100-0.krec", 100);
    recording::Process process;
    process.pid = 100;
    process.executable = path;
    process.mechanism = static_cast<std::uint64_t>(recording::Mechanism::kPerfEvents);
    file_->own().append(process);
    file_->event(kClock, "task-clock", "ns", recording::EventMode::kPeriod, kMs);
    file_->event(kMisses, "LLC-load-misses", "", recording::EventMode::kCount, 0);
    file_->event(kPackets, "packets", "", recording::EventMode::kCount, 0);
    recording::Image image;
    image.image = 1;
    image.path = path;
    file_->own().append(image);
    on_thread(0);
}

void StoredProgram::on_thread(std::uint32_t thread) {
    thread_ = thread;
    while (threads_.size() <= thread) {
        threads_.emplace_back();
        const auto stream = static_cast<std::uint32_t>(threads_.size());
        file_->begin_stream(stream, 0, 99 + stream, "app");
        file_->context(stream, 1, 0, 1, address(0, 2));
        threads_.back().contexts.push_back(address(0, 2));
    }
}

void StoredProgram::sample(std::size_t function, std::uint64_t offset, std::uint64_t misses, std::uint64_t packets) {
    Thread& thread = threads_[thread_];
    const std::uint64_t at = address(function, offset);
    auto known = std::find(thread.contexts.begin(), thread.contexts.end(), at);
    if (known == thread.contexts.end()) {
        known = thread.contexts.insert(known, at);
        file_->context(thread_ + 1, thread.contexts.size(), 1, 1, at);
    }
    ++thread.samples;
    thread.misses += misses;
    thread.packets += packets;
    file_->sample(thread_ + 1, thread.samples * kMs, static_cast<std::uint64_t>(known - thread.contexts.begin()) + 1,
                  {kMs, misses, packets});
}

void StoredProgram::run(std::size_t function, std::uint64_t ms, std::uint64_t misses) {
    for (std::uint64_t i = 0; i < ms; ++i) {
        sample(function, kMiddle, misses);
    }
}

spacetime::Evidence StoredProgram::evidence(const spacetime::EvidenceOptions& options) {
    std::uint64_t end = 0;
    for (std::uint32_t i = 0; i < threads_.size(); ++i) {
        const std::uint64_t now = threads_[i].samples * kMs;
        file_->end_stream(i + 1, now, {now, threads_[i].misses, threads_[i].packets}, now);
        end = std::max(end, now);
    }
    recording::ProcessEnd process_end;
    process_end.time = end;
    file_->own().append(process_end);
    file_->close();
    const auto recording = recording::Recording::open(folder_.path());
    const auto profile = spacetime::load_profile(*recording);
    spacetime::NamedRun named = spacetime::name_run(*profile);
    auto evidence = spacetime::make_evidence(*recording, *profile, named, options);
    EXPECT_TRUE(evidence);
    EXPECT_TRUE(evidence->warnings.empty());
    return std::move(*evidence);
}

std::uint32_t node_of(const spacetime::Evidence& evidence, const std::string& function) {
    const auto found =
        std::find_if(evidence.nodes.begin(), evidence.nodes.end(), [&](const spacetime::SpaceNode& node) {
            return node.kind == spacetime::SpaceKind::kFunction && node.place.function == function;
        });
    EXPECT_NE(found, evidence.nodes.end()) << function;
    return static_cast<std::uint32_t>(found - evidence.nodes.begin());
}

std::uint32_t group_of(const spacetime::Evidence& evidence, const ByteRange& bytes) {
    const auto found =
        std::find_if(evidence.spaces.begin(), evidence.spaces.end(),
                     [&](const spacetime::HeavySpace& space) { return space.place.ranges == std::vector{bytes}; });
    EXPECT_NE(found, evidence.spaces.end()) << bytes.begin;
    return found->same;
}

const spacetime::SpaceIntervals& intervals_of(const spacetime::Evidence& evidence, std::uint32_t node) {
    const auto found = std::find_if(evidence.intervals.begin(), evidence.intervals.end(),
                                    [&](const spacetime::SpaceIntervals& of) { return of.node == node; });
    EXPECT_NE(found, evidence.intervals.end()) << node;
    return *found;
}

void expect_told(const findings::Finding& finding, const std::string& title, const Told& told) {
    EXPECT_EQ(finding.kind, "more-events");
    EXPECT_EQ(finding.title, title);
    EXPECT_EQ(finding.place.function, told.function);
    EXPECT_NEAR(finding.seconds, told.seconds, 1e-9);
    EXPECT_NEAR(finding.share, told.share, 5e-7);
    EXPECT_NEAR(finding.share_low, told.share_low, 5e-7);
    EXPECT_TRUE(finding.tested);
    EXPECT_GE(finding.confidence, 0.95);
    EXPECT_EQ(finding.direction, told.direction);
}

}  // namespace kymo::collections
