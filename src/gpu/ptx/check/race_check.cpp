#include "gpu/ptx/check/race_check.h"

#include <algorithm>
#include <cstring>

namespace kymo::gpu::ptx {

RaceCheck::RaceCheck(const Launch& launch, std::uint32_t warps)
    : grid_(launch.grid), warps_(warps), met_(std::size_t{warps} * warps), acquired_(warps) {}

void RaceCheck::begin_cta(const Dim3& index) {
    cta_number_ = index.x + grid_.x * (index.y + grid_.y * index.z);
    now_ = 1;
    std::fill(met_.begin(), met_.end(), 0);
    std::fill(acquired_.begin(), acquired_.end(), 0);
    arrivals_ = {};
    objects_.clear();
}

Dim3 RaceCheck::index_of(std::uint32_t cta) const {
    return {cta % grid_.x, cta / grid_.x % grid_.y, cta / grid_.x / grid_.y};
}

void RaceCheck::arrives(std::uint32_t warp, std::uint32_t barrier) {
    Arrival& arrival = arrivals_[barrier];
    arrival.warps |= 1U << warp;
    arrival.when[warp] = now_++;
}

// The waiting warps are now ordered behind what the arriving ones did before, and behind everything these were
// ordered behind.
void RaceCheck::opens(std::uint32_t barrier, std::uint32_t waiting) {
    const Arrival arrival = arrivals_[barrier];
    arrivals_[barrier] = {};
    std::vector<std::uint32_t> behind(warps_);
    std::uint32_t acquired = 0;
    for (std::uint32_t warp = 0; warp < warps_; ++warp) {
        if ((arrival.warps >> warp & 1U) == 0) {
            continue;
        }
        for (std::uint32_t other = 0; other < warps_; ++other) {
            behind[other] = std::max(behind[other], met(warp, other));
        }
        behind[warp] = std::max(behind[warp], arrival.when[warp]);
        acquired = std::max(acquired, acquired_[warp]);
    }
    for (std::uint32_t warp = 0; warp < warps_; ++warp) {
        if ((waiting >> warp & 1U) == 0) {
            continue;
        }
        for (std::uint32_t other = 0; other < warps_; ++other) {
            met(warp, other) = std::max(met(warp, other), behind[other]);
        }
        acquired_[warp] = std::max(acquired_[warp], acquired);
    }
    ++now_;
}

void RaceCheck::orders(std::uint32_t warp, bool is_fence) {
    if (is_fence) {
        fenced_[cta_number_] = now_;
    } else {
        met(warp, warp) = now_;
    }
    ++now_;
}

void RaceCheck::acquires(std::uint32_t warp) {
    acquired_[warp] = ++now_;
}

void RaceCheck::lets_out(std::uint32_t warp, std::uint64_t object) {
    std::vector<std::uint32_t>& behind = objects_[object];
    behind.resize(warps_);
    for (std::uint32_t other = 0; other < warps_; ++other) {
        behind[other] = std::max(behind[other], met(warp, other));
    }
    behind[warp] = now_++;
}

void RaceCheck::passes(std::uint32_t warp, std::uint64_t object) {
    const auto known = objects_.find(object);
    if (known == objects_.end()) {
        return;
    }
    for (std::uint32_t other = 0; other < warps_; ++other) {
        met(warp, other) = std::max(met(warp, other), known->second[other]);
    }
}

bool RaceCheck::ordered(const Touch& earlier, const Touch& now) {
    if (earlier.same_thread(now)) {
        return true;
    }
    const std::uint32_t warp = now.thread / kWarpLanes;
    if (earlier.cta == now.cta && earlier.when <= met(warp, earlier.thread / kWarpLanes)) {
        return true;
    }
    const auto fence = fenced_.find(earlier.cta);
    return fence != fenced_.end() && earlier.when <= fence->second && acquired_[warp] != 0 &&
           (earlier.cta != now.cta || acquired_[warp] > fence->second);
}

std::uint32_t RaceCheck::number_of(const Site& site) {
    const auto [at, is_new] = numbers_.try_emplace(site, static_cast<std::uint32_t>(sites_.size()));
    if (is_new) {
        sites_.push_back(site);
    }
    return at->second;
}

void RaceCheck::touch(const Access& access, const std::function<void(const Access&, const Touch&, bool)>& told) {
    Touch now;
    now.cta = cta_number_;
    now.when = now_;
    now.site = number_of(access.site);
    now.thread = static_cast<std::uint16_t>(access.warp * kWarpLanes + access.lane);
    now.strong = access.strong;
    const bool is_shared = access.space == StateSpace::kShared;
    const auto races = [&](const Touch& earlier) {
        return earlier.is_one() && !(earlier.strong && now.strong) && !(is_shared && earlier.cta != now.cta) &&
               !ordered(earlier, now);
    };
    (is_shared ? shared_ : global_)
        .each(access.address, access.bytes, [&](Cell& cell, std::uint64_t at, std::uint64_t unit) {
            if (!access.stores) {
                if (races(cell.writer)) {
                    told(access, cell.writer, true);
                }
                const bool is_first =
                    !cell.reader.is_one() || (is_shared && cell.reader.cta != now.cta) || ordered(cell.reader, now);
                (is_first ? cell.reader : cell.other) = now;
                return;
            }
            std::uint32_t value = 0;
            std::memcpy(&value, access.data.data() + at, unit);
            const bool is_same = cell.writer.site == now.site && cell.value == value;
            if (races(cell.writer) && !is_same) {
                told(access, cell.writer, true);
            }
            for (const Touch& reader : {cell.reader, cell.other}) {
                if (races(reader)) {
                    told(access, reader, false);
                }
            }
            cell.writer = now;
            cell.value = value;
        });
}

}  // namespace kymo::gpu::ptx
