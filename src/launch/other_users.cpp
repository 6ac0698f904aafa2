#include "launch/other_users.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <pwd.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::launch {
namespace {

namespace fs = std::filesystem;

struct Identity {
    uid_t user = 0;
    std::vector<gid_t> groups;
};

// The effective one, by which files are opened. None: the process has ended.
std::optional<Identity> identity_of(std::uint32_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/status");
    std::optional<Identity> found;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string key;
        words >> key;
        std::uint32_t real = 0;
        if (std::uint32_t effective = 0; key == "Uid:" && words >> real >> effective) {
            found = Identity{effective, {}};
        } else if (key == "Gid:" && found && words >> real >> effective) {
            found->groups.push_back(effective);
        } else if (key == "Groups:" && found) {
            for (gid_t group = 0; words >> group;) {
                found->groups.push_back(group);
            }
            break;
        }
    }
    return found;
}

// Its monitor keeps its file mapped from its start to its end.
bool is_measured(std::uint32_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/maps");
    const std::string name = "/process-" + std::to_string(pid) + "-";
    for (std::string line; std::getline(file, line);) {
        if (line.find(name) != std::string::npos) {
            return true;
        }
    }
    return false;
}

bool may(const Identity& who, const struct stat& facts, unsigned right) {  // of rwx: 4, 2, 1
    const bool in_group = std::find(who.groups.begin(), who.groups.end(), facts.st_gid) != who.groups.end();
    const unsigned shift = facts.st_uid == who.user ? 6 : in_group ? 3 : 0;
    return (facts.st_mode >> shift & right) == right;
}

bool may_read(const Identity& who, const fs::path& path) {
    struct stat facts{};
    for (fs::path folder = path.parent_path();; folder = folder.parent_path()) {
        if (stat(folder.c_str(), &facts) == 0 && !may(who, facts, 1)) {
            return false;
        }
        if (folder == folder.parent_path()) {
            break;
        }
    }
    return stat(path.c_str(), &facts) != 0 || may(who, facts, 4);
}

std::string name_of(uid_t user) {
    const passwd* entry = getpwuid(user);
    return entry != nullptr ? entry->pw_name : std::to_string(user);
}

}  // namespace

OtherUsers::OtherUsers(const recording::Folder& folder, const fs::path& monitor) : monitor_(monitor) {
    struct stat facts{};
    owner_ = fstat(folder.descriptor(), &facts) == 0 ? facts.st_uid : geteuid();
}

void OtherUsers::take(const KernelRecord& record) {
    if (record.pid != record.tid) {
        return;
    }
    if (record.change == KernelChange::kFork || record.change == KernelChange::kExec) {
        fresh_[record.pid] = record.time;
    } else if (record.change == KernelChange::kExit) {
        fresh_.erase(record.pid);
    }
}

std::vector<BarredProcess> OtherUsers::look() {
    std::vector<BarredProcess> found;
    for (const auto& [pid, time] : fresh_) {
        const auto who = identity_of(pid);
        if (!who || who->user == 0 || who->user == owner_ || is_measured(pid)) {
            continue;
        }
        User& user = users_[who->user];
        ++user.processes;
        user.reads_monitor = may_read(*who, monitor_);
        std::error_code ignored;
        found.push_back({time, pid, fs::read_symlink("/proc/" + std::to_string(pid) + "/exe", ignored).string(),
                         "runs as the user " + name_of(who->user) + ", who may not write to this recording"});
    }
    fresh_.clear();
    return found;
}

std::vector<events::Missing> OtherUsers::missing() const {
    std::vector<events::Missing> list;
    for (const auto& [id, user] : users_) {
        const std::string name = name_of(id);
        const std::string start = "start Kymo itself as that user: setpriv --reuid=" + name + " --regid=" + name +
                                  " --init-groups kymo record -- PROGRAM";
        list.push_back(
            {std::to_string(user.processes) + (user.processes == 1 ? " process" : " processes") + " of the user " +
                 name,
             "the recording's directory is private to " + name_of(owner_) +
                 (user.reads_monitor ? "" : ", and that user may not read Kymo's monitor " + monitor_.string()),
             user.reads_monitor ? start : "install Kymo where everybody may read it (make install); " + start});
    }
    return list;
}

}  // namespace kymo::launch
