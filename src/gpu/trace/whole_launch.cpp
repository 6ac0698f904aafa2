#include "gpu/trace/whole_launch.h"

#include <bit>
#include <fmt/format.h>

namespace kymo::gpu {
namespace {

std::string words(const Dim3& value) {
    return fmt::format("({},{},{})", value.x, value.y, value.z);
}

bool is_within(const Dim3& index, const Dim3& grid) {
    return index.x < grid.x && index.y < grid.y && index.z < grid.z;
}

std::uint64_t number_of(const Dim3& index, const Dim3& grid) {
    return (std::uint64_t{index.z} * grid.y + index.y) * grid.x + index.x;
}

Dim3 index_of(std::uint64_t number, const Dim3& grid) {
    const std::uint64_t row = number / grid.x;
    return {static_cast<std::uint32_t>(number % grid.x), static_cast<std::uint32_t>(row % grid.y),
            static_cast<std::uint32_t>(row / grid.y)};
}

}  // namespace

bool WholeLaunch::first_time(std::uint64_t number) {
    if (number < begun_ || beyond_.contains(number)) {
        return false;
    }
    beyond_.insert(number);
    while (beyond_.erase(begun_) != 0) {
        ++begun_;
    }
    return true;
}

std::string WholeLaunch::warps_missing(const Cta& cta) {
    const std::uint64_t warps = (header().block.count() + kWarpLanes - 1) / kWarpLanes;  // at most 64
    std::uint64_t seen = 0;
    for (const WarpTrace& warp : cta.warps) {
        if (warp.id >= warps) {
            return fmt::format("warp {} of CTA {} is not in the block, which has {}", warp.id, words(cta.index),
                               warps);
        }
        if ((seen >> warp.id & 1U) != 0) {
            return fmt::format("warp {} of CTA {} appears twice", warp.id, words(cta.index));
        }
        seen |= std::uint64_t{warp.instructions != 0} << warp.id;
    }
    const auto there = static_cast<std::uint64_t>(std::popcount(seen));
    if (there == warps) {
        return {};
    }
    return fmt::format("CTA {} has instructions of {} of its {} warps; the first without is warp {}",
                       words(cta.index), there, warps, std::countr_one(seen));
}

std::string WholeLaunch::look_at(const Cta& cta) {
    const Dim3& grid = header().grid;
    if (!is_within(cta.index, grid)) {
        ++outside_;
        return fmt::format("CTA {} is not in the grid {}", words(cta.index), words(grid));
    }
    if (!first_time(number_of(cta.index, grid))) {
        ++again_;
        return fmt::format("CTA {} appears twice", words(cta.index));
    }
    std::string missing = warps_missing(cta);
    cut_ctas_ += missing.empty() ? 0 : 1;
    return missing;
}

std::string WholeLaunch::at_end() const {
    const std::uint64_t all = header().grid.count();
    const std::uint64_t there = begun_ + beyond_.size();
    if (there == all) {
        return {};
    }
    return fmt::format("{} of the grid's {} CTAs; the first that is missing is {}", there, all,
                       words(index_of(begun_, header().grid)));
}

std::string WholeLaunch::left_out() const {
    std::string told = at_end();
    const auto add = [&told](std::uint64_t count, const char* what) {
        if (count != 0) {
            told += fmt::format("{}CTAs {}: {}", told.empty() ? "" : "; ", what, count);
        }
    };
    add(cut_ctas_, "with other warps than the block has");
    add(again_, "that appear twice");
    add(outside_, "outside the grid");
    return told;
}

Result<std::optional<Cta>> WholeLaunch::next_cta() {
    auto cta = trace_->next_cta();
    if (!cta) {
        return cta;
    }
    const std::string wrong = *cta ? look_at(**cta) : at_end();
    if (!wrong.empty() && !partial_) {
        return Error{ErrorKind::kMalformed, name_ + ": " + (*cta ? "" : "holds ") + wrong,
                     "trace the kernel again, or model what is there with --partial"};
    }
    return cta;
}

Result<void> WholeLaunch::rewind() {
    begun_ = outside_ = again_ = cut_ctas_ = 0;
    beyond_.clear();
    return trace_->rewind();
}

}  // namespace kymo::gpu
