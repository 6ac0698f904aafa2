// How members of a job find one another in a folder that all hosts share and no other user may enter.
//
// It holds `job` (the keys; made by the first member), `slot-N` for each agent and `manager`. Files are 0600 and
// are replaced whole. A slot belongs to a name: a member that restarts under it gets the slot again, with the next
// incarnation. While a member of that name lives (it holds slot-N.lock), a second is refused. Folders that other
// users may enter are refused.
#pragma once

#include "ring/transport/place.h"

#include <filesystem>
#include <functional>

namespace kymo::ring {

class Rendezvous : public Place {
  public:
    // Makes the folder and the job unless they exist. kPermission, kMalformed, kNotFound. `wanted`: settings of a
    // new job (its keys are made here); for an existing job its file counts, except that plain must be the same.
    static Result<Rendezvous> open(const std::filesystem::path& folder, const JobFile& wanted,
                                   const std::function<Result<Keys>()>& make_keys);

    [[nodiscard]] const JobFile& job() const override { return job_; }
    [[nodiscard]] Result<Claim> claim_slot(const std::string& name) const override;
    [[nodiscard]] Result<Claim> claim_manager() const override;
    [[nodiscard]] Result<void> publish(const MemberFile& member) const override;
    [[nodiscard]] Roster roster() const override;
    [[nodiscard]] std::uint64_t version() const override;

  private:
    Rendezvous(std::filesystem::path folder, JobFile job) : folder_(std::move(folder)), job_(std::move(job)) {}
    std::filesystem::path folder_;
    JobFile job_;
};

}  // namespace kymo::ring
