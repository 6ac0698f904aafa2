#include "import/recorded_names.h"

#include "import/generated_code.h"

#include <array>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

namespace kymo::import {
namespace {

bool is_before(const timespec& one, const timespec& other) {
    return std::tie(one.tv_sec, one.tv_nsec) < std::tie(other.tv_sec, other.tv_nsec);
}

// When the file was made: copies are later than what they are of. None: the file system does not say.
std::optional<timespec> birth_of(const std::filesystem::path& file) {
    struct statx facts{};
    if (file == "-") {
        timespec now{};
        ::clock_gettime(CLOCK_REALTIME, &now);
        return now;
    }
    if (::statx(AT_FDCWD, file.c_str(), 0, STATX_BTIME, &facts) != 0 || (facts.stx_mask & STATX_BTIME) == 0) {
        return std::nullopt;
    }
    return timespec{facts.stx_btime.tv_sec, static_cast<long>(facts.stx_btime.tv_nsec)};
}

timespec boot_time() {
    timespec now{};
    timespec since{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    ::clock_gettime(CLOCK_BOOTTIME, &since);
    return {now.tv_sec - since.tv_sec, 0};
}

}  // namespace

RecordedNames::RecordedNames(const std::filesystem::path& file, const std::filesystem::path& symfs,
                             const std::filesystem::path& tmp)
    : directory_(symfs.empty() ? tmp : symfs / "tmp"), is_chosen_(!symfs.empty()), begun_(birth_of(file)) {
    if (begun_ && is_before(*begun_, boot_time())) {
        begun_.reset();
    }
}

void RecordedNames::set_host(std::string_view host) {
    std::array<char, 256> own{};
    ::gethostname(own.data(), own.size() - 1);
    is_other_host_ = !host.empty() && host != std::string_view(own.data());
}

// Why it is not to be believed; empty: it is.
std::string RecordedNames::refusal(const Descriptor& map) const {
    struct stat facts{};
    if (!map || ::fstat(map.number(), &facts) != 0) {
        return "is not there, or another user's";
    }
    if (is_chosen_) {
        return {};
    }
    if (is_other_host_ || !begun_) {
        return "may be another process's: the recording was made on another machine, or before this one was started";
    }
    return is_before(facts.st_mtim, *begun_) ? "may be another process's: it was last written before the recording"
                                             : "";
}

Descriptor RecordedNames::open(std::uint32_t pid) {
    // A link below --symfs must not lead out of it.
    const Descriptor directory(
        ::open(directory_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | (is_chosen_ ? O_NOFOLLOW : 0)));
    const auto owner = is_chosen_ ? std::optional<uid_t>() : std::optional<uid_t>(::geteuid());
    Descriptor map = directory ? open_perf_map(directory.number(), pid, owner) : Descriptor();
    const std::string why = refusal(map);
    if (why.empty()) {
        return map;
    }
    if (why_.empty()) {
        why_ = fmt::format("{} {}", (directory_ / perf_map_name(pid)).string(), why);
    }
    return {};
}

}  // namespace kymo::import
