// Keeps what a reading of a profile with names delivers.
#pragma once

#include "base/descriptor.h"
#include "import/named/input.h"
#include "import/named/visitor.h"

#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <vector>

namespace kymo::import::named {

struct SeenFrame {
    std::string module;
    std::string function;
    std::string file;
    std::uint32_t line = 0;
    std::uint64_t address = 0;
    bool is_kernel = false;
    bool is_inlined = false;
};

struct SeenSample {
    Sample sample;  // without its texts and frames
    std::string comm;
    std::string event;
    std::string unit;
    std::vector<SeenFrame> frames;

    // Its functions, innermost first; "?" where there is none.
    [[nodiscard]] std::string path() const {
        std::string to;
        for (const SeenFrame& frame : frames) {
            to += (to.empty() ? "" : " < ") + (frame.function.empty() ? "?" : frame.function);
        }
        return to;
    }
};

class Collector : public Visitor {
  public:
    std::vector<SeenSample> samples;
    Facts at_begin;
    std::size_t enough_after = ~std::size_t{0};

    Result<void> begin(const Facts& facts) override {
        EXPECT_EQ(facts_, nullptr);
        facts_ = &facts;
        at_begin = facts;
        return {};
    }
    void sample(const Sample& from) override {
        ASSERT_NE(facts_, nullptr);
        ASSERT_LT(from.event, facts_->events.size());
        const Event& event = facts_->events[from.event];
        SeenSample& to = samples.emplace_back(SeenSample{from, std::string(from.comm), event.name, event.unit, {}});
        for (const Frame& frame : from.frames) {
            to.frames.push_back({std::string(frame.module), std::string(frame.function), std::string(frame.file),
                                 frame.line, frame.address, frame.is_kernel, frame.is_inlined});
        }
    }
    [[nodiscard]] bool enough() const override { return samples.size() >= enough_after; }

  private:
    const Facts* facts_ = nullptr;
};

// A file in memory, gone with it.
class TestFile {
  public:
    explicit TestFile(std::string_view bytes) : file_(::memfd_create("profile", MFD_CLOEXEC)) {
        path_ = "/proc/self/fd/" + std::to_string(file_.number());
        std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    Descriptor file_;
    std::filesystem::path path_;
};

}  // namespace kymo::import::named
