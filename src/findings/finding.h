// A finding: a defect (or an advantage) of the program, with its evidence, what is at stake, and a direction.
//
// Findings are data; terminal, page and JSON print the same ones. Plain values.
#pragma once

#include "base/index.h"
#include "base/time.h"
#include "spacetime/evidence/node.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace kymo::findings {

using spacetime::CounterIndex;
using spacetime::NodeIndex;

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// What the figures of a row are, and how `event` follows the word for it.
enum class Quantity : std::uint8_t {
    kNumber,     // "page-faults"
    kSeconds,    // "seconds waiting"; alone: "seconds"
    kSecondsOf,  // "seconds of user time"
    kShareOf,    // "share of it in which the sender is outside MPI"
};

// One feature measured on both sides. kUnknown if a figure makes no sense or was not tested.
struct EvidenceRow {
    std::string event;  // an event of the recording, a term of time, or another feature, in words
    double bad = kUnknown;
    double good = kUnknown;
    double ratio = kUnknown;   // bad / good
    double effect = kUnknown;  // Cliff's delta, −1 … 1
    double q = kUnknown;       // share of false ones expected among those at least as clear
    Quantity quantity = Quantity::kNumber;
};

inline bool is_time(const EvidenceRow& row) {
    return row.quantity == Quantity::kSeconds || row.quantity == Quantity::kSecondsOf;
}

// Rows of time, in seconds: of "work of one", or "waiting".
inline EvidenceRow seconds_of(std::string event, double bad, double good = kUnknown, double ratio = kUnknown) {
    return {.event = std::move(event), .bad = bad, .good = good, .ratio = ratio, .quantity = Quantity::kSecondsOf};
}
inline EvidenceRow seconds(std::string event, double bad, double good = kUnknown, double ratio = kUnknown) {
    return {.event = std::move(event), .bad = bad, .good = good, .ratio = ratio, .quantity = Quantity::kSeconds};
}
// A row of a share, 0 … 1: of "it in which the sender is outside MPI".
inline EvidenceRow share_of(std::string event, double bad) {
    return {.event = std::move(event), .bad = bad, .quantity = Quantity::kShareOf};
}

// Seconds of one thread.
struct ThreadTime {
    std::uint32_t thread = 0;  // index of Profile::threads
    double ns = 0;
    bool operator==(const ThreadTime&) const = default;
};

struct Finding {
    std::string kind;   // docs/findings.md
    std::string title;  // one sentence or a few, in plain words
    spacetime::Place place;
    NodeIndex node;
    std::vector<TimeRange> when;         // ascending; empty: the whole run
    std::vector<std::uint32_t> threads;  // index of Profile::threads, ascending

    // What is at stake, and no more: the explained excess. `seconds` is added up over threads; `share` is that of the
    // thread that lost most, by the run's duration: the time that it takes. What the run gains without it is below.
    double seconds = 0;
    double share = 0;
    double share_low = 0;  // lower bound of `share`: findings are ranked by it
    // What the run is expected to be shorter by without it, as shares: findings/expected_gain.h. kUnknown: of
    // advantages, and of findings that another program made.
    double gain_low = kUnknown;
    double gain_high = kUnknown;
    // False: it is ranked by how often something happens. Its cost is not known: the three above are 0, and
    // shown as unknown.
    bool is_cost_known = true;

    std::vector<EvidenceRow> evidence;
    // Tested: 1 − q. Otherwise: the part of `seconds` that is sure after the error of sampling.
    double confidence = 0;
    bool tested = false;  // false: too few to test, or a plain sum: accounted for exactly
    std::string direction;
    std::string confirm;       // an experiment
    bool is_compared = false;  // it rests on labels that chance could give too (slow, after a neighbour, a long gap);
                               // otherwise it is a sum of measurements, and the control has no part in it
    std::vector<Finding> also;  // other rules that fit the same time
};

// The number of findings by chance: the whole chain, on labels without meaning.
struct Control {
    std::size_t rounds = 0;
    double findings = 0;          // mean over the rounds
    std::size_t comparisons = 0;  // that could alarm
    std::size_t features = 0;     // events and other figures tested in all comparisons, at one rate of false ones
};

struct Judgement {
    std::vector<Finding> findings;    // most at stake first
    std::vector<Finding> advantages;  // likewise
    Control control;
    bool is_withheld = false;  // parts of the recording are lost: no findings were made
};

}  // namespace kymo::findings
