#include "spacetime/finds/finds.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

struct LoadedImage {
    std::string path;
    std::string build_id;
};

struct ContextNode {
    std::uint64_t parent = 0;
    std::uint64_t image = 0;
    std::uint64_t offset = 0;
};

struct FindRow {
    rec::Find row;
    std::uint32_t stream = 0;
    bool ended = false;
    rec::FindEnd end;
};

// One file's share of the story.
struct FileFinds {
    std::uint64_t pid = 0;
    std::uint16_t machine = 0;
    std::uint64_t last_time = 0;
    std::unordered_map<std::uint64_t, LoadedImage> images;
    std::map<std::pair<std::uint32_t, std::uint64_t>, ContextNode> contexts;
    std::vector<FindRow> finds;
    bool hunt_ended = false;
};

class Loader {
  public:
    Result<void> scan(const rec::File& file) {
        FileFinds& here = files_.emplace_back();
        here.pid = file.header().pid;
        here.machine = file.header().machine;
        auto report = file.scan(
            rec::on<rec::Run>([&](StreamId, const rec::Run& row) { begin_ = row.time; }),
            rec::on<rec::RunEnd>([&](StreamId, const rec::RunEnd& row) { end_ = row.time; }),
            rec::on<rec::Hunt>([&](StreamId, const rec::Hunt& row) { take_hunt(row); }),
            rec::on<rec::Image>([&](StreamId, const rec::Image& row) {
                here.images[row.image] = {std::string(row.path), std::string(row.build_id)};
            }),
            rec::on<rec::Context>([&](StreamId stream, const rec::Context& row) {
                here.contexts[{raw(stream), row.context}] = {row.parent, row.image, row.offset};
            }),
            rec::on<rec::Find>(
                [&](StreamId stream, const rec::Find& row) { here.finds.push_back({row, raw(stream), false, {}}); }),
            rec::on<rec::FindEnd>([&](StreamId, const rec::FindEnd& row) {
                // Files hold streams in no common order: an end may come before its find.
                ends_.push_back({files_.size() - 1, row});
            }),
            rec::on<rec::ProcessEnd>([&](StreamId, const rec::ProcessEnd& row) { here.last_time = row.time; }),
            rec::on<rec::HuntEnd>([&](StreamId, const rec::HuntEnd& row) { take_end(here, row); }));
        if (!report) {
            return report.error();
        }
        return {};
    }

    Finds finish() {
        for (const auto& [file, end] : ends_) {
            for (FindRow& find : files_[file].finds) {
                if (find.row.number == end.number && !find.ended) {
                    find.ended = true;
                    find.end = end;
                }
            }
        }
        Finds result;
        result.hunted = hunted_;
        for (FileFinds& file : files_) {
            facts_.unfinished += !file.finds.empty() && !file.hunt_ended ? 1 : 0;
            merge(file, result.offenders);
        }
        result.hunt = facts_;
        look_up(result.offenders);
        std::sort(result.offenders.begin(), result.offenders.end(), [](const Offender& a, const Offender& b) {
            return a.share.value != b.share.value ? a.share.value > b.share.value : a.offset < b.offset;
        });
        return result;
    }

  private:
    // What an offender's share is made of, over all its reigns.
    struct Counts {
        std::uint64_t test_events = 0;
        std::uint64_t test_matches = 0;
        std::uint64_t later_events = 0;
        std::uint64_t later_matches = 0;
    };
    struct PathSource {
        const FileFinds* file;
        std::uint32_t stream;
        std::uint64_t context;
    };

    void take_hunt(const rec::Hunt& row) {
        hunted_ = true;
        facts_.event = row.event;
        facts_.key = static_cast<rec::HuntKey>(row.key);
        facts_.precision = static_cast<rec::HuntPrecision>(row.precision);
        facts_.literal_pair = row.form == 1;
        facts_.kernel = row.engine == static_cast<std::uint64_t>(rec::HuntEngine::kKernel);
        facts_.cells = row.cells;
        facts_.every = row.every;
        facts_.share = row.share;
        facts_.refuse = row.refuse;
        facts_.confidence = row.confidence;
        facts_.false_reports = row.false_reports;
        facts_.events_alone = row.events_alone;
        facts_.events_among_many = row.events_among_many;
    }

    void take_end(FileFinds& file, const rec::HuntEnd& row) {
        file.hunt_ended = true;
        if (row.engine == static_cast<std::uint64_t>(rec::HuntEngine::kKernel)) {
            // One machine for the whole tree of processes: the last word is the largest.
            facts_.events = std::max(facts_.events, row.events);
            facts_.captures = std::max(facts_.captures, row.captures);
            facts_.overfull = std::max(facts_.overfull, row.overfull);
            facts_.dropped = std::max(facts_.dropped, row.dropped);
        } else {
            facts_.events += row.events;
            facts_.captures += row.captures;
            facts_.overfull += row.overfull;
            facts_.dropped += row.dropped;
        }
    }

    static program::ImageName name_of(const FileFinds& file, std::uint64_t image) {
        const auto known = file.images.find(image);
        return known == file.images.end()
                   ? program::ImageName{{}, {}, file.machine}
                   : program::ImageName{known->second.path, known->second.build_id, file.machine};
    }

    std::int64_t since_begin(std::uint64_t time) const {
        return static_cast<std::int64_t>(time) - static_cast<std::int64_t>(begin_);
    }

    // The same key in the same process is the same source, however often it was found.
    void merge(const FileFinds& file, std::vector<Offender>& offenders) {
        std::map<std::uint64_t, std::size_t> by_key;
        std::vector<Counts> counts;
        const std::size_t first = offenders.size();
        std::vector<FindRow> finds = file.finds;
        std::sort(finds.begin(), finds.end(),
                  [](const FindRow& a, const FindRow& b) { return a.row.time < b.row.time; });
        for (const FindRow& find : finds) {
            const auto [at, fresh] = by_key.emplace(find.row.key, offenders.size());
            if (fresh) {
                Offender offender;
                offender.image = name_of(file, find.row.image);
                offender.offset = find.row.offset;
                offender.data = find.row.data;
                offender.pid = file.pid;
                offender.tid = find.row.tid;
                offender.events = find.row.events;
                offender.matches = find.row.matches;
                offender.found_after = find.row.seen;
                offenders.push_back(std::move(offender));
                counts.push_back({find.row.events, find.row.matches, 0, 0});
                paths_.push_back({&file, find.stream, find.row.context});
            }
            const std::uint64_t last = std::max({file.last_time, end_, find.row.time});
            offenders[at->second].when.push_back({since_begin(find.row.time),
                                                  since_begin(find.ended ? find.end.time : last),
                                                  find.ended && find.end.quiet != 0});
            counts[at->second - first].later_events += find.end.events;
            counts[at->second - first].later_matches += find.end.matches;
        }
        for (std::size_t i = 0; i < counts.size(); ++i) {
            offenders[first + i].share = pairs::estimate_share(counts[i].test_events, counts[i].test_matches,
                                                               counts[i].later_events, counts[i].later_matches);
        }
    }

    // Names for the offenders' places and paths, one request an image.
    void look_up(std::vector<Offender>& offenders) const {
        std::map<std::pair<std::string, std::string>, std::size_t> index;
        std::vector<program::Request> requests;
        const auto ask = [&](const program::ImageName& image, std::uint64_t offset) {
            const auto [at, fresh] = index.emplace(std::pair(image.path, image.build_id), requests.size());
            if (fresh) {
                requests.push_back({image, {}});
            }
            requests[at->second].offsets.push_back(ImageOffset{offset});
            return at->second;
        };
        std::vector<std::vector<ContextNode>> paths(offenders.size());
        for (std::size_t i = 0; i < offenders.size(); ++i) {
            ask(offenders[i].image, offenders[i].offset);
            paths[i] = path_of(paths_[i]);
            for (const ContextNode& node : paths[i]) {
                ask(name_of(*paths_[i].file, node.image), node.offset);
            }
        }
        for (program::Request& request : requests) {
            std::sort(request.offsets.begin(), request.offsets.end());
            request.offsets.erase(std::unique(request.offsets.begin(), request.offsets.end()), request.offsets.end());
        }
        const program::Symbols symbols = program::symbolize(requests);
        const auto frames_at = [&](const program::ImageName& image, std::uint64_t offset) {
            const std::size_t request = index.at({image.path, image.build_id});
            const auto& offsets = requests[request].offsets;
            const auto at = std::lower_bound(offsets.begin(), offsets.end(), ImageOffset{offset});
            return symbols.images[request].at(static_cast<std::size_t>(at - offsets.begin()));
        };
        const auto place_of = [&](const program::Frame& frame) {
            const program::Function& function = symbols.functions[frame.function];
            return SourcePlace{function.name, symbols.files[frame.file], frame.line, function.module};
        };
        for (std::size_t i = 0; i < offenders.size(); ++i) {
            Offender& offender = offenders[i];
            const auto own = frames_at(offender.image, offender.offset);
            if (!own.empty()) {
                offender.place = place_of(own.back());
            }
            for (std::size_t node = 0; node < paths[i].size(); ++node) {
                const auto frames = frames_at(name_of(*paths_[i].file, paths[i][node].image), paths[i][node].offset);
                const bool is_leaf = node + 1 == paths[i].size();
                for (std::size_t frame = 0; frame + (is_leaf ? 1 : 0) < frames.size(); ++frame) {
                    offender.path.push_back(place_of(frames[frame]));
                }
            }
            constexpr unsigned kAround = 3;
            offender.listing = program::list_around(offender.image, offender.offset, kAround, kAround,
                                                    facts_.key != rec::HuntKey::kCallSite);
        }
    }

    // Outermost first.
    static std::vector<ContextNode> path_of(const PathSource& source) {
        std::vector<ContextNode> path;
        std::uint64_t context = source.context;
        constexpr std::size_t kDeepest = 4096;  // a damaged file may go round in circles
        while (context != 0 && path.size() < kDeepest) {
            const auto node = source.file->contexts.find({source.stream, context});
            if (node == source.file->contexts.end()) {
                break;
            }
            path.push_back(node->second);
            context = node->second.parent;
        }
        std::reverse(path.begin(), path.end());
        return path;
    }

    std::vector<FileFinds> files_;
    std::vector<std::pair<std::size_t, rec::FindEnd>> ends_;
    std::vector<PathSource> paths_;  // parallel to the offenders until they are sorted
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
    bool hunted_ = false;
    HuntFacts facts_;
};

}  // namespace

Result<Finds> load_finds(const recording::Recording& recording) {
    Loader loader;
    for (const rec::File& file : recording.files()) {
        if (auto scanned = loader.scan(file); !scanned) {
            return scanned.error();
        }
    }
    return loader.finish();
}

}  // namespace kymo::spacetime
