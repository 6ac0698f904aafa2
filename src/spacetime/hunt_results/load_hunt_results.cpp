#include "spacetime/hunt_results/load_hunt_results.h"

#include "spacetime/hunt_results/hunt_rows.h"
#include "spacetime/hunt_results/line_rows.h"
#include "spacetime/hunt_results/place_names.h"
#include "spacetime/load/descriptions.h"

#include <algorithm>
#include <map>

namespace kymo::spacetime {
namespace {

// What a heavy hitter's share is made of, over all its holds.
struct Counts {
    std::uint64_t test_events = 0;
    std::uint64_t test_matches = 0;
    std::uint64_t later_events = 0;
    std::uint64_t later_matches = 0;
};

// Where a heavy hitter's call path is found.
struct PathSource {
    const FileHunt* file = nullptr;
    std::uint32_t stream = 0;
    std::uint64_t context = 0;
};

class HeavyHitterMaker {
  public:
    explicit HeavyHitterMaker(const HuntRows& rows) : rows_(rows) {}

    std::vector<HeavyHitter> make() {
        for (const FileHunt& file : rows_.files) {
            merge(file);
        }
        look_up();
        return std::move(heavy_hitters_);
    }

  private:
    std::int64_t since_begin(std::uint64_t time) const { return static_cast<std::int64_t>(time - rows_.begin); }

    // The same key in the same process is the same source, however often it was found.
    void merge(const FileHunt& file) {
        std::map<std::uint64_t, std::size_t> by_key;
        std::vector<Counts> counts;
        const std::size_t first = heavy_hitters_.size();
        std::vector<HuntResultRow> results = file.results;
        std::sort(results.begin(), results.end(),
                  [](const HuntResultRow& a, const HuntResultRow& b) { return a.row.time < b.row.time; });
        for (const HuntResultRow& result : results) {
            const auto [at, fresh] = by_key.emplace(result.row.key, heavy_hitters_.size());
            if (fresh) {
                HeavyHitter hitter;
                hitter.image = file.name_of(result.row.image);
                hitter.offset = result.row.offset;
                hitter.data = result.row.data;
                hitter.pid = file.pid;
                hitter.tid = result.row.tid;
                hitter.events = result.row.events;
                hitter.matches = result.row.matches;
                hitter.found_after = result.row.seen;
                heavy_hitters_.push_back(std::move(hitter));
                counts.push_back({result.row.events, result.row.matches, 0, 0});
                paths_.push_back({&file, result.stream, result.row.context});
            }
            const auto end = file.ends.find(result.row.number);
            const bool ended = end != file.ends.end();
            const bool quiet = ended && end->second.quiet != 0;
            // What a killed process wrote on its way says how its results stood, not when they ended.
            const std::uint64_t last = std::max({file.last_time, rows_.end, result.row.time});
            const std::uint64_t until = ended && (quiet || file.ended) ? end->second.time : last;
            heavy_hitters_[at->second].when.push_back({since_begin(result.row.time), since_begin(until), quiet});
            if (ended) {
                counts[at->second - first].later_events += end->second.events;
                counts[at->second - first].later_matches += end->second.matches;
            }
        }
        for (std::size_t i = 0; i < counts.size(); ++i) {
            heavy_hitters_[first + i].share = pairs::estimate_share(counts[i].test_events, counts[i].test_matches,
                                                                    counts[i].later_events, counts[i].later_matches);
        }
    }

    // Names for the heavy hitters' places and paths.
    void look_up() {
        PlaceNames names;
        std::vector<std::vector<HuntContext>> paths(heavy_hitters_.size());
        for (std::size_t i = 0; i < heavy_hitters_.size(); ++i) {
            names.ask(heavy_hitters_[i].image, heavy_hitters_[i].offset);
            paths[i] = paths_[i].file->path_of(paths_[i].stream, paths_[i].context);
            for (const HuntContext& node : paths[i]) {
                names.ask(paths_[i].file->name_of(node.image), node.offset);
            }
        }
        names.look_up();
        for (std::size_t i = 0; i < heavy_hitters_.size(); ++i) {
            HeavyHitter& hitter = heavy_hitters_[i];
            const auto own = names.frames_at(hitter.image, hitter.offset);
            if (!own.empty()) {
                hitter.place = names.symbols().place_of(own.back());
            }
            for (std::size_t node = 0; node < paths[i].size(); ++node) {
                const auto frames =
                    names.frames_at(paths_[i].file->name_of(paths[i][node].image), paths[i][node].offset);
                const bool is_leaf = node + 1 == paths[i].size();
                for (std::size_t frame = 0; frame + (is_leaf ? 1 : 0) < frames.size(); ++frame) {
                    hitter.path.push_back(names.symbols().place_of(frames[frame]));
                }
            }
            // A call site that is not a leaf is a return address minus one: inside the call.
            const bool is_call = rows_.facts.key == recording::HuntKey::kCallSite &&
                                 (paths[i].empty() || paths[i].back().offset != hitter.offset);
            constexpr unsigned kAround = 3;
            hitter.listing = program::list_around(hitter.image, hitter.offset, kAround, kAround, !is_call);
        }
    }

    const HuntRows& rows_;
    std::vector<HeavyHitter> heavy_hitters_;
    std::vector<PathSource> paths_;  // parallel to the heavy hitters
};

}  // namespace

HuntResults make_hunt_results(const HuntRows& rows) {
    HuntResults result;
    result.hunted = rows.hunted;
    result.hunt = rows.facts;
    result.heavy_hitters = HeavyHitterMaker(rows).make();
    result.rows = gather_by_line(result.heavy_hitters, rows.facts.key);
    return result;
}

Result<HuntResults> load_hunt_results(std::span<const recording::File> files) {
    std::vector<FileHunt> hunts(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        Descriptions descriptions;
        if (const auto scanned = recording::scan_for(files[i], descriptions, hunts[i]); !scanned) {
            return scanned.error();
        }
        hunts[i].take_paths(descriptions.take());
    }
    return make_hunt_results(hunt_rows(std::move(hunts)));
}

Result<HuntRows> load_hunt_rows(std::span<const recording::File> files) {
    auto read = recording::read_each<FileHunt>(files);
    return read ? Result<HuntRows>(hunt_rows(std::move(*read))) : Result<HuntRows>(read.error());
}

}  // namespace kymo::spacetime
