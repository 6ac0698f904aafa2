// Events by the kernel's own names: /sys/bus/event_source/devices. A device (PMU) has a type number, formats (which
// bits of which config word a term fills) and named events (lists of terms). Understood:
//
//     cpu/event=0x3c,umask=0x0/     terms by the device's format files; a term without value is 1
//     cpu/cache-misses/             one of the device's events, further terms may follow it
//     cpu/config=0x3c/              whole words: config, config1, config2
//     cache-misses                  an event of any processor device, by itself
//
// Every file is read up to 4 KiB and parsed within bounds. Devices that count a whole machine or socket and not a
// thread (those with a cpumask) are refused.
#pragma once

#include "base/result.h"
#include "events/session.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::events {

inline constexpr const char* kDevices = "/sys/bus/event_source/devices";

// True for DEVICE/TERMS/.
bool is_device_form(std::string_view name);

// Precondition: is_device_form(name). kUnknownEvent: no such device, event or term; kUsage: a bad value;
// kUnsupported: not of a thread.
Result<SessionEvent> device_event(std::string_view name, const std::filesystem::path& devices = kDevices);

// An event of a processor's device by its bare name.
std::optional<SessionEvent> bare_device_event(std::string_view name, const std::filesystem::path& devices = kDevices);

// All named events as DEVICE/EVENT/, sorted.
std::vector<std::string> device_event_names(const std::filesystem::path& devices = kDevices);

// One format file's text, for example "config:0-7,32-35": puts `value` into the word's bits, lowest bits first.
// False: not a format, or the value does not fit.
bool apply_format(std::string_view format, std::uint64_t value, SessionEvent& event);

}  // namespace kymo::events
