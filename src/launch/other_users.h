// Processes of the recorded tree that run as another user, so cannot be measured: a recording's folder is private
// to its owner, and so may be the folder of Kymo itself. A server that is started through setpriv or su is an
// example: its recording would be empty, and without a message the reason would be unknown.
//
// Fed with the kernel's records; checks live processes a few times a second. A process that was measured before it
// changed its user goes on being measured and is not reported. Single-threaded.
#pragma once

#include "events/plan.h"
#include "launch/kernel_record.h"
#include "recording/folder.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kymo::launch {

// A process that is not measured because of its user.
struct BarredProcess {
    std::uint64_t time = 0;
    std::uint32_t pid = 0;
    std::string path;      // of its program's file
    std::string obstacle;  // in words that follow the program's name
};

class OtherUsers {
  public:
    // `monitor`: the library that is preloaded. Both outlive this object.
    OtherUsers(const recording::Folder& folder, const std::filesystem::path& monitor);

    void take(const KernelRecord& record);
    // The processes since the last call.
    std::vector<BarredProcess> look();

    // One for each user, for the recording and for the user at the terminal.
    [[nodiscard]] std::vector<events::Missing> missing() const;

  private:
    struct User {
        std::uint64_t processes = 0;
        bool reads_monitor = true;
    };

    const std::filesystem::path& monitor_;
    uid_t owner_ = 0;                               // of the folder
    std::map<std::uint32_t, std::uint64_t> fresh_;  // to be examined, by process: since when
    std::map<uid_t, User> users_;
};

}  // namespace kymo::launch
