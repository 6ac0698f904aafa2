// Checks a launch for reads of uninitialised data and for races.
//
// Registers: an uninitialised value passes through moves, selections and packing unnoticed, and is reported where
// anything else uses it. Memory is reported where it is loaded. Races: race_check.h.
//
// Contract: internal to CtaRunner, which calls before() and after() around each operation, with its log, and
// reports barriers and calls to it. One thread. Each line, or pair of lines, is reported once and counted.
#pragma once

#include "gpu/ptx/check/check.h"
#include "gpu/ptx/check/race_check.h"
#include "gpu/ptx/check/written_bytes.h"
#include "gpu/ptx/execute/device_memory.h"
#include "gpu/ptx/select/compile.h"

#include <functional>
#include <map>
#include <tuple>

namespace kymo::gpu::ptx {

struct LaunchParts;

class Checker {
  public:
    Checker(Checks checks, const LaunchParts& parts, std::uint32_t warps, std::uint64_t shared_bytes,
            std::uint64_t local_bytes);

    void begin_cta(const Dim3& index);
    void enter(const Warp& warp, const Compiled& code, std::uint32_t mask, std::uint64_t local_at);
    void leave(const Warp& warp) { frames_[warp.strand].pop_back(); }
    // Lanes of a strand continue by themselves, from `frames` of its calls; or as lanes of another strand.
    void split(const Warp& from, const Warp& into, std::size_t frames);
    void join(const Warp& from, const Warp& into, std::uint32_t lanes);
    // `mask`: the block's lanes; `lanes`: those whose guard lets them.
    void before(const Warp& warp, const Compiled& code, std::size_t op, std::uint32_t mask, std::uint32_t lanes);
    void after(const Warp& warp, const Compiled& code, std::size_t op, std::uint32_t lanes);
    // What the end of a block reads: predicates, indices, pointers; what a barrier gives is written.
    void at_end(const Warp& warp, const Compiled& code, const Block& block, std::uint32_t mask);
    // A warp comes to a barrier with the lanes of `mask`, or to an operation that names `members`; `running`: its
    // lanes that have not ended.
    void at_barrier(const Warp& warp, const Compiled& code, const Block& block, std::uint32_t mask,
                    std::uint32_t running);
    void at_members(const Warp& warp, const Compiled& code, std::size_t op, std::uint32_t lanes,
                    std::uint32_t members, std::uint32_t running);
    bool watches_barriers() const { return checks_.barriers; }
    void arrives(std::uint32_t warp, std::uint32_t barrier) { races_.arrives(warp, barrier); }
    void opens(std::uint32_t barrier, std::uint32_t waiting) { races_.opens(barrier, waiting); }
    // A warp continues behind the arrivals at the mbarrier at that place in shared memory.
    void passes(std::uint32_t warp, std::uint64_t object) { races_.passes(warp, object); }
    const std::vector<Defect>& defects() const { return defects_; }

  private:
    void check_uses(const Warp& warp, const Compiled& code, UseRange uses, std::uint32_t instruction,
                    std::uint32_t mask, std::uint32_t lanes, bool passes);
    void results(const Warp& warp, const Compiled& code, UseRange uses, std::uint32_t lanes);
    static std::uint64_t bits_at(const Warp& warp, std::uint32_t place, unsigned lane, unsigned bits);
    void data_of(const Warp& warp, const Compiled& code, const OpFacts& facts, Access& access) const;
    void object(const Warp& warp, const Compiled& code, std::size_t op, std::uint32_t lanes);
    void bulk_copy(const Warp& warp, const Op& op, Access access);
    void touch(Access access, StateSpace space, std::uint64_t address);
    void check_written(const Access& access);
    void race(const Access& access, const Touch& earlier, bool earlier_wrote);
    std::string words(const Site& site) const;
    Dim3 thread_index(std::uint32_t thread) const;
    static std::string triple(const Dim3& dim);
    const std::string& place(const Site& site);
    void tell(Defect::Kind kind, const Site& site, const std::string& other, std::uint32_t lanes, std::uint32_t warp,
              const std::function<std::string()>& what);

    Checks checks_;
    const LaunchParts& parts_;
    std::uint32_t warps_;
    std::uint64_t local_bytes_;
    Dim3 cta_;
    // A strand's frames' registers by their numbers: lanes in which nothing has written them.
    std::vector<std::vector<std::vector<std::uint32_t>>> frames_;
    std::uint32_t passed_ = 0;  // lanes in which the present operation passes on an uninitialised value
    WrittenBytes shared_written_;
    std::uint64_t shared_bytes_;
    std::vector<WrittenBytes> local_written_;  // of each warp, lane after lane
    RaceCheck races_;
    std::map<std::tuple<Defect::Kind, std::string, std::string>, std::size_t> numbers_;
    std::map<Site, std::string> places_;
    std::vector<Defect> defects_;
};

}  // namespace kymo::gpu::ptx
