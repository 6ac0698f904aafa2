#include "spacetime/load/task_lives.h"

namespace kymo::spacetime {

namespace rec = recording;

FileData::TaskLife& TaskLives::life_of(std::uint64_t tid) {
    const auto [known, is_new] = living_.try_emplace(tid, tasks_.size());
    if (is_new) {
        tasks_.push_back({.pid = tid, .tid = tid});
    }
    return tasks_[known->second];
}

FileData::TaskLife& TaskLives::new_life(std::uint64_t tid, std::uint64_t time) {
    living_.erase(tid);
    FileData::TaskLife& life = life_of(tid);
    life.begin = time;
    life.has_begun = true;
    return life;
}

bool TaskLives::add(const rec::Task& row) {
    switch (static_cast<rec::TaskChange>(row.change)) {
        case rec::TaskChange::kFork: {
            // A forked process, and a thread, run the program of their creator.
            const FileData::TaskLife& creator = life_of(row.parent_tid);
            const std::string name = row.name.empty() ? creator.name : std::string(row.name);
            const std::string executable = creator.executable;
            const std::string obstacle = creator.obstacle;
            const std::uint64_t code_begin = creator.code_begin;
            const std::uint64_t code_end = creator.code_end;
            FileData::TaskLife& life = new_life(row.tid, row.time);
            life.pid = row.pid;
            life.parent_pid = row.parent_pid;
            life.parent_tid = row.parent_tid;
            life.name = name;
            life.executable = executable;
            life.obstacle = obstacle;
            life.code_begin = code_begin;
            life.code_end = code_end;
            break;
        }
        case rec::TaskChange::kExec: {
            FileData::TaskLife& before = life_of(row.tid);
            before.end = row.time;
            before.execs = true;
            const std::uint64_t parent_pid = before.parent_pid;
            const std::uint64_t parent_tid = before.parent_tid;
            FileData::TaskLife& life = new_life(row.tid, row.time);
            life.pid = row.pid;
            life.parent_pid = parent_pid;
            life.parent_tid = parent_tid;
            life.name = row.name;
            life.by_exec = true;
            break;
        }
        case rec::TaskChange::kRename: {
            FileData::TaskLife& life = life_of(row.tid);
            life.pid = row.pid;
            life.name = row.name;
            break;
        }
        case rec::TaskChange::kExit: {
            FileData::TaskLife& life = life_of(row.tid);
            life.pid = row.pid;
            life.end = row.time;
            break;
        }
        default:
            return false;
    }
    return true;
}

void TaskLives::add(const rec::Switch& row) {
    FileData::TaskLife& life = life_of(row.tid);
    const std::uint64_t end = row.open != 0 || row.duration > ~row.time ? ~std::uint64_t{0} : row.time + row.duration;
    life.offs.push_back({row.time, end, row.preempted != 0});
    // The wait for a thread's first processor is not a switch.
    if (!life.has_begun || row.time > life.begin) {
        ++(row.preempted != 0 ? life.switches.involuntary : life.switches.voluntary);
    }
}

void TaskLives::add(const rec::SwitchBrief& row) {
    FileData::TaskLife& life = life_of(row.tid);
    life.switches.voluntary += row.voluntary;
    life.switches.involuntary += row.involuntary;
}

void TaskLives::add(const rec::ProgramFile& row) {
    FileData::TaskLife& life = life_of(row.pid);
    life.executable = std::string(row.path);
    life.obstacle = std::string(row.obstacle);
    life.code_begin = row.begin;
    life.code_end = row.end;
}

}  // namespace kymo::spacetime
