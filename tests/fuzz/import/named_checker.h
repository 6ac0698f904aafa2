// What every reading of a profile with names must hold to, whatever its bytes.
#pragma once

#include "base/descriptor.h"
#include "import/named/input.h"
#include "import/named/visitor.h"

#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace kymo::import::named {

class Checker : public Visitor {
  public:
    Result<void> begin(const Facts& facts) override {
        require(facts_ == nullptr);
        facts_ = &facts;
        return {};
    }
    void sample(const Sample& from) override {
        require(facts_ != nullptr && from.event < facts_->events.size() && from.frames.size() <= 4'096);
        ++samples_;
        touch(from.comm);
        for (const Frame& frame : from.frames) {
            touch(frame.module);
            touch(frame.function);
            touch(frame.file);
        }
    }
    void check(const Result<Facts>& result) const {
        if (result) {
            require(samples_ > 0 && result->samples == samples_ && result->first_time <= result->last_time);
        } else {
            require(!result.error().what.empty());
        }
    }

  private:
    static void require(bool holds) {
        if (!holds) {
            std::abort();
        }
    }
    // Reads all bytes, which the address sanitizer watches.
    void touch(std::string_view text) {
        for (const char byte : text) {
            sum_ = sum_ + static_cast<unsigned char>(byte);
        }
    }

    const Facts* facts_ = nullptr;
    std::uint64_t samples_ = 0;
    volatile std::uint64_t sum_ = 0;
};

// The bytes as an input.
inline Input input_of(std::span<const std::uint8_t> bytes) {
    const Descriptor file(::memfd_create("profile", MFD_CLOEXEC));
    if (::write(file.number(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
        std::abort();
    }
    auto input = Input::open("/proc/self/fd/" + std::to_string(file.number()));
    if (!input) {
        std::abort();
    }
    return std::move(*input);
}

}  // namespace kymo::import::named
