#include "launch/record_reach.h"

#include <string>

namespace kymo::launch {

std::vector<RecordReach> record_reaches(unsigned processors, bool rank_of_job, std::string_view asked) {
    if (asked == "inherited") {
        return {RecordReach::kInherited};
    }
    if (asked == "machine") {
        return {RecordReach::kWholeMachine};
    }
    if (asked == "own") {
        return {RecordReach::kOwn};
    }
    if (asked == "none") {
        return {};
    }
    if (processors <= kMostInherited) {
        return {RecordReach::kInherited};
    }
    if (rank_of_job) {
        return {RecordReach::kOwn};
    }
    return {RecordReach::kWholeMachine, RecordReach::kOwn};
}

events::Refusal why_not_inherited(unsigned processors, bool rank_of_job, std::string_view asked) {
    constexpr unsigned kMicroseconds = 5;
    if (asked == "none") {
        return {"KYMO_KERNEL_RECORDS=none is set", "unset KYMO_KERNEL_RECORDS"};
    }
    if (asked == "machine") {
        return {"KYMO_KERNEL_RECORDS=machine is set, and this user may not have the whole machine's",
                "unset KYMO_KERNEL_RECORDS; or run as root, or sudo sysctl kernel.perf_event_paranoid=0"};
    }
    if (asked == "own") {
        return {"KYMO_KERNEL_RECORDS=own is set", "unset KYMO_KERNEL_RECORDS"};
    }
    const std::string cost = "on " + std::to_string(processors) + " processors they would cost every new thread " +
                             std::to_string(kMicroseconds * processors) + " µs";
    const std::string still = "set KYMO_KERNEL_RECORDS=inherited to have them at that price";
    return {cost, rank_of_job ? still : "run as root, or sudo sysctl kernel.perf_event_paranoid=0; or " + still};
}

}  // namespace kymo::launch
