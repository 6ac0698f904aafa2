#include "spacetime/hunt_results/recorded_events.h"

#include "recording/hunt_precision.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

// Whether and how each event of the recording was sampled, by name.
using KnownEvents = std::map<std::string, bool>;

class FileReader {
  public:
    FileReader(const std::string& event, RecordedRun& run, KnownEvents& known)
        : event_(event), run_(run), known_(known) {}

    // What the samples' numbers mean: streams come in no common order, so before the samples.
    Result<void> read_descriptions(const rec::File& file) {
        here_.file.pid = file.header().pid;
        here_.file.machine = file.header().machine;
        const auto report = file.scan(
            rec::on<rec::Run>([&](StreamId, const rec::Run& row) { run_.begin = row.time; }),
            rec::on<rec::RunEnd>([&](StreamId, const rec::RunEnd& row) { run_.end = row.time; }),
            rec::on<rec::Process>([&](StreamId, const rec::Process& row) { here_.executable = row.executable; }),
            rec::on<rec::Event>([&](StreamId, const rec::Event& row) { take(row); }),
            rec::on<rec::Image>([&](StreamId, const rec::Image& row) {
                here_.file.images[row.image] = {std::string(row.path), std::string(row.build_id)};
                if (row.path.ends_with("/libkymo-monitor.so")) {
                    here_.monitor = row.image;
                }
            }),
            rec::on<rec::Stream>([&](StreamId, const rec::Stream& row) {
                here_.threads[static_cast<std::uint32_t>(row.stream)] = row.tid;
            }),
            rec::on<rec::ProcessEnd>([&](StreamId, const rec::ProcessEnd& row) { here_.file.last_time = row.time; }));
        return report ? Result<void>() : Result<void>(report.error());
    }

    Result<void> read_samples(const rec::File& file) {
        if (!index_) {
            return {};
        }
        const auto report =
            file.scan(rec::on<rec::Context>([&](StreamId stream, const rec::Context& row) {
                          here_.file.contexts[{raw(stream), row.context}] = {row.parent, row.image, row.offset};
                      }),
                      rec::on<rec::Sample>([&](StreamId stream, const rec::Sample& row) {
                          if (row.event == *index_ && (row.flags & rec::kOwnWork) == 0) {
                              here_.events.push_back({row.time, path_index({raw(stream), row.context})});
                          }
                      }));
        if (!report) {
            return report.error();
        }
        if (!here_.events.empty()) {
            std::stable_sort(here_.events.begin(), here_.events.end(),
                             [](const RecordedEvent& a, const RecordedEvent& b) { return a.time < b.time; });
            run_.precision = precision_;
            run_.processes.push_back(std::move(here_));
        }
        return {};
    }

  private:
    void take(const rec::Event& row) {
        const bool is_sampled = row.mode != static_cast<std::uint64_t>(rec::EventMode::kCount);
        known_[std::string(row.name)] |= is_sampled;
        if (row.name == event_) {
            index_ = row.index;
            precision_ = rec::hunt_precision(row.kernel_type, row.kernel_config, row.precise);
        }
    }

    std::uint32_t path_index(const PathPlace& place) {
        const auto [at, fresh] = paths_.emplace(place, static_cast<std::uint32_t>(here_.paths.size()));
        if (fresh) {
            here_.paths.push_back(place);
        }
        return at->second;
    }

    const std::string& event_;
    RecordedRun& run_;
    KnownEvents& known_;
    RecordedEvents here_;
    std::optional<std::uint64_t> index_;
    rec::HuntPrecision precision_ = rec::HuntPrecision::kSkid;
    std::map<PathPlace, std::uint32_t> paths_;
};

Error nothing_recorded(const std::string& event, const KnownEvents& known) {
    std::string sampled;
    for (const auto& [name, is_sampled] : known) {
        if (is_sampled) {
            sampled += (sampled.empty() ? "" : ", ") + name;
        }
    }
    const auto at = known.find(event);
    const std::string what = at != known.end() && !at->second
                                 ? fmt::format("{} was counted in this recording, not sampled", event)
                                 : fmt::format("this recording has no samples of {}", event);
    return {ErrorKind::kUsage, what,
            fmt::format("{}record it: kymo record -e {}:period=1 -- PROGRAM (1: each event; larger: one in so many)",
                        sampled.empty() ? "" : fmt::format("it has samples of {}; or ", sampled), event)};
}

}  // namespace

Result<RecordedRun> read_events(std::span<const rec::File> files, const std::string& event) {
    RecordedRun run;
    KnownEvents known;
    for (const rec::File& file : files) {
        FileReader reader(event, run, known);
        if (auto read = reader.read_descriptions(file); !read) {
            return read.error();
        }
        if (auto read = reader.read_samples(file); !read) {
            return read.error();
        }
    }
    if (run.processes.empty()) {
        return nothing_recorded(event, known);
    }
    return run;
}

}  // namespace kymo::spacetime
