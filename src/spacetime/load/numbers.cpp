#include "spacetime/load/numbers.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace kymo::spacetime {
namespace {

using Life = FileData::TaskLife;

std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

// Takes the first life that had begun by then, lived, and `fits`: monitors begin in the order of the kernel's
// records.
template <typename Fits>
const Life* take_first(std::uint64_t time, std::vector<const Life*>* by_begin, Fits&& fits) {
    const auto found = std::find_if(by_begin->begin(), by_begin->end(), [&](const Life* life) {
        return life->begin > time || ((life->end == 0 || life->end >= time) && fits(*life));
    });
    if (found == by_begin->end() || (*found)->begin > time) {
        return nullptr;
    }
    const Life* const life = *found;
    by_begin->erase(found);
    return life;
}

// `threads`: the process's, by begin.
void find_threads(FileData& file, const Life& process, std::vector<const Life*> threads) {
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
        const Life* const life = take_first(stream->begin, &threads, [](const Life&) { return true; });
        stream->tid = life == nullptr ? stream->tid : life->tid;
    }
}

}  // namespace

void set_pid(FileData* file, std::uint64_t own, std::uint64_t kernels) {
    file->own_pid = own;
    file->pid = recording::number_of(own, kernels);
    file->is_pid_known = kernels != recording::kUnknownNumber;
}

void find_kernel_numbers(std::span<FileData* const> files) {
    std::vector<FileData*> lost;
    std::multimap<std::uint64_t, std::uint64_t> others;  // by number: when they began
    for (FileData* file : files) {
        if (file->has_process && !file->is_pid_known) {
            lost.push_back(file);
        } else if (file->has_process) {
            others.emplace(file->pid, file->begin);
        }
    }
    if (lost.empty()) {
        return;
    }
    // A number's image before an exec may be known where the one after it is not: /proc was mounted in between.
    const auto is_known = [&others](const Life& life) {
        const auto [first, last] = others.equal_range(life.pid);
        return std::any_of(first, last, [&life](const auto& other) {
            return other.second >= life.begin && (life.end == 0 || other.second <= life.end);
        });
    };
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
        } else if (life->has_begun && !is_known(*life)) {
            processes[file_name(life->executable)].push_back(life);
        }
    }
    for (FileData* file : lost) {
        // Where each process has its code at another place, that decides.
        const auto fits = [file](const Life& life) {
            return file->entry == 0 || life.code_begin == 0 ||
                   (file->entry >= life.code_begin && file->entry < life.code_end);
        };
        const Life* const life = take_first(file->begin, &processes[file_name(file->executable)], fits);
        if (life != nullptr) {
            file->pid = life->pid;
            find_threads(*file, *life, threads[life->pid]);
        }
    }
}

}  // namespace kymo::spacetime
