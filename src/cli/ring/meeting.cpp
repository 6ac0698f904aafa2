#include "cli/ring/meeting.h"

#include "cli/ring/job_file.h"
#include "cli/ring/own_addresses.h"
#include "ring/transport/rendezvous.h"

#include <cmath>
#include <unistd.h>

namespace kymo::cli {
namespace {

std::string host_name() {
    char name[65] = "";
    gethostname(name, sizeof name - 1);
    return ring::is_member_name(name) ? name : "host";
}

Result<std::unique_ptr<ring::Place>> place_of(const RingOptions& options, std::string& own_name) {
    if (!options.job.empty()) {
        auto job = read_job(options.job);
        if (!job) {
            return job.error();
        }
        const std::string listed = own_name_in(*job, host_name());
        own_name = listed.empty() ? host_name() : listed;
        return std::unique_ptr<ring::Place>(std::make_unique<ring::HostList>(std::move(*job)));
    }
    ring::JobFile wanted;
    wanted.plain = options.plain;
    wanted.heartbeat_ms = static_cast<std::uint32_t>(std::lround(options.heartbeat * 1000));
    auto rendezvous = ring::Rendezvous::open(options.folder, wanted, ring::make_keys);
    if (!rendezvous) {
        return rendezvous.error();
    }
    own_name = host_name();
    return std::unique_ptr<ring::Place>(std::make_unique<ring::Rendezvous>(std::move(*rendezvous)));
}

// The address to listen at: the user's, the job's, or the host's first one.
std::string address_of(const RingOptions& options, const Meeting& meeting) {
    if (!options.address.empty() || !meeting.claim.address.empty()) {
        return options.address.empty() ? meeting.claim.address : options.address;
    }
    const std::vector<std::string> own = meeting.place->job().plain ? std::vector<std::string>() : own_addresses();
    return own.empty() ? "127.0.0.1" : own.front();
}

Result<Meeting> meet(const RingOptions& options, bool is_agent, const std::string& name) {
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
    auto channels = ring::open_channels({address_of(options, meeting), meeting.place->job().keys, meeting.claim.slot,
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

void add_ring_options(CLI::App& app, RingOptions& options) {
    CLI::Option* const folder =
        app.add_option("--rendezvous", options.folder,
                       "directory that all hosts share and only you may enter; made if missing")
            ->type_name("DIR");
    app.add_option("--job", options.job,
                   "instead: the job's file, of which each host has a copy (kymo agent --hosts makes it); -: "
                   "standard input")
        ->type_name("FILE")
        ->excludes(folder);
    app.add_option("--address", options.address,
                   "listen at this address of the host (default: the job's, or the first that is not the loopback's)")
        ->type_name("IPV4[:PORT]");
    app.add_flag("--plain", options.plain, "of a new job: without encryption; on the loopback only");
    app.add_option("--heartbeat", options.heartbeat,
                   "of a new job: silence after which a member is passed over (default 2)")
        ->type_name("S")
        ->check(CLI::Range(0.1, 600.0));
}

Result<Meeting> meet_as_agent(const RingOptions& options, const std::string& name) {
    return meet(options, true, name);
}

Result<Meeting> meet_as_manager(const RingOptions& options) {
    return meet(options, false, {});
}

}  // namespace kymo::cli
