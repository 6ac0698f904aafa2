// Where members of a job find one another: a folder that all hosts share and nobody else may enter.
//
// It holds `job` (the keys; made by the first member), `slot-N` for each agent and `manager`. Files are 0600 and are
// replaced whole. A slot belongs to a name: who comes back under it gets it again, with the next incarnation; while
// one of a name lives (it holds slot-N.lock) there is no second. Folders that others may enter are refused.
#pragma once

#include "base/result.h"
#include "ring/transport/member_file.h"

#include <filesystem>
#include <functional>
#include <vector>

namespace kymo::ring {

// A lock held until this object is gone, or the process.
class HeldLock {
  public:
    HeldLock() = default;
    explicit HeldLock(int descriptor) : descriptor_(descriptor) {}
    HeldLock(HeldLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    HeldLock& operator=(HeldLock&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~HeldLock();

  private:
    int descriptor_ = -1;
};

struct Claim {
    Slot slot = 0;
    std::uint64_t incarnation = 1;
    HeldLock lock;
};

class Rendezvous {
  public:
    // Makes the folder and the job where they are not there yet. kPermission, kMalformed, kNotFound.
    // `wanted`: what a new job is to be (its keys are made here); of one that is there the file counts, but for
    // plain, which must be the same.
    static Result<Rendezvous> open(const std::filesystem::path& folder, const JobFile& wanted,
                                   const std::function<Result<Keys>()>& make_keys);

    [[nodiscard]] const JobFile& job() const { return job_; }

    // A place for an agent of that name, or the manager's. kOutputExists: one is there and lives.
    [[nodiscard]] Result<Claim> claim_slot(const std::string& name) const;
    [[nodiscard]] Result<Claim> claim_manager() const;
    [[nodiscard]] Result<void> publish(const MemberFile& member) const;

    struct Roster {
        std::vector<MemberFile> agents;  // by slot
        std::uint32_t slots = 0;         // the last slot and those before it
        std::optional<MemberFile> manager;
        std::uint32_t unreadable = 0;
    };
    [[nodiscard]] Roster roster() const;
    // Changes whenever a member has come: cheap to ask.
    [[nodiscard]] std::uint64_t version() const;

  private:
    Rendezvous(std::filesystem::path folder, JobFile job) : folder_(std::move(folder)), job_(std::move(job)) {}
    std::filesystem::path folder_;
    JobFile job_;
};

}  // namespace kymo::ring
