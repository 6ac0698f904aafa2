#include "spacetime/profile/kernel_tasks.h"

#include <algorithm>
#include <unordered_map>

namespace kymo::spacetime {
namespace {

using Life = FileData::TaskLife;

std::string base_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

class KernelTasks {
  public:
    explicit KernelTasks(Profile& profile) : profile_(profile) {
        for (std::size_t i = 0; i < profile_.threads.size(); ++i) {
            by_tid_[profile_.threads[i].tid].push_back(static_cast<std::uint32_t>(i));
        }
        for (std::size_t i = 0; i < profile_.processes.size(); ++i) {
            by_pid_[profile_.processes[i].pid].push_back(static_cast<std::uint32_t>(i));
        }
    }

    void merge(const FileData& file) {
        rank_ = file.rank ? file.rank->rank : kNoRank;
        previous_.clear();
        has_mappings_ = std::any_of(file.tasks.begin(), file.tasks.end(),
                                    [](const Life& life) { return !life.executable.empty(); });
        for (const Life& life : file.tasks) {
            const bool is_process = life.tid == life.pid;
            const std::uint32_t thread = sampled_thread(life);
            if (thread != kNone) {
                add_to_sampled(life, thread, is_process);
            } else if (is_process && life.has_begun && (life.by_exec || !life.execs)) {
                // A fork that is about to exec is not a program of its own.
                add_process(life);
            } else if (!is_process && life.has_begun) {
                add_thread(life, process_at(life));
            }
            if (is_process) {
                previous_[life.tid] = &life;
            }
        }
    }

    // Without kernel records: an earlier process of the same number.
    void relate_execs() {
        for (auto& [pid, images] : by_pid_) {
            for (const std::uint32_t i : images) {
                ProfileProcess& process = profile_.processes[i];
                const ProfileProcess* before = nullptr;
                for (const std::uint32_t j : images) {
                    const ProfileProcess& other = profile_.processes[j];
                    if (other.rank == process.rank && other.begin < process.begin &&
                        (before == nullptr || other.begin > before->begin)) {
                        before = &other;
                    }
                }
                if (process.exec_from.empty() && before != nullptr) {
                    process.exec_from = before->executable;
                }
            }
        }
    }

  private:
    bool is_of_rank(const ProfileProcess& process) const {
        return process.rank == rank_ || process.rank == kNoRank || rank_ == kNoRank;
    }

    std::uint32_t sampled_thread(const Life& life) const {
        const auto found = by_tid_.find(life.tid);
        if (found == by_tid_.end()) {
            return kNone;
        }
        for (const std::uint32_t i : found->second) {
            const ProfileThread& thread = profile_.threads[i];
            if (thread.begin >= life.begin && (life.end == 0 || thread.begin <= life.end) &&
                is_of_rank(profile_.processes[thread.process])) {
                return i;
            }
        }
        return kNone;
    }

    void add_to_sampled(const Life& life, std::uint32_t index, bool is_process) {
        ProfileThread& thread = profile_.threads[index];
        if (thread.figures_from != ThreadFigures::kSwitchRecords) {
            thread.figures_from = ThreadFigures::kSwitchRecords;
            thread.switches = {};
            thread.run_queue_ns = thread.states.sums()[ThreadState::kReady];
        }
        thread.switches += life.switches;
        if (thread.name.empty()) {
            thread.name = life.name;
        }
        if (is_process) {
            ProfileProcess& process = profile_.processes[thread.process];
            process.rank = process.rank == kNoRank ? rank_ : process.rank;
            process.name = life.name.empty() ? process.name : life.name;
            process.exec_from = predecessor(life);
            if (process.own_pid != 0 && process.own_pid != process.pid && life.has_begun) {
                process.parent_pid = life.parent_pid;  // its own number for it is from another namespace, or missing
            }
        }
    }

    // The executable that called exec.
    std::string predecessor(const Life& life) const {
        const auto before = previous_.find(life.tid);
        if (!life.by_exec || before == previous_.end() || !before->second->execs) {
            return {};
        }
        return before->second->executable.empty() ? before->second->name : before->second->executable;
    }

    std::uint64_t end_of(const Life& life) const {
        return life.end != 0 ? life.end : std::max(profile_.end, life.begin);
    }

    static std::string why_not(const Life& life, bool has_times) {
        if (!has_times) {
            return "changed its rights by exec (setuid, setgid or file capabilities), so the kernel reports no "
                   "more of it";
        }
        if (!life.obstacle.empty()) {
            return life.obstacle;
        }
        return life.by_exec
                   ? "started without the monitor (LD_PRELOAD taken from its environment, a sandbox that hides "
                     "Kymo's files, or --no-follow)"
                   : "was forked and ended without a sample";
    }

    std::uint32_t add_process(const Life& life) {
        ProfileProcess process;
        process.pid = life.pid;
        process.parent_pid = life.parent_pid;
        process.executable = life.executable;
        process.name = life.name.empty() ? base_name(life.executable) : life.name;
        process.begin = life.begin;
        process.end = end_of(life);
        process.has_ended = life.end != 0;
        process.is_monitored = false;
        process.exec_from = predecessor(life);
        process.rank = rank_;
        // If an exec changes rights, the kernel's records end with it: not even the program's mapping is
        // reported.
        process.has_times = !life.by_exec || !life.executable.empty() || !has_mappings_;
        process.why_not = why_not(life, process.has_times);
        const auto index = static_cast<std::uint32_t>(profile_.processes.size());
        by_pid_[life.pid].push_back(index);
        profile_.processes.push_back(std::move(process));
        add_thread(life, index);
        return index;
    }

    // The process of a thread: the latest image of its number that had begun.
    std::uint32_t process_at(const Life& life) {
        std::uint32_t best = kNone;
        for (const std::uint32_t i : by_pid_[life.pid]) {
            const ProfileProcess& process = profile_.processes[i];
            if (is_of_rank(process) && process.begin <= life.begin &&
                (best == kNone || process.begin > profile_.processes[best].begin)) {
                best = i;
            }
        }
        if (best != kNone) {
            return best;
        }
        best = static_cast<std::uint32_t>(profile_.processes.size());
        by_pid_[life.pid].push_back(best);
        profile_.processes.push_back({.pid = life.pid,
                                      .executable = life.executable,
                                      .name = life.name,
                                      .begin = life.begin,
                                      .end = end_of(life),
                                      .has_ended = life.end != 0,
                                      .is_monitored = false,
                                      .why_not = "was there before the recording began",
                                      .rank = rank_});
        return best;
    }

    // All time that is not off a processor is on one.
    static ThreadStates states_of(const Life& life, std::uint64_t end) {
        ThreadStates states(life.begin);
        std::uint64_t at = life.begin;
        std::vector<OffInterval> offs = life.offs;
        std::sort(offs.begin(), offs.end(),
                  [](const OffInterval& a, const OffInterval& b) { return a.begin < b.begin; });
        const auto add = [&](std::uint64_t until, ThreadState state) {
            until = std::min(until, end);
            if (at < until) {
                states.add({.begin = at, .end = until, .state = state});
                at = until;
            }
        };
        for (const OffInterval& off : offs) {
            add(off.begin, ThreadState::kUser);
            add(off.end, off.is_ready ? ThreadState::kReady : ThreadState::kOff);
        }
        add(end, ThreadState::kUser);
        return states;
    }

    void add_thread(const Life& life, std::uint32_t process) {
        const std::uint64_t end = profile_.processes[process].has_times ? end_of(life) : life.begin;
        ProfileThread thread{.process = process,
                             .tid = life.tid,
                             .name = life.name,
                             .begin = life.begin,
                             .end = end,
                             .has_ended = life.end != 0,
                             .costs = std::vector<std::int64_t>(profile_.self.columns()),
                             .switches = life.switches,
                             .figures_from = ThreadFigures::kSwitchRecords,
                             .states = states_of(life, end),
                             .offs = life.offs};
        const StateSums sums = thread.states.sums();
        thread.costs[kOffCpu] = sums.off_processor();
        thread.costs[kUser] = sums.processor();
        thread.run_queue_ns = sums[ThreadState::kReady];
        if (const auto parent = by_tid_.find(life.parent_tid); parent != by_tid_.end()) {
            thread.creator = parent->second.front();
        }
        profile_.threads.push_back(std::move(thread));
    }

    Profile& profile_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_tid_;  // sampled threads
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_pid_;
    std::unordered_map<std::uint64_t, const Life*> previous_;  // by pid: its life so far
    std::uint64_t rank_ = kNoRank;
    bool has_mappings_ = false;  // the current file says which program an exec started
};

}  // namespace

void merge_kernel_tasks(std::span<const FileData> files, Profile& profile) {
    KernelTasks tasks(profile);
    for (const FileData& file : files) {
        tasks.merge(file);
    }
    tasks.relate_execs();
}

}  // namespace kymo::spacetime
