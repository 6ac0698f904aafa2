#include "spacetime/finds/load_finds.h"

#include "spacetime/finds/hunt_rows.h"
#include "spacetime/finds/place_names.h"

#include <algorithm>
#include <map>

namespace kymo::spacetime {
namespace {

// What an offender's share is made of, over all its reigns.
struct Counts {
    std::uint64_t test_events = 0;
    std::uint64_t test_matches = 0;
    std::uint64_t later_events = 0;
    std::uint64_t later_matches = 0;
};

// Where an offender's call path is found.
struct PathSource {
    const FileHunt* file = nullptr;
    std::uint32_t stream = 0;
    std::uint64_t context = 0;
};

class OffenderMaker {
  public:
    explicit OffenderMaker(const HuntRows& rows) : rows_(rows) {}

    std::vector<Offender> make() {
        for (const FileHunt& file : rows_.files) {
            merge(file);
        }
        look_up();
        std::sort(offenders_.begin(), offenders_.end(), [](const Offender& a, const Offender& b) {
            return a.share.value != b.share.value ? a.share.value > b.share.value : a.offset < b.offset;
        });
        return std::move(offenders_);
    }

  private:
    std::int64_t since_begin(std::uint64_t time) const { return static_cast<std::int64_t>(time - rows_.begin); }

    // The same key in the same process is the same source, however often it was found.
    void merge(const FileHunt& file) {
        std::map<std::uint64_t, std::size_t> by_key;
        std::vector<Counts> counts;
        const std::size_t first = offenders_.size();
        std::vector<FindRow> finds = file.finds;
        std::sort(finds.begin(), finds.end(),
                  [](const FindRow& a, const FindRow& b) { return a.row.time < b.row.time; });
        for (const FindRow& find : finds) {
            const auto [at, fresh] = by_key.emplace(find.row.key, offenders_.size());
            if (fresh) {
                Offender offender;
                offender.image = file.name_of(find.row.image);
                offender.offset = find.row.offset;
                offender.data = find.row.data;
                offender.pid = file.pid;
                offender.tid = find.row.tid;
                offender.events = find.row.events;
                offender.matches = find.row.matches;
                offender.found_after = find.row.seen;
                offenders_.push_back(std::move(offender));
                counts.push_back({find.row.events, find.row.matches, 0, 0});
                paths_.push_back({&file, find.stream, find.row.context});
            }
            const auto end = file.ends.find(find.row.number);
            const bool ended = end != file.ends.end();
            const bool quiet = ended && end->second.quiet != 0;
            // What a killed process wrote on its way says how its finds stood, not when they ended.
            const std::uint64_t last = std::max({file.last_time, rows_.end, find.row.time});
            const std::uint64_t until = ended && (quiet || file.ended) ? end->second.time : last;
            offenders_[at->second].when.push_back({since_begin(find.row.time), since_begin(until), quiet});
            if (ended) {
                counts[at->second - first].later_events += end->second.events;
                counts[at->second - first].later_matches += end->second.matches;
            }
        }
        for (std::size_t i = 0; i < counts.size(); ++i) {
            offenders_[first + i].share = pairs::estimate_share(counts[i].test_events, counts[i].test_matches,
                                                                counts[i].later_events, counts[i].later_matches);
        }
    }

    // Names for the offenders' places and paths.
    void look_up() {
        PlaceNames names;
        std::vector<std::vector<HuntContext>> paths(offenders_.size());
        for (std::size_t i = 0; i < offenders_.size(); ++i) {
            names.ask(offenders_[i].image, offenders_[i].offset);
            paths[i] = paths_[i].file->path_of(paths_[i].stream, paths_[i].context);
            for (const HuntContext& node : paths[i]) {
                names.ask(paths_[i].file->name_of(node.image), node.offset);
            }
        }
        names.look_up();
        for (std::size_t i = 0; i < offenders_.size(); ++i) {
            Offender& offender = offenders_[i];
            const auto own = names.frames_at(offender.image, offender.offset);
            if (!own.empty()) {
                offender.place = names.place_of(own.back());
            }
            for (std::size_t node = 0; node < paths[i].size(); ++node) {
                const auto frames =
                    names.frames_at(paths_[i].file->name_of(paths[i][node].image), paths[i][node].offset);
                const bool is_leaf = node + 1 == paths[i].size();
                for (std::size_t frame = 0; frame + (is_leaf ? 1 : 0) < frames.size(); ++frame) {
                    offender.path.push_back(names.place_of(frames[frame]));
                }
            }
            // A call site that is no leaf is a return address minus one: inside the call.
            const bool is_call = rows_.facts.key == recording::HuntKey::kCallSite &&
                                 (paths[i].empty() || paths[i].back().offset != offender.offset);
            constexpr unsigned kAround = 3;
            offender.listing = program::list_around(offender.image, offender.offset, kAround, kAround, !is_call);
        }
    }

    const HuntRows& rows_;
    std::vector<Offender> offenders_;
    std::vector<PathSource> paths_;  // parallel to the offenders until they are sorted
};

}  // namespace

Finds make_finds(const HuntRows& rows) {
    Finds result;
    result.hunted = rows.hunted;
    result.hunt = rows.facts;
    result.offenders = OffenderMaker(rows).make();
    return result;
}

Result<Finds> load_finds(std::span<const recording::File> files) {
    const auto rows = read_hunt_rows(files);
    if (!rows) {
        return rows.error();
    }
    return make_finds(*rows);
}

}  // namespace kymo::spacetime
