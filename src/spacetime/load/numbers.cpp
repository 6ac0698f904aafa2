#include "spacetime/load/numbers.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

using Life = FileData::TaskLife;

std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

// The first life that had begun by then, lived, and nobody has taken: monitors begin in the order of the kernel's
// records.
const Life* first_living(std::uint64_t time, std::span<const Life* const> by_begin,
                         const std::set<const Life*>& taken) {
    for (const Life* life : by_begin) {
        if (life->begin > time) {
            break;
        }
        if ((life->end == 0 || life->end >= time) && !taken.contains(life)) {
            return life;
        }
    }
    return nullptr;
}

// `threads`: the process's, by begin.
void find_threads(FileData& file, const Life& process, std::span<const Life* const> threads,
                  std::set<const Life*>* taken) {
    std::vector<StreamData*> streams;
    for (auto& [id, stream] : file.streams) {
        if (stream.own_tid == file.own_pid) {
            stream.tid = process.tid;
        } else {
            streams.push_back(&stream);
        }
    }
    std::sort(streams.begin(), streams.end(),
              [](const StreamData* a, const StreamData* b) { return a->begin < b->begin; });
    for (StreamData* stream : streams) {
        if (const Life* life = first_living(stream->begin, threads, *taken); life != nullptr) {
            taken->insert(life);
            stream->tid = life->tid;
        }
    }
}

}  // namespace

std::uint64_t known_number(std::uint64_t own, std::uint64_t kernels) {
    return kernels == 0 || kernels == kUnknown ? own : kernels;
}

void set_pid(FileData* file, std::uint64_t own, std::uint64_t kernels) {
    file->own_pid = own;
    file->pid = known_number(own, kernels);
    file->is_pid_known = kernels != kUnknown;
}

void find_kernel_numbers(std::span<FileData* const> files) {
    std::vector<FileData*> lost;
    std::set<std::uint64_t> others;
    for (FileData* file : files) {
        if (file->has_process && !file->is_pid_known) {
            lost.push_back(file);
        } else if (file->has_process) {
            others.insert(file->pid);
        }
    }
    if (lost.empty()) {
        return;
    }
    std::vector<const Life*> lives;
    for (const FileData* file : files) {
        for (const Life& life : file->tasks) {
            lives.push_back(&life);
        }
    }
    std::stable_sort(lives.begin(), lives.end(), [](const Life* a, const Life* b) { return a->begin < b->begin; });
    std::sort(lost.begin(), lost.end(), [](const FileData* a, const FileData* b) { return a->begin < b->begin; });
    std::map<std::string_view, std::vector<const Life*>> processes;  // by the program's name
    std::map<std::uint64_t, std::vector<const Life*>> threads;       // by process
    for (const Life* life : lives) {
        if (life->tid != life->pid) {
            threads[life->pid].push_back(life);
        } else if (life->has_begun && !others.contains(life->pid)) {
            processes[file_name(life->executable)].push_back(life);
        }
    }
    std::set<const Life*> taken;
    for (FileData* file : lost) {
        // Where each process has its code at another place, that tells it.
        std::vector<const Life*> candidates = processes[file_name(file->executable)];
        std::erase_if(candidates, [file](const Life* life) {
            return file->entry != 0 && life->code_begin != 0 &&
                   (file->entry < life->code_begin || file->entry >= life->code_end);
        });
        const Life* life = first_living(file->begin, candidates, taken);
        if (life != nullptr) {
            taken.insert(life);
            file->pid = life->pid;
            find_threads(*file, *life, threads[life->pid], &taken);
        }
    }
}

}  // namespace kymo::spacetime
