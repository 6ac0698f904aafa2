#include "cli/ring/meeting.h"

#include <arpa/inet.h>
#include <cmath>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

namespace kymo::cli {
namespace {

// Empty: there is none but the loopback's.
std::string first_address() {
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) != 0) {
        return {};
    }
    std::string found;
    for (const ifaddrs* each = all; each != nullptr && found.empty(); each = each->ifa_next) {
        if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET || (each->ifa_flags & IFF_UP) == 0 ||
            (each->ifa_flags & IFF_LOOPBACK) != 0) {
            continue;
        }
        char text[INET_ADDRSTRLEN] = "";
        const auto* address = reinterpret_cast<const sockaddr_in*>(each->ifa_addr);
        found = inet_ntop(AF_INET, &address->sin_addr, text, sizeof text) != nullptr ? text : "";
    }
    freeifaddrs(all);
    return found;
}

}  // namespace

void add_ring_options(CLI::App& app, RingOptions& options) {
    app.add_option("--rendezvous", options.folder,
                   "folder that all hosts share and only you may enter; made if missing")
        ->type_name("DIR");
    app.add_option("--address", options.address,
                   "listen at this address of the host (default: the first that is not the loopback's)")
        ->type_name("IPV4[:PORT]");
    app.add_flag("--plain", options.plain, "without encryption; on the loopback only");
    app.add_option("--heartbeat", options.heartbeat,
                   "of a new job: silence after which a member is passed over (default 2)")
        ->type_name("S")
        ->check(CLI::Range(0.1, 600.0));
}

Result<Meeting> meet(const RingOptions& options) {
    ring::JobFile wanted;
    wanted.plain = options.plain;
    wanted.heartbeat_ms = static_cast<std::uint32_t>(std::lround(options.heartbeat * 1000));
    auto rendezvous = ring::Rendezvous::open(options.folder, wanted, ring::make_keys);
    if (!rendezvous) {
        return rendezvous.error();
    }
    ring::ChannelSettings settings{options.address, rendezvous->job().keys};
    if (settings.address.empty()) {
        const std::string own = options.plain ? std::string() : first_address();
        settings.address = own.empty() ? "127.0.0.1" : own;
    }
    auto channels = ring::open_channels(settings);
    if (!channels) {
        return channels.error();
    }
    return Meeting{std::move(*rendezvous), std::move(*channels)};
}

}  // namespace kymo::cli
