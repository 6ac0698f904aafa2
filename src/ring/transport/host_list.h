// A job whose hosts are known from the start: no shared folder; a file with the list and the keys is copied to the
// hosts.
//
// The file (docs/ring-protocol.md, "A job's file") is the `job` file of a rendezvous folder, followed by the
// addresses of the manager and of each agent. Slots are in the list's order. Incarnations are not counted: the
// wall clock at the start serves as one. Bounded: 4 MiB, 16384 hosts.
#pragma once

#include "ring/transport/place.h"

#include <functional>
#include <string_view>

namespace kymo::ring {

inline constexpr std::size_t kMaxListedJob = std::size_t{4} << 20U;
inline constexpr std::size_t kMaxListedHosts = 16384;

struct ListedHost {
    std::string name;
    std::string endpoint;  // tcp://ADDRESS:PORT
};

struct ListedJob {
    JobFile job;
    std::string manager;  // endpoint
    std::vector<ListedHost> hosts;
};

std::string to_text(const ListedJob& job);
// Nothing: not such a file, or two hosts have the same name or endpoint.
std::optional<ListedJob> parse_listed_job(std::string_view text);

class HostList : public Place {
  public:
    explicit HostList(ListedJob job) : job_(std::move(job)) {}

    // Makes a job with a new number, and with keys unless it is plain. kUsage: plain, but not on the loopback.
    static Result<ListedJob> make(ListedJob wanted, const std::function<Result<Keys>()>& make_keys);

    [[nodiscard]] const std::vector<ListedHost>& hosts() const { return job_.hosts; }

    [[nodiscard]] const JobFile& job() const override { return job_.job; }
    [[nodiscard]] Result<Claim> claim_slot(const std::string& name) const override;
    [[nodiscard]] Result<Claim> claim_manager() const override;
    // The list contains it already.
    [[nodiscard]] Result<void> publish(const MemberFile& /*member*/) const override { return {}; }
    [[nodiscard]] Roster roster() const override;
    [[nodiscard]] std::uint64_t version() const override { return 1; }

  private:
    ListedJob job_;
};

}  // namespace kymo::ring
