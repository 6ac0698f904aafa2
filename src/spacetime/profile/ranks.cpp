#include "spacetime/profile/ranks.h"

#include "spacetime/profile/host_clocks.h"

#include <algorithm>
#include <map>

namespace kymo::spacetime {
namespace {

void shift(std::uint64_t& time, std::int64_t by) {
    if (time != 0) {
        time = static_cast<std::uint64_t>(static_cast<std::int64_t>(time) + by);
    }
}

// A switch without an end lasts forever.
void shift_end(std::uint64_t& time, std::int64_t by) {
    if (time != ~std::uint64_t{0}) {
        shift(time, by);
    }
}

void shift(FileData& file, std::int64_t by) {
    file.shift_ns += by;
    shift(file.begin, by);
    for (auto& [id, stream] : file.streams) {
        shift(stream.begin, by);
        shift(stream.end, by);
        stream.states.shift(by);
        for (ThreadWait& wait : stream.waits) {
            shift(wait.begin, by);
            shift(wait.end, by);
        }
        for (TailPiece& piece : stream.tail) {
            shift(piece.begin, by);
            shift(piece.end, by);
        }
        for (KernelLook& look : stream.looks) {
            shift(look.time, by);
        }
        for (TakenTime& taken : stream.taken) {
            shift(taken.time, by);
        }
        for (OffInterval& off : stream.offs) {
            shift(off.begin, by);
            shift_end(off.end, by);
        }
    }
    for (FileData::TaskLife& life : file.tasks) {
        shift(life.begin, by);
        shift(life.end, by);
        for (OffInterval& off : life.offs) {
            shift(off.begin, by);
            shift_end(off.end, by);
        }
    }
    if (file.run) {
        shift(file.run->begin, by);
    }
    if (file.run_end) {
        shift(file.run_end->end, by);
    }
    if (file.clock_pair) {
        shift(file.clock_pair->monotonic, by);
    }
}

}  // namespace

void align_clocks(std::vector<FileData>& files) {
    HostClocks clocks;
    for (const FileData& file : files) {
        if (file.rank && file.clock_pair) {
            clocks.take(file.rank->host, *file.clock_pair);
        }
    }
    for (FileData& file : files) {
        const std::int64_t by = file.rank ? clocks.shift(file.rank->host) : 0;
        if (by != 0) {
            shift(file, by);
        }
    }
}

void collect_ranks(std::span<const FileData> files, Profile& profile) {
    std::map<std::uint64_t, ProfileRank> ranks;
    const auto rank_of = [&](std::uint64_t number) -> ProfileRank& {
        ProfileRank& rank = ranks[number];
        rank.rank = number;
        rank.costs.resize(profile.self.columns());
        return rank;
    };
    for (const FileData& file : files) {
        if (!file.rank) {
            continue;
        }
        ProfileRank& rank = rank_of(file.rank->rank);
        rank.size = std::max(rank.size, file.rank->size);
        rank.host = file.rank->host;
        if (file.run && file.run_end && file.run_end->end >= file.run->begin) {
            rank.duration_ns = file.run_end->end - file.run->begin;
            rank.has_run_end = true;
            rank.wait_status = file.run_end->wait_status;
        }
    }
    if (ranks.empty()) {
        return;
    }
    for (const ProfileProcess& process : profile.processes) {
        if (process.rank != kNoRank) {
            ++rank_of(process.rank).processes;
        }
    }
    for (const ProfileThread& thread : profile.threads) {
        const std::uint64_t number = profile.processes[thread.process].rank;
        if (number == kNoRank) {
            continue;
        }
        ProfileRank& rank = rank_of(number);
        ++rank.threads;
        for (std::size_t i = 0; i < rank.costs.size() && i < thread.costs.size(); ++i) {
            rank.costs[i] += thread.costs[i];
        }
    }
    for (auto& [number, rank] : ranks) {
        profile.ranks.push_back(std::move(rank));
    }
}

Spread spread_over_ranks(std::span<const ProfileRank> all, std::size_t column) {
    const bool has_processes =
        std::any_of(all.begin(), all.end(), [](const ProfileRank& rank) { return rank.processes != 0; });
    const auto counts = [&](const ProfileRank& rank) { return !has_processes || rank.processes != 0; };
    const auto ranks = static_cast<double>(std::count_if(all.begin(), all.end(), counts));
    const ProfileRank& first = *std::find_if(all.begin(), all.end(), counts);
    Spread spread{.least = first.costs[column],
                  .mean = 0,
                  .most = first.costs[column],
                  .least_rank = first.rank,
                  .most_rank = first.rank};
    for (const ProfileRank& rank : all) {
        if (!counts(rank)) {
            continue;
        }
        const std::int64_t value = rank.costs[column];
        if (value < spread.least) {
            spread.least = value;
            spread.least_rank = rank.rank;
        }
        if (value > spread.most) {
            spread.most = value;
            spread.most_rank = rank.rank;
        }
        spread.mean += static_cast<double>(value) / ranks;
    }
    return spread;
}

}  // namespace kymo::spacetime
