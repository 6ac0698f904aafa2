// Who is right about a call path, and a tally of who was not.
//
// Four witnesses: the unwinder under test and three independent ones. The path is *settled* when two of the three
// independent ones agree on a complete path. Where the unwinder under test says otherwise, that is a mismatch. Where
// no two agree, the path is unsettled, and that is a failure too, until somebody has looked at the disassembly and
// written into known_cases.cpp which witness errs there: it then has no vote at that place. An independent witness
// that is outvoted, or gives up, is counted and listed.
#pragma once

#include "call_path.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::oracle {

enum Witness : std::size_t { kKymo, kLibunwind, kElfutils, kShadow, kWitnesses };
constexpr std::array<std::string_view, kWitnesses> kWitnessNames = {"kymo", "libunwind", "elfutils", "shadow"};

using Testimony = std::array<CallPath, kWitnesses>;

// What the judge wants to know about an address.
class Names {
  public:
    virtual ~Names() = default;
    virtual std::string describe(std::uint64_t address) const = 0;     // "name+0x12 (file)"
    virtual std::string function_at(std::uint64_t address) const = 0;  // empty: unknown
    virtual bool is_described(std::uint64_t address) const = 0;        // by call-frame information
};

class Judge {
  public:
    // `names` must outlive the judge. `verbose`: also print the first case of each place where an oracle is outvoted.
    Judge(std::string program, const Names& names, bool verbose);

    // False: the unwinder under test is wrong, or the path is unsettled. Prints the first case of each place.
    bool hear(const Testimony& testimony);

    void print_summary() const;
    std::size_t failures() const { return mismatches_ + unsettled_; }

  private:
    struct Place {
        std::size_t count = 0;
        std::string known;  // why, if known_cases.cpp says so
    };
    std::vector<const CallPath*> voters(const Testimony& testimony) const;
    std::string_view why_known(Witness witness, const PathFrame& at) const;
    bool unsettled(const Testimony& testimony, const std::vector<const CallPath*>& paths);
    void outvoted(const Testimony& testimony, Witness witness, const CallPath& truth);
    void print(const Testimony& testimony, std::string_view verdict) const;

    std::string program_;
    const Names& names_;
    bool verbose_;
    std::size_t heard_ = 0;
    std::size_t unanimous_ = 0;
    std::size_t mismatches_ = 0;
    std::size_t unsettled_ = 0;
    std::size_t uncharted_ = 0;
    std::size_t unknowable_ = 0;
    std::size_t recovered_ = 0;                      // of those, how many paths a voter confirms all the same
    std::array<std::size_t, kWitnesses> wrong_{};    // outvoted with a complete path
    std::array<std::size_t, kWitnesses> gave_up_{};  // outvoted with an incomplete one
    std::map<std::string, Place> places_;            // by witness and function, for kymo by instruction
};

}  // namespace kymo::oracle
