#include "ring/transport/host_list.h"

#include "base/line_words.h"
#include "base/time.h"
#include "ring/transport/library.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <sys/random.h>

namespace kymo::ring {
namespace {

constexpr std::string_view kScheme = "tcp://";

std::string address_of(const std::string& endpoint) {
    return endpoint.substr(kScheme.size());
}

// Only grows, as long as the host's wall clock is not set back by more than the member's downtime.
std::uint64_t new_incarnation() {
    return read_clock(CLOCK_REALTIME).ns;
}

}  // namespace

std::string to_text(const ListedJob& job) {
    std::string text = to_text(job.job) + "manager " + job.manager + "\n";
    for (const ListedHost& host : job.hosts) {
        text += fmt::format("host {} {}\n", host.name, host.endpoint);
    }
    return text;
}

std::optional<ListedJob> parse_listed_job(std::string_view text) {
    if (text.size() > kMaxListedJob) {
        return std::nullopt;
    }
    ListedJob listed;
    std::string head;
    std::set<std::string_view> names;
    std::set<std::string_view> endpoints;
    while (!text.empty()) {
        const std::string_view line = take_until(text, '\n');
        std::string_view rest = line;
        const std::string_view word = take_until(rest, ' ');
        if (word == "manager" && listed.manager.empty() && is_endpoint(rest) && endpoints.insert(rest).second) {
            listed.manager = rest;
        } else if (word == "host") {
            const std::string_view name = take_until(rest, ' ');
            if (!is_member_name(name) || !is_endpoint(rest) || !names.insert(name).second ||
                !endpoints.insert(rest).second || listed.hosts.size() >= kMaxListedHosts) {
                return std::nullopt;
            }
            listed.hosts.push_back({std::string(name), std::string(rest)});
        } else if (word == "manager" || head.size() + line.size() >= kMaxMemberFile) {
            return std::nullopt;
        } else {
            head += std::string(line) + "\n";
        }
    }
    const auto job = parse_job(head);
    if (!job || listed.manager.empty() || listed.hosts.empty()) {
        return std::nullopt;
    }
    listed.job = *job;
    return listed;
}

Result<ListedJob> HostList::make(ListedJob wanted, const std::function<Result<Keys>()>& make_keys) {
    JobFile& job = wanted.job;
    if (!job.plain) {
        const auto keys = make_keys();
        if (!keys) {
            return keys.error();
        }
        job.keys = *keys;
    }
    for (const ListedHost& host : wanted.hosts) {
        if (job.plain && !is_loopback(address_of(host.endpoint))) {
            return Error{ErrorKind::kUsage, "without encryption only the loopback may be used, not " + host.endpoint,
                         "leave --plain out"};
        }
    }
    if (getrandom(&job.job, sizeof job.job, 0) != static_cast<ssize_t>(sizeof job.job)) {
        return Error{ErrorKind::kPermission, "the kernel gives no random number for the job", ""};
    }
    if (!parse_listed_job(to_text(wanted))) {
        return Error{ErrorKind::kUsage, "invalid host list: a name or an address appears twice or is not valid",
                     "node1,node2=10.0.0.2,node3:27900; the manager's address and port are its own"};
    }
    return wanted;
}

Result<Claim> HostList::claim_slot(const std::string& name) const {
    const auto& hosts = job_.hosts;
    const auto found =
        std::find_if(hosts.begin(), hosts.end(), [&name](const ListedHost& host) { return host.name == name; });
    if (found == hosts.end()) {
        return Error{ErrorKind::kNotFound, "the job's list of hosts has no " + name,
                     "--name says which of them this is: " + hosts.front().name + (hosts.size() > 1 ? ", …" : "")};
    }
    return Claim{static_cast<Slot>(found - hosts.begin()), new_incarnation(), address_of(found->endpoint), {}};
}

Result<Claim> HostList::claim_manager() const {
    return Claim{kManager, new_incarnation(), address_of(job_.manager), {}};
}

Place::Roster HostList::roster() const {
    Roster roster;
    roster.slots = static_cast<std::uint32_t>(job_.hosts.size());
    for (Slot slot = 0; slot < roster.slots; ++slot) {
        roster.agents.push_back({slot, 0, job_.hosts[slot].name, job_.hosts[slot].endpoint});
    }
    roster.manager = MemberFile{kManager, 0, "manager", job_.manager};
    return roster;
}

}  // namespace kymo::ring
