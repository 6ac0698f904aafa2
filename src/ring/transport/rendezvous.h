// Where members of a job find one another: a folder that all hosts share and nobody else may enter.
//
// It holds `job` (the keys; made by the first member), `slot-N` for each agent and `manager`. Files are 0600 and are
// replaced whole. A slot belongs to a name: who comes back under it gets it again, with the next incarnation; while
// one of a name lives (it holds slot-N.lock) there is no second. Folders that others may enter are refused.
#pragma once

#include "ring/transport/place.h"

#include <filesystem>
#include <functional>

namespace kymo::ring {

class Rendezvous : public Place {
  public:
    // Makes the folder and the job where they are not there yet. kPermission, kMalformed, kNotFound.
    // `wanted`: what a new job is to be (its keys are made here); of one that is there the file counts, but for
    // plain, which must be the same.
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
