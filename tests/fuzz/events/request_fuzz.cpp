// Any text as an event asked for, as a format of a device, and as a tracepoint: a value or an error of one line.
#include "events/generic.h"
#include "events/request.h"
#include "events/suggest.h"
#include "events/sysfs.h"
#include "events/tracepoints.h"

#include <cstdlib>
#include <cstring>

namespace {

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo::events;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto request = parse_request(text)) {
        require(!request->name.empty() && request->name.size() < kEventNameBytes);
        require((request->mode == Mode::kCount) == (request->value == 0) && request->precise <= 3);
        require(request->name.find_first_of(" \n\t") == std::string::npos);
        raw_event(request->name);
        generic_event(request->name);
        // No name leads out of the folders it is looked for in.
        if (is_tracepoint_form(request->name)) {
            require(request->name.find_first_of("/.") == std::string::npos);
        }
        if (is_device_form(request->name)) {
            require(!device_event(request->name, "/nonexistent"));
        }
    } else {
        require(!request.error().next.empty());
    }
    SessionEvent event;
    if (!apply_format(text.substr(0, 200), 0x5A, event)) {
        require(event.config == 0 && event.config1 == 0 && event.config2 == 0);
    }
    require(edit_distance(text.substr(0, 40), text.substr(0, 40)) == 0);
    return 0;
}
