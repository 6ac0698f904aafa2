#include "ring/transport/rendezvous.h"

#include "base/line_words.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::ring {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read_small(const fs::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) {
        return std::nullopt;
    }
    std::string text(kMaxMemberFile + 1, '\0');
    const ssize_t size = ::read(file, text.data(), text.size());
    ::close(file);
    if (size < 0) {
        return std::nullopt;
    }
    text.resize(static_cast<std::size_t>(size));
    return text;
}

Error broken(const std::string& what, const fs::path& path) {
    return {ErrorKind::kPermission, what + " " + path.string() + ": " + std::strerror(errno),
            "the directory must be on a file system that all hosts share, and writable"};
}

// 0600, with all of the text, under a name that is unique over all hosts; empty: errno has the reason.
fs::path write_aside(const fs::path& path, const std::string& text) {
    std::uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random)) {
        return {};
    }
    const fs::path aside = path.string() + "." + std::to_string(random) + ".new";
    const int file = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        return {};
    }
    const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    return ::close(file) == 0 && written ? aside : fs::path();
}

// Nothing: another process holds it.
std::optional<HeldLock> try_lock(const fs::path& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        return std::nullopt;
    }
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
        ::close(file);
        return std::nullopt;
    }
    return HeldLock(file);
}

fs::path slot_file(const fs::path& folder, Slot slot) {
    return folder / ("slot-" + std::to_string(slot));
}

Result<void> make_private(const fs::path& folder) {
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        return broken("cannot make the rendezvous directory", folder);
    }
    struct stat facts{};
    if (lstat(folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)) {
        return Error{ErrorKind::kNotFound, folder.string() + " is not a directory",
                     "name a new one, or one that kymo made"};
    }
    if (facts.st_uid != geteuid() || (facts.st_mode & 077U) != 0) {
        return Error{ErrorKind::kPermission,
                     "others may enter " + folder.string() + ", and would read the job's keys there",
                     "chmod 700 " + folder.string() + ", or name a new directory"};
    }
    return {};
}

}  // namespace

HeldLock::~HeldLock() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

Result<Rendezvous> Rendezvous::open(const fs::path& folder, const JobFile& wanted,
                                    const std::function<Result<Keys>()>& make_keys) {
    if (const auto made = make_private(folder); !made) {
        return made.error();
    }
    const fs::path path = folder / "job";
    if (!fs::exists(path)) {
        JobFile job = wanted;
        if (!job.plain) {
            const auto keys = make_keys();
            if (!keys) {
                return keys.error();
            }
            job.keys = *keys;
        }
        if (getrandom(&job.job, sizeof job.job, 0) != static_cast<ssize_t>(sizeof job.job)) {
            return broken("no random number for", path);
        }
        const fs::path aside = write_aside(path, to_text(job));
        // The first one made counts, even if several members make one.
        if (aside.empty() || (link(aside.c_str(), path.c_str()) != 0 && errno != EEXIST)) {
            return broken("cannot write", path);
        }
        unlink(aside.c_str());
    }
    const auto text = read_small(path);
    const auto job = text ? parse_job(*text) : std::nullopt;
    if (!job) {
        return Error{ErrorKind::kMalformed, path.string() + " is not a job's file of this version of Kymo",
                     "remove the directory, and start all members again"};
    }
    if (job->plain != wanted.plain) {
        return Error{
            ErrorKind::kUsage,
            std::string("this job is ") + (job->plain ? "not encrypted" : "encrypted") + ": " + folder.string(),
            job->plain ? "give --plain to all members, or name another directory" : "leave --plain out"};
    }
    return Rendezvous(folder, *job);
}

Result<Claim> Rendezvous::claim_slot(const std::string& name) const {
    const Roster known = roster();
    for (const MemberFile& member : known.agents) {
        if (member.name != name) {
            continue;
        }
        auto lock = try_lock(slot_file(folder_, member.slot).string() + ".lock");
        if (!lock) {
            return Error{ErrorKind::kOutputExists,
                         "an agent named " + name + " runs already (slot " + std::to_string(member.slot) + ")",
                         "one agent a host is enough; give several on one host different names (--name)"};
        }
        return Claim{member.slot, member.incarnation + 1, {}, std::move(*lock)};
    }
    for (Slot slot = 0; slot < kMaxSlots; ++slot) {
        const fs::path path = slot_file(folder_, slot);
        if (fs::exists(path)) {
            continue;
        }
        errno = 0;
        auto lock = try_lock(path.string() + ".lock");
        if (!lock && errno != EWOULDBLOCK) {
            return broken("cannot lock", path.string() + ".lock");
        }
        if (lock && !fs::exists(path)) {
            return Claim{slot, 1, {}, std::move(*lock)};
        }
    }
    return Error{ErrorKind::kNoSpace, "all slots of the ring are taken", ""};
}

Result<Claim> Rendezvous::claim_manager() const {
    auto lock = try_lock(folder_ / "manager.lock");
    if (!lock) {
        return Error{ErrorKind::kOutputExists, "another manager of this job runs: " + folder_.string(),
                     "end it; agents serve one manager at a time"};
    }
    const auto text = read_small(folder_ / "manager");
    const auto before = text ? parse_member(*text) : std::nullopt;
    return Claim{kManager, before ? before->incarnation + 1 : 1, {}, std::move(*lock)};
}

Result<void> Rendezvous::publish(const MemberFile& member) const {
    const fs::path path = member.slot == kManager ? folder_ / "manager" : slot_file(folder_, member.slot);
    const fs::path aside = write_aside(path, to_text(member));
    if (aside.empty() || rename(aside.c_str(), path.c_str()) != 0) {
        return broken("cannot write", path);
    }
    return {};
}

Rendezvous::Roster Rendezvous::roster() const {
    Roster roster;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
        const std::string name = entry.path().filename();
        Slot slot = kManager;
        const std::string_view number = name;
        const bool is_agent = number.starts_with("slot-") && parse_decimal(number.substr(5), slot, kMaxSlots - 1);
        if (!is_agent && name != "manager") {
            continue;
        }
        const auto text = read_small(entry.path());
        auto member = text ? parse_member(*text) : std::nullopt;
        if (!member || member->slot != slot) {
            ++roster.unreadable;
        } else if (is_agent) {
            roster.slots = std::max(roster.slots, slot + 1);
            roster.agents.push_back(std::move(*member));
        } else {
            roster.manager = std::move(*member);
        }
    }
    std::sort(roster.agents.begin(), roster.agents.end(),
              [](const MemberFile& a, const MemberFile& b) { return a.slot < b.slot; });
    return roster;
}

std::uint64_t Rendezvous::version() const {
    struct stat facts{};
    return stat(folder_.c_str(), &facts) == 0 ? static_cast<std::uint64_t>(facts.st_mtim.tv_sec) * 1'000'000'000U +
                                                    static_cast<std::uint64_t>(facts.st_mtim.tv_nsec)
                                              : 0;
}

}  // namespace kymo::ring
