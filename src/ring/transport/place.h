// How members of a job find one another: the common part of a shared folder (rendezvous.h) and a list of hosts
// (host_list.h).
//
// A member claims its place, publishes its address, and looks up the others. A slot belongs to a name for the life
// of the job; each start under that name is a new incarnation, greater than those before.
#pragma once

#include "base/result.h"
#include "ring/transport/member_file.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kymo::ring {

// A lock held until this object is destroyed or the process ends.
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
    std::string address;  // address to listen at, IPV4:PORT; empty: any
    HeldLock lock;
};

class Place {
  public:
    struct Roster {
        std::vector<MemberFile> agents;  // by slot
        std::uint32_t slots = 0;         // the last slot and those before it
        std::optional<MemberFile> manager;
        std::uint32_t unreadable = 0;
    };

    Place() = default;
    Place(const Place&) = default;
    Place& operator=(const Place&) = default;
    virtual ~Place() = default;

    [[nodiscard]] virtual const JobFile& job() const = 0;
    // A place for an agent of that name, or for the manager. kOutputExists: a live member has it. kNotFound: there
    // is none for that name.
    [[nodiscard]] virtual Result<Claim> claim_slot(const std::string& name) const = 0;
    [[nodiscard]] virtual Result<Claim> claim_manager() const = 0;
    [[nodiscard]] virtual Result<void> publish(const MemberFile& member) const = 0;
    [[nodiscard]] virtual Roster roster() const = 0;
    // Changes whenever a member joins; cheap to read.
    [[nodiscard]] virtual std::uint64_t version() const = 0;
};

}  // namespace kymo::ring
