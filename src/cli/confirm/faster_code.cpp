#include "cli/confirm/faster_code.h"

#include "program/demangle.h"

#include <algorithm>

namespace kymo::cli {
namespace {

using spacetime::CodeMap;

// By index of Symbols::functions.
std::vector<bool> named(const program::Symbols& symbols, const std::string& name, const std::string& module) {
    std::vector<bool> result;
    for (const program::Function& function : symbols.functions) {
        const bool is_it = module.empty() ? function.name == name || program::plain_name(function.name) == name
                                          : function.name == name && function.module == module;
        result.push_back(is_it && !name.empty());
    }
    return result;
}

// Of one image.
class Collected {
  public:
    Collected(const CodeMap& code, std::uint32_t image, const std::vector<bool>& wanted)
        : code_(code), image_(image), wanted_(wanted) {}

    // The frames at offsets in ascending order.
    void add(std::uint64_t offset, std::span<const program::Frame> frames) {
        const bool is_in = std::any_of(frames.begin(), frames.end(),
                                       [&](const program::Frame& frame) { return wanted_[frame.function]; });
        if (is_open_ && (is_in || offset - ranges_.back().first <= kLongestInstruction)) {
            ranges_.back().second = offset;
        }
        is_open_ = false;
        if (!is_in) {
            return;
        }
        if (wanted_[frames.front().function]) {
            add_function(offset);
        } else {
            is_open_ = true;
            ranges_.emplace_back(offset, offset + 1);
        }
    }

    std::vector<std::pair<std::uint64_t, std::uint64_t>> take() { return std::move(ranges_); }

  private:
    static constexpr std::uint64_t kLongestInstruction = 15;  // bytes

    void add_function(std::uint64_t offset) {
        const std::uint32_t function = code_.function_at(image_, offset);
        if (function == last_ || function >= code_.size()) {
            return;
        }
        last_ = function;
        for (const program::CodeExtent& part : code_.code_of(function).parts) {
            ranges_.emplace_back(part.begin, part.end);
        }
    }

    const CodeMap& code_;
    std::uint32_t image_;
    const std::vector<bool>& wanted_;
    std::uint32_t last_ = kNone;
    bool is_open_ = false;  // the last range is of an inlined instruction: it ends where the next one begins
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;
};

}  // namespace

std::vector<events::CodeOfImage> code_of(const analysis::SpaceTime& analysed, const std::string& function,
                                         const std::string& module) {
    const spacetime::NamedRun& run = analysed.named;
    const program::Symbols& symbols = run.tree.symbols;
    const std::vector<bool> wanted = named(symbols, function, module);
    std::vector<events::CodeOfImage> result;
    const std::size_t images = std::min({analysed.profile.images.size(), run.requests.size(), symbols.images.size()});
    for (std::uint32_t image = 0; image < images; ++image) {
        const auto& offsets = run.requests[image].offsets;
        Collected code(*run.code, image, wanted);
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            code.add(raw(offsets[i]), symbols.images[image].at(i));
        }
        auto ranges = code.take();
        if (!ranges.empty() && !analysed.profile.images[image].build_id.empty()) {
            result.push_back({analysed.profile.images[image].build_id, std::move(ranges)});
        }
    }
    return result;
}

}  // namespace kymo::cli
