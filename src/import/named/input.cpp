#include "import/named/input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace kymo::import::named {
namespace {

Error cannot_read(const std::string& name, int why) {
    return {why == ENOENT || why == ENOTDIR ? ErrorKind::kNotFound : ErrorKind::kPermission,
            fmt::format("{}: {}", name, std::strerror(why)), ""};
}

}  // namespace

Result<Input> Input::open(const std::filesystem::path& path) {
    const bool is_standard = path == "-";
    std::string name = is_standard ? "standard input" : path.string();
    Descriptor file(is_standard ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                                : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status{};
    if (!file || ::fstat(file.number(), &status) != 0) {
        return cannot_read(name, errno);
    }
    if (S_ISDIR(status.st_mode)) {
        return cannot_read(name, EISDIR);
    }
    const auto size = S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
    return Input(std::move(file), std::move(name), size);
}

Result<bool> Input::fill() {
    for (;;) {
        const std::size_t room = std::min<std::uint64_t>(block_.size() - filled_, left_);
        const ssize_t got = ::read(file_.number(), block_.data() + filled_, room);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return cannot_read(name_, errno);
        }
        filled_ += static_cast<std::size_t>(got);
        left_ -= static_cast<std::uint64_t>(got);
        return got > 0;
    }
}

Result<std::span<const std::uint8_t>> Input::peek(std::size_t bytes) {
    bytes = std::min(bytes, block_.size());
    while (filled_ < bytes) {
        const auto more = fill();
        if (!more) {
            return more.error();
        }
        if (!*more) {
            break;
        }
    }
    return std::span<const std::uint8_t>(block_.data(), std::min(bytes, filled_));
}

Result<std::span<const std::uint8_t>> Input::next() {
    if (filled_ == 0) {
        if (const auto more = fill(); !more) {
            return more.error();
        }
    }
    const std::size_t count = std::exchange(filled_, 0);
    given_ += count;
    return std::span<const std::uint8_t>(block_.data(), count);
}

double Input::share() const {
    return size_ == 0 ? 0 : std::min(1.0, static_cast<double>(given_) / static_cast<double>(size_));
}

}  // namespace kymo::import::named
