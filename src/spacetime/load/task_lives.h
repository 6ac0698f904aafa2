// Threads' lives by the kernel's records: fork, exec, rename, exit, and the intervals off the processor. Thread ids
// are reused, so rows belong to the life that has the id at their place in the file.
#pragma once

#include "spacetime/load/file_data.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kymo::spacetime {

class TaskLives {
  public:
    // In the order of the file. False: not a change of a life.
    bool add(const recording::Task& row);
    void add(const recording::Switch& row);
    void add(const recording::SwitchBrief& row);
    void add(const recording::ProgramFile& row);

    std::vector<FileData::TaskLife> take() { return std::move(tasks_); }

  private:
    FileData::TaskLife& life_of(std::uint64_t tid);
    FileData::TaskLife& new_life(std::uint64_t tid, std::uint64_t time);

    std::vector<FileData::TaskLife> tasks_;                  // in the order of their first rows
    std::unordered_map<std::uint64_t, std::size_t> living_;  // thread id → tasks_
};

}  // namespace kymo::spacetime
