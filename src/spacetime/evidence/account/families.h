// Run-time tax: what the libraries of the language and the system cost beneath the program's own code, by family.
//
// One line of the table a pattern, so that whoever finds a missing one adds a line. A function's family is that of
// the first pattern that its qualified name (own_code.h) or its module begins with. Names of the C library's inner
// functions are mostly stripped; then the caller's name decides, which is in the table as well.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::spacetime {

enum class TaxFamily : std::uint8_t {
    kNone,
    kAllocation,
    kCopying,
    kExceptions,
    kStrings,
    kFormatting,
    kRegex,
    kHashing,
    kTasks,
    kLocking,
    kReferenceCounts,
    kInterpreterLock,
    kMessages,
    kInputOutput,
    kClock,
    kStartEnd,  // start and end of the run-time libraries themselves: no tax on anything, and nothing to change
};
inline constexpr std::size_t kTaxFamilies = 16;

struct TaxInfo {
    TaxFamily family;
    std::string_view key;        // in JSON and as a finding's kind
    std::string_view words;      // "allocating memory"
    std::string_view direction;  // what to change; one sentence without a full stop
    std::string_view confirm;    // the experiment
};

struct TaxPattern {
    std::string_view begin;  // of the qualified name; empty: any function of the module
    TaxFamily family;
    std::string_view module = {};  // beginning of the load image's file name; empty: any
    std::string_view method = {};  // beginning of the name's last part; empty: any. A container's accessors, inlined
                                   // into a loop, are the loop's work
};

std::span<const TaxInfo> tax_families();     // by number of the family
std::span<const TaxPattern> tax_patterns();  // the first that fits decides
const TaxInfo& info_of(TaxFamily family);

// `function` as in the source, with parameters; `module`: the load image's file name. Pure; one comparison a pattern.
TaxFamily family_of(std::string_view function, std::string_view module);

}  // namespace kymo::spacetime
