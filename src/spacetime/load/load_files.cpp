#include "spacetime/load/load_files.h"

#include "parallel/loops.h"
#include "spacetime/load/numbers.h"
#include "spacetime/load/short_processes.h"

#include <iterator>
#include <set>
#include <unordered_map>
#include <utility>

namespace kymo::spacetime {
namespace {

// A process whose exec failed has a row of what it was until then, and a file where it had more to tell afterwards.
void drop_those_with_files(const std::vector<Result<FileData>>& files, std::vector<FileData>* short_processes) {
    std::set<std::pair<std::uint64_t, std::uint64_t>> known;  // pid and begin
    for (const auto& file : files) {
        if (file && file->has_process) {
            known.emplace(file->pid, file->begin);
        }
    }
    std::erase_if(*short_processes,
                  [&](const FileData& process) { return known.contains({process.pid, process.begin}); });
}

}  // namespace

void hand_out_switches(std::span<FileData* const> files) {
    std::unordered_map<std::uint64_t, std::vector<std::pair<const FileData*, FileData::TaskLife*>>> by_tid;
    for (FileData* file : files) {
        for (FileData::TaskLife& life : file->tasks) {
            by_tid[life.tid].emplace_back(file, &life);
        }
    }
    std::unordered_map<FileData::TaskLife*, std::vector<StreamData*>> streams_of;
    for (FileData* file : files) {
        for (auto& [id, stream] : file->streams) {
            const auto lives = by_tid.find(stream.tid);
            if (!stream.is_known || lives == by_tid.end()) {
                continue;
            }
            for (const auto& [parent, life] : lives->second) {
                const bool is_of_rank = !parent->rank || !file->rank || parent->rank->rank == file->rank->rank;
                if (is_of_rank && stream.begin >= life->begin && (life->end == 0 || stream.begin <= life->end)) {
                    streams_of[life].push_back(&stream);
                    break;
                }
            }
        }
    }
    // There may be many: they are not kept twice. A life that a stream is of needs them no more.
    for (auto& [life, streams] : streams_of) {
        lay_in_time(&life->offs);
        for (StreamData* const stream : streams) {
            stream->offs = stream == streams.back() ? std::move(life->offs) : life->offs;
        }
    }
}

std::vector<Result<FileData>> describe_files(std::span<const recording::File> files) {
    std::vector<Result<FileData>> described;
    described.reserve(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        described.emplace_back(FileData());
    }
    parallel::for_each_index(files.size(), [&](std::size_t i) { described[i] = read_descriptions(files[i]); });
    return described;
}

std::vector<Result<FileData>> load_samples(std::span<const recording::File> files, std::vector<Result<FileData>> all,
                                           const LoadOptions& options) {
    std::vector<FileData> short_processes;
    for (auto& file : all) {
        if (file) {
            std::move(file->short_processes.begin(), file->short_processes.end(),
                      std::back_inserter(short_processes));
            file->short_processes.clear();
        }
    }
    drop_those_with_files(all, &short_processes);
    std::vector<FileData*> data;
    std::size_t streams = 1;
    for (auto& file : all) {
        if (file) {
            data.push_back(&*file);
            streams += file->streams.size();
        }
    }
    for (FileData& process : short_processes) {
        data.push_back(&process);
    }
    find_kernel_numbers(data);
    hand_out_switches(data);
    parallel::for_each_index(files.size(), [&](std::size_t i) {
        const bool is_own = options.team == nullptr || options.owner[i] == options.team->rank();
        if (is_own && all[i]) {
            if (auto read = read_samples(files[i], *all[i], options.most_states / streams); !read) {
                all[i] = read.error();
            }
        }
    });
    team::collect(options.team, all, options.owner, team::For::kAll);
    parallel::for_each_index(short_processes.size(), [&](std::size_t i) {
        finish_without_samples(short_processes[i]);
        split_by_usage(&short_processes[i]);
    });
    all.reserve(all.size() + short_processes.size());
    for (FileData& process : short_processes) {
        all.emplace_back(std::move(process));
    }
    return all;
}

std::vector<Result<FileData>> load_files(std::span<const recording::File> files, const LoadOptions& options) {
    return load_samples(files, describe_files(files), options);
}

Result<FileData> load_file(const recording::File& file) {
    return std::move(load_files({&file, 1}).front());
}

}  // namespace kymo::spacetime
