#include "cli/ring/ring_options.h"

namespace kymo::cli {

void add_ring_options(CLI::App& app, ring::MeetingOptions& options) {
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

}  // namespace kymo::cli
