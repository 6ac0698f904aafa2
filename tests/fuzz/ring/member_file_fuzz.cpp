// Any text as a file of a rendezvous folder, or as a job's that lists its hosts: refused, or what is read is such a
// file, and written again reads the same.
#include "ring/transport/host_list.h"

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
    if (const auto listed = parse_listed_job(text)) {
        const auto again = parse_listed_job(to_text(*listed));
        if (!again || again->manager != listed->manager || again->hosts.size() != listed->hosts.size() ||
            again->hosts.back().endpoint != listed->hosts.back().endpoint) {
            std::abort();
        }
    }
    return 0;
}
