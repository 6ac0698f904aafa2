#include "confirm/aside.h"

#include <fcntl.h>
#include <unistd.h>

namespace kymo::confirm {

Aside::Aside(const std::filesystem::path& directory) : before_(std::filesystem::current_path(failed_)) {
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (std::size_t i = 0; i < saved_.size(); ++i) {
        const auto descriptor = static_cast<int>(i);
        saved_[i] = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
        if (nowhere >= 0) {
            (void)dup2(nowhere, descriptor);
        }
    }
    if (nowhere >= 0) {
        (void)close(nowhere);
    }
    std::filesystem::current_path(directory, failed_);
}

Aside::~Aside() {
    for (std::size_t i = 0; i < saved_.size(); ++i) {
        const auto descriptor = static_cast<int>(i);
        (void)(saved_[i] >= 0 ? dup2(saved_[i], descriptor) : close(descriptor));
        if (saved_[i] >= 0) {
            (void)close(saved_[i]);
        }
    }
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
}

}  // namespace kymo::confirm
