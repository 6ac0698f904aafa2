// The common part of the rules about counted events: which may be reported, how clearly, and in what words.
#pragma once

#include "findings/cases/case.h"
#include "findings/rule.h"
#include "spacetime/event_classes/event_class.h"

#include <string>
#include <string_view>

namespace kymo::findings {

inline constexpr double kLargeEffect = 0.474;  // Cliff's delta (Romano and others, 2006)
inline constexpr double kLeastEvents = 10;     // in an occurrence
// Of the most that events can cost. Processors have several misses under way at once (Chou, Fahs, Abraham, 2004):
// four, say, if the code does not depend on each.
inline constexpr double kSureOfCost = 0.25;

// The class of a feature that may be reported as an event; null: it is not a counter, has a rule of its own, or
// more of it is just more work.
const spacetime::EventClass* class_of(const Case& subject, const Feature& feature);

// The terms of time that such events can be in.
TermSet costs_of(const spacetime::EventClass& known);

// Of a case's bad side, which lasts that many times longer: the counter that is clearly up beyond that, by wall
// time kMoreOften times, in whose terms of time kLeastInTerms of the excess is, and whose events could cost
// kLeastCovered of it, if their cost is known. Null: none. Clearest first: of several that rise together the first
// one is reported, and the rest are its evidence.
inline constexpr double kMoreOften = 1.5;
inline constexpr double kMoreOftenUntested = 3;
inline constexpr double kLeastInTerms = 0.5;
inline constexpr double kLeastCovered = 0.2;
const Feature* clearest_event(const Case& subject, double longer);

// " The data this code touches is not in the cache."; "" for an event that is only defined by the user.
std::string cause_words(const spacetime::EventClass& known);

// Of kSpace, whose features are rates, a second of processor time. Fewer than three occurrences are compared
// untested.
inline constexpr double kLeastRest = 0.05;  // of the processor time: less is nothing to compare with
inline constexpr double kMoreThere = 3;     // times as many as in the rest of the program
bool may_compare_spaces(const Case& subject);
bool crowds_in_space(const Case& subject, const Feature& feature);
// "20× as many cache-misses a second as the rest of the program"; of rates here and in the rest.
std::string against_rest_words(std::string_view event, double here, double rest);

// ns: costlier events are the kernel's time. Between two samples of the clock it may have been at any address.
inline constexpr double kMostOnProcessorNs = 1000;

inline constexpr double kMoreByNeighbour = 1.5;  // times as many in an occurrence beside one neighbour as otherwise

// " What one of these retries costs is not known."
std::string cost_not_known_words(std::string_view event);

// The claim's direction.
void say_what_to_do(const spacetime::EventClass& known, std::string_view event, Claim* claim);

inline constexpr std::string_view kEventDirection = "change what raises the event";
inline constexpr std::string_view kEventConfirm =
    "change the one place that raises the event most and record again: the time must fall with the count";

}  // namespace kymo::findings
