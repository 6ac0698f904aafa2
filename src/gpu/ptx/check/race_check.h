// Which accesses of a launch are ordered, and which race.
//
// Warps are ordered by barriers (each warp keeps until when it has met each other one: a vector clock), lanes of a
// warp by __syncwarp(), any two threads by a fence after the one's access and an atomic or volatile access before
// the other's. Two atomic or volatile accesses do not race, nor does a store of the value that the same
// instruction has stored there for another thread.
//
// Contract: internal to Checker. One thread; CTAs one after another. Times are those of a CTA's clock, which
// advances at each ordering event. Sources: Lamport 1978 (clocks), Flanagan and Freund 2009 (FastTrack's last
// accesses).
#pragma once

#include "gpu/ptx/check/touches.h"
#include "gpu/ptx/execute/launch.h"
#include "gpu/ptx/select/compile.h"
#include "gpu/trace/kernel.h"

#include <array>
#include <functional>
#include <map>
#include <unordered_map>

namespace kymo::gpu::ptx {

struct Site {
    const Compiled* code = nullptr;
    std::uint32_t instruction = 0;
    auto operator<=>(const Site&) const = default;
};

struct Access {
    Site site;
    StateSpace space = StateSpace::kGlobal;  // not generic
    std::uint64_t address = 0;               // an offset in shared and local memory
    unsigned bytes = 0;
    unsigned lane = 0;
    std::uint32_t warp = 0;
    bool loads = false;
    bool stores = false;
    bool strong = false;
    std::array<std::uint8_t, 16> data{};  // what is stored
};

class RaceCheck {
  public:
    RaceCheck(const Launch& launch, std::uint32_t warps);

    void begin_cta(const Dim3& index);
    void arrives(std::uint32_t warp, std::uint32_t barrier);
    void opens(std::uint32_t barrier, std::uint32_t waiting);  // a bit a warp
    void orders(std::uint32_t warp, bool is_fence);            // or a __syncwarp
    void acquires(std::uint32_t warp);
    // Arrivals at an mbarrier, and warps that continue behind it. Earlier arrivals for a later phase than the
    // awaited one count too.
    void lets_out(std::uint32_t warp, std::uint64_t object);
    void passes(std::uint32_t warp, std::uint64_t object);
    // An access to global or shared memory. Calls `told` with each earlier access that this one races with, and
    // whether that wrote.
    void touch(const Access& access, const std::function<void(const Access&, const Touch&, bool)>& told);

    std::uint32_t cta_number() const { return cta_number_; }
    Dim3 index_of(std::uint32_t cta) const;
    const Site& site(std::uint32_t number) const { return sites_[number]; }

  private:
    struct Arrival {
        std::uint32_t warps = 0;  // a bit each
        std::array<std::uint32_t, 32> when{};
    };
    std::uint32_t& met(std::uint32_t warp, std::uint32_t other) { return met_[warp * warps_ + other]; }
    bool ordered(const Touch& earlier, const Touch& now);
    std::uint32_t number_of(const Site& site);

    Dim3 grid_;
    std::uint32_t warps_;
    std::uint32_t cta_number_ = 0;
    std::uint32_t now_ = 1;
    std::vector<std::uint32_t> met_;      // [warp][other]: the time of the other up to which it is ordered before
                                          // the warp
    std::array<Arrival, 16> arrivals_{};  // by barrier
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> objects_;  // by mbarrier: [other], as in met_
    std::vector<std::uint32_t> acquired_;  // of each warp: when it last read what a fence may have published; 0:
                                           // never
    std::unordered_map<std::uint32_t, std::uint32_t> fenced_;  // of each CTA: its last fence
    std::map<Site, std::uint32_t> numbers_;
    std::vector<Site> sites_;
    Touches shared_;
    Touches global_;
};

}  // namespace kymo::gpu::ptx
