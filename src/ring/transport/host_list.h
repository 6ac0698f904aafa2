// A job whose hosts are known from the start: no folder is shared, a file with the list and the keys is copied to
// them.
//
// The file (docs/ring-protocol.md, "A job's file") is that of a rendezvous folder's `job`, and behind it where the
// manager and each agent listen. Slots are the list's order. Nobody keeps count of incarnations: the wall clock at
// the start is one. Bounded: 4 MiB, 16384 hosts.
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
// Nothing: it is no such file, or two hosts have one name or one endpoint.
std::optional<ListedJob> parse_listed_job(std::string_view text);

class HostList : public Place {
  public:
    explicit HostList(ListedJob job) : job_(std::move(job)) {}

    // A new one: with a number of its own, and keys unless it is plain. kUsage: plain, but not on the loopback.
    static Result<ListedJob> make(ListedJob wanted, const std::function<Result<Keys>()>& make_keys);

    [[nodiscard]] const std::vector<ListedHost>& hosts() const { return job_.hosts; }

    [[nodiscard]] const JobFile& job() const override { return job_.job; }
    [[nodiscard]] Result<Claim> claim_slot(const std::string& name) const override;
    [[nodiscard]] Result<Claim> claim_manager() const override;
    // It is known already.
    [[nodiscard]] Result<void> publish(const MemberFile& /*member*/) const override { return {}; }
    [[nodiscard]] Roster roster() const override;
    [[nodiscard]] std::uint64_t version() const override { return 1; }

  private:
    ListedJob job_;
};

}  // namespace kymo::ring
