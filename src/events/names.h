// From a name to the kernel's numbers. Tried in this order: the kernel's own generic events, raw codes (rNNNN),
// DEVICE/TERMS/, bare names of the processor's devices, tracepoints (SYSTEM:NAME), libpfm. Nothing is opened here:
// that a name is known does not mean that this machine can count it (events/plan.h).
#pragma once

#include "base/result.h"
#include "events/request.h"
#include "events/session.h"
#include "events/sysfs.h"
#include "events/tracepoints.h"

#include <filesystem>
#include <string>
#include <vector>

namespace kymo::events {

// Where the kernel's names are read; tests give their own.
struct NamePlaces {
    std::filesystem::path devices = kDevices;
    std::vector<std::filesystem::path> tracing = tracing_folders();
};

// The event with mode, value and precision of the request; group and user_only are the plan's business.
// kUnknownEvent names the nearest known ones; kUnsupported if it belongs to another processor.
Result<SessionEvent> resolve(const Request& request, const NamePlaces& places = {});

// parse_request and resolve.
Result<SessionEvent> parse_event(std::string_view text, const NamePlaces& places = {});

// All names by kind, for listing and for suggestions.
struct KnownNames {
    std::vector<std::string> software;
    std::vector<std::string> hardware;   // the kernel's generic ones
    std::vector<std::string> devices;    // DEVICE/EVENT/
    std::vector<std::string> processor;  // libpfm
};
KnownNames known_names(const NamePlaces& places = {});

}  // namespace kymo::events
