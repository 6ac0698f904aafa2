#include "confirm/bound_threads.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sched.h>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace kymo::confirm {
namespace {

namespace fs = std::filesystem;

std::vector<int> usable_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> processors;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
            if (CPU_ISSET(processor, &set)) {
                processors.push_back(processor);
            }
        }
    }
    return processors;
}

std::vector<pid_t> children_of(pid_t process) {
    const std::string own = std::to_string(process);
    std::ifstream file("/proc/" + own + "/task/" + own + "/children");
    std::vector<pid_t> children;
    for (pid_t child = 0; file >> child;) {
        children.push_back(child);
    }
    return children;
}

std::vector<pid_t> threads_of(pid_t process) {
    std::vector<pid_t> threads;
    std::error_code ended;
    fs::directory_iterator entry("/proc/" + std::to_string(process) + "/task", ended);
    while (!ended && entry != fs::directory_iterator()) {
        threads.push_back(static_cast<pid_t>(std::atol(entry->path().filename().c_str())));
        entry.increment(ended);
    }
    return threads;
}

[[noreturn]] void bind_children_of(pid_t parent) {
    constexpr int kOften = 1'000;
    const std::vector<int> processors = usable_processors();
    std::map<pid_t, int> bound;
    for (int round = 0; getppid() == parent; ++round) {
        for (const pid_t child : children_of(parent)) {
            if (child == getpid()) {
                continue;
            }
            for (const pid_t thread : threads_of(child)) {
                const auto [own, is_new] = bound.try_emplace(thread, 0);
                if (is_new) {
                    own->second = processors[(bound.size() - 1) % processors.size()];
                }
                cpu_set_t set;
                CPU_ZERO(&set);
                CPU_SET(own->second, &set);
                (void)sched_setaffinity(thread, sizeof set, &set);  // it may have ended
            }
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(round < kOften ? 1 : 10));
    }
    _exit(0);
}

}  // namespace

BoundThreads::BoundThreads() {
    const pid_t parent = getpid();
    if (usable_processors().empty()) {
        return;
    }
    helper_ = fork();
    if (helper_ == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        bind_children_of(parent);
    }
}

BoundThreads::~BoundThreads() {
    if (helper_ > 0) {
        (void)kill(helper_, SIGKILL);
        (void)waitpid(helper_, nullptr, 0);
    }
}

}  // namespace kymo::confirm
