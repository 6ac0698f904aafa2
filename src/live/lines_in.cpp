#include "live/lines_in.h"

#include <poll.h>
#include <unistd.h>

namespace kymo::live {

void LinesIn::take(const std::function<void(const std::string&)>& line) {
    pollfd in{STDIN_FILENO, POLLIN, 0};
    while (!ended_ && poll(&in, 1, 0) > 0) {
        char bytes[512];
        const ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
        if (got <= 0) {
            ended_ = true;
            break;
        }
        begun_.append(bytes, static_cast<std::size_t>(got));
        for (std::size_t end = begun_.find('\n'); end != std::string::npos; end = begun_.find('\n')) {
            if (end > 0) {
                line(begun_.substr(0, end));
            }
            begun_.erase(0, end + 1);
        }
        if (begun_.size() > kLongest) {
            begun_.clear();
        }
    }
}

}  // namespace kymo::live
