#include "ring/meeting/meeting.h"

#include "ring/meeting/job_file.h"
#include "ring/meeting/own_addresses.h"
#include "ring/transport/rendezvous.h"

#include <cmath>
#include <unistd.h>

namespace kymo::ring {
namespace {

std::string host_name() {
    char name[65] = "";
    gethostname(name, sizeof name - 1);
    return is_member_name(name) ? name : "host";
}

Result<std::unique_ptr<Place>> place_of(const MeetingOptions& options, std::string& own_name) {
    if (!options.job.empty()) {
        auto job = read_job(options.job);
        if (!job) {
            return job.error();
        }
        const std::string listed = own_name_in(*job, host_name());
        own_name = listed.empty() ? host_name() : listed;
        return std::unique_ptr<Place>(std::make_unique<HostList>(std::move(*job)));
    }
    JobFile wanted;
    wanted.plain = options.plain;
    wanted.heartbeat_ms = static_cast<std::uint32_t>(std::lround(options.heartbeat * 1000));
    auto rendezvous = Rendezvous::open(options.folder, wanted, make_keys);
    if (!rendezvous) {
        return rendezvous.error();
    }
    own_name = host_name();
    return std::unique_ptr<Place>(std::make_unique<Rendezvous>(std::move(*rendezvous)));
}

// The address to listen at: the user's, the job's, or the host's first one.
std::string listening_address(const MeetingOptions& options, const Meeting& meeting) {
    if (!options.address.empty() || !meeting.claim.address.empty()) {
        return options.address.empty() ? meeting.claim.address : options.address;
    }
    const std::vector<std::string> own = meeting.place->job().plain ? std::vector<std::string>() : own_addresses();
    return own.empty() ? "127.0.0.1" : own.front();
}

Result<Meeting> meet(const MeetingOptions& options, bool is_agent, const std::string& name) {
    Meeting meeting;
    auto place = place_of(options, meeting.name);
    if (!place) {
        return place.error();
    }
    meeting.place = std::move(*place);
    meeting.name = !is_agent ? "manager" : name.empty() ? meeting.name : name;
    auto claim = is_agent ? meeting.place->claim_slot(meeting.name) : meeting.place->claim_manager();
    if (!claim) {
        return claim.error();
    }
    meeting.claim = std::move(*claim);
    auto channels = open_channels({listening_address(options, meeting), meeting.place->job().keys, meeting.claim.slot,
                                   meeting.place->job().settings().heartbeat});
    if (!channels) {
        Error error = channels.error();
        if (options.address.empty() && !meeting.claim.address.empty() && error.kind == ErrorKind::kPermission) {
            error.next = "that is the job's for " + meeting.name + ": does one run already?";
        }
        return error;
    }
    meeting.channels = std::move(*channels);
    if (const auto published = meeting.place->publish(
            {meeting.claim.slot, meeting.claim.incarnation, meeting.name, meeting.channels->endpoint()});
        !published) {
        return published.error();
    }
    return meeting;
}

}  // namespace

Result<Meeting> meet_as_agent(const MeetingOptions& options, const std::string& name) {
    return meet(options, true, name);
}

Result<Meeting> meet_as_manager(const MeetingOptions& options) {
    return meet(options, false, {});
}

}  // namespace kymo::ring
