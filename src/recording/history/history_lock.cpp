#include "recording/history/history_lock.h"

#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <sys/file.h>

namespace kymo::recording {
namespace {

Descriptor open_lock(const Folder& folder, int flags) {
    constexpr mode_t kMode = 0600;
    return Descriptor(openat(folder.descriptor(), kHistoryLock,
                             O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK | flags, kMode));
}

}  // namespace

std::shared_ptr<const Descriptor> hold_history(const Folder& folder) {
    constexpr int kTries = 500;
    constexpr timespec kPause{0, 10'000'000};
    Descriptor lock = open_lock(folder, 0);
    if (!lock) {
        return nullptr;
    }
    for (int tries = 0; flock(lock.number(), LOCK_SH | LOCK_NB) != 0; ++tries) {
        if (errno != EWOULDBLOCK || tries == kTries) {
            return nullptr;
        }
        nanosleep(&kPause, nullptr);
    }
    return std::make_shared<const Descriptor>(std::move(lock));
}

std::optional<Descriptor> take_history(const Folder& folder) {
    Descriptor lock = open_lock(folder, 0);
    if (!lock || flock(lock.number(), LOCK_EX | LOCK_NB) != 0) {
        return std::nullopt;
    }
    return lock;
}

bool make_history_lock(const Folder& folder) {
    const Descriptor lock = open_lock(folder, O_CREAT);
    return lock && (flock(lock.number(), LOCK_SH | LOCK_NB) == 0 || errno == EWOULDBLOCK);
}

}  // namespace kymo::recording
