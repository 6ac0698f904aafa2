#include "import/perf/input.h"

#include "import/perf/spool.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace kymo::import::perf {
namespace {

namespace fs = std::filesystem;

Error refused(const std::string& name, int why) {
    return {why == ENOENT || why == ENOTDIR ? ErrorKind::kNotFound : ErrorKind::kPermission,
            fmt::format("{}: {}", name, std::strerror(why)), ""};
}

// perf record --threads writes a file for each of its threads, data.0 and so on.
bool is_of_several_threads(const fs::path& folder) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename();
        if (name.starts_with("data.") && name.size() > 5 &&
            std::all_of(name.begin() + 5, name.end(), [](char at) { return at >= '0' && at <= '9'; })) {
            return true;
        }
    }
    return false;
}

Result<Input> copy_of_pipe(int pipe, const std::string& name) {
    auto spool = Spool::make();
    if (!spool) {
        return spool.error();
    }
    std::vector<std::uint8_t> buffer(std::size_t{256} << 10);
    for (;;) {
        const ssize_t got = ::read(pipe, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return refused(name, errno);
        }
        if (got == 0) {
            break;
        }
        const std::size_t count = static_cast<std::size_t>(got);
        if (!spool->has_room(count)) {
            return Error{ErrorKind::kNoSpace, fmt::format("{} has more than 16 GiB", name),
                         "write it to a file and name that"};
        }
        if (auto done = spool->append({buffer.data(), count}); !done) {
            return done.error();
        }
    }
    const std::uint64_t size = spool->size();
    return Input{BlockFile(spool->release(), size), name};
}

Result<Input> input_of(Descriptor file, const std::string& name) {
    struct stat status{};
    if (::fstat(file.number(), &status) != 0) {
        return refused(name, errno);
    }
    if (!S_ISREG(status.st_mode)) {
        return copy_of_pipe(file.number(), name);
    }
    const int number = file.number();
    BlockFile made(std::move(file), static_cast<std::uint64_t>(status.st_size));
    if (!made.can_be_mapped()) {
        ::lseek(number, 0, SEEK_SET);
        return copy_of_pipe(number, name);
    }
    return Input{std::move(made), name};
}

}  // namespace

Result<Input> open_input(const fs::path& path) {
    if (path == "-") {
        const int file = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        return file < 0 ? refused("standard input", errno) : input_of(Descriptor(file), "standard input");
    }
    std::error_code unseen;
    fs::path of = path;
    if (fs::is_directory(path, unseen)) {
        if (is_of_several_threads(path)) {
            return Error{ErrorKind::kUnsupported,
                         fmt::format("{} is a directory of perf record --threads", path.string()),
                         "record without --threads"};
        }
        of /= "data";
    }
    Descriptor file(::open(of.c_str(), O_RDONLY | O_CLOEXEC));
    return file ? input_of(std::move(file), path.string()) : refused(of.string(), errno);
}

}  // namespace kymo::import::perf
