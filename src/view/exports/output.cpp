#include "view/exports/output.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace kymo::view {

void Output::flush() {
    std::size_t done = 0;
    while (error_ == 0 && done < buffer_.size()) {
        const ssize_t wrote = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
        if (wrote >= 0) {
            done += static_cast<std::size_t>(wrote);
        } else if (errno != EINTR) {
            error_ = errno;
        }
    }
    buffer_.clear();
}

Result<void> Output::finish() {
    flush();
    if (error_ != 0) {
        return Error{ErrorKind::kNoSpace, name_ + ": " + std::strerror(error_),
                     "nothing was left behind; make space or write elsewhere"};
    }
    return {};
}

}  // namespace kymo::view
