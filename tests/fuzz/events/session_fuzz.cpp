// Any text as a session: it is refused, or it is within every bound and can be written and read again.
#include "events/session.h"
#include "events/session_file.h"

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
    static Session session;
    static Session again;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (parse_session(text, session) != SessionError::kNone) {
        return 0;
    }
    require(session.event_count >= 1 && session.event_count <= kMaxEvents);
    require(session.signal >= 1 && session.signal <= 64);
    require(std::memchr(session.library, 0, sizeof session.library) != nullptr);
    for (std::uint32_t i = 0; i < session.event_count; ++i) {
        const SessionEvent& event = session.events[i];
        require(std::memchr(event.name, 0, sizeof event.name) != nullptr && event.name[0] != '\0');
        require(event.group < kMaxEvents && event.precise <= 3 && event.samples() == (event.value != 0));
    }
    // What was read can be written, and reads the same.
    const auto written = format_session(session);
    require(written.ok());
    require(parse_session(*written, again) == SessionError::kNone);
    require(again.event_count == session.event_count && again.max_bytes == session.max_bytes);
    return 0;
}
