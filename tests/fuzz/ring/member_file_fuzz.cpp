// Any text as a file of a rendezvous folder: refused, or what is read is such a file, and written again reads the
// same.
#include "ring/transport/member_file.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo::ring;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto member = parse_member(text)) {
        const auto again = parse_member(to_text(*member));
        if (!is_member_name(member->name) || !again || again->slot != member->slot ||
            again->endpoint != member->endpoint || again->incarnation != member->incarnation) {
            std::abort();
        }
    }
    if (const auto job = parse_job(text)) {
        const auto again = parse_job(to_text(*job));
        if (!again || again->job != job->job || again->keys.secret_key != job->keys.secret_key ||
            again->heartbeat_ms != job->heartbeat_ms) {
            std::abort();
        }
    }
    return 0;
}
