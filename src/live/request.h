// What the live view of many hosts requests of them: the standard metrics it shows, and those named by the user.
#pragma once

#include "base/resource.h"
#include "base/result.h"
#include "ring/protocol/layout.h"

#include <string>
#include <vector>

namespace kymo::live {

struct Asked {
    MetricAddress address;  // of the text; number kEvery for all objects
    ring::Entry entry;
};

// Places in a standard request, in the order of standard_request().
enum class Shown : std::size_t {
    kUser,
    kSystem,
    kLockWait,
    kWait,
    kVoluntary,
    kInvoluntary,
    kMinorFaults,
    kMajorFaults,
    kBusy,
    kIdle,
    kIoWait,
    kSteal,
    kMessages,
    kBytes,
    kBlocked,
    kServiceSent,
    kServiceReceived,
    kServiceSentBytes,
    kServiceReceivedBytes,
    kServiceWait,
    kServiceOpen,
    kCount
};

std::vector<Asked> standard_request();

// KIND/LEVEL/NUMBER/METRIC; the number may be * for all. kUsage.
Result<Asked> parse_asked(const std::string& text);
std::string to_text(const Asked& asked);

}  // namespace kymo::live
