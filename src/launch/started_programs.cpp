#include "launch/started_programs.h"

#include "launch/program.h"

#include <algorithm>

namespace kymo::launch {
namespace {

bool is_one_of(std::span<const std::string_view> names, const std::string& word) {
    return std::find(names.begin(), names.end(), std::filesystem::path(word).filename().string()) != names.end();
}

bool starts_ranks(const std::string& word) {
    constexpr std::string_view kNames[] = {"mpirun", "mpiexec", "mpirun.openmpi", "mpiexec.openmpi", "orterun",
                                           "prun",   "prterun", "mpiexec.hydra",  "mpirun.mpich",    "mpiexec.mpich",
                                           "srun"};
    return is_one_of(kNames, word);
}

bool stands_before_program(const std::string& word) {
    constexpr std::string_view kNames[] = {"env",     "taskset", "numactl", "nice",  "ionice",  "chrt",   "stdbuf",
                                           "setarch", "timeout", "time",    "nohup", "setpriv", "prlimit"};
    return is_one_of(kNames, word);
}

bool is_program(const std::string& word, std::string_view search_path) {
    const bool may_be = !word.empty() && word.front() != '-' && word.find('=') == std::string::npos;
    return may_be && static_cast<bool>(find_program(word, search_path, Fitness::kAny));
}

}  // namespace

Result<std::vector<std::filesystem::path>> started_programs(std::span<const std::string> command,
                                                            std::string_view search_path) {
    std::vector<std::filesystem::path> programs;
    const std::string& first = command.front();
    const bool of_ranks = starts_ranks(first);
    if (!of_ranks && !stands_before_program(first)) {
        return programs;
    }
    bool is_named = false;  // in this part of the command
    for (std::size_t i = 1; i < command.size(); ++i) {
        if (of_ranks && command[i] == ":") {
            is_named = false;
        } else if (!is_named && !stands_before_program(command[i]) && is_program(command[i], search_path)) {
            is_named = true;
            programs.push_back(find_program(command[i], search_path, Fitness::kAny)->path);
        }
    }
    if (programs.empty()) {
        return Error{ErrorKind::kNotFound, "no program among the words after " + first,
                     "name it as it would be run by itself: " + first + " … ./PROGRAM"};
    }
    return programs;
}

}  // namespace kymo::launch
