#include "spacetime/look/looked_for.h"

namespace kymo::spacetime {
namespace {

namespace rec = recording;

constexpr std::size_t kMostEvents = 64;

std::vector<std::string> split(std::string_view texts, std::size_t most) {
    std::vector<std::string> result;
    while (!texts.empty() && result.size() < most) {
        const std::size_t end = std::min(texts.find('\0'), texts.size());
        result.emplace_back(texts.substr(0, end));
        texts.remove_prefix(std::min(end + 1, texts.size()));
    }
    return result;
}

}  // namespace

Result<LookedFor> load_looked_for(const rec::Recording& recording) {
    LookedFor found;
    for (const rec::File& file : recording.files()) {
        const auto report = file.scan(
            rec::on<rec::Look>([&](StreamId, const rec::Look& row) {
                found.is_look = true;
                found.recording = std::string(row.recording);
                found.begin = row.begin;
                found.events = split(row.events, kMostEvents);
            }),
            rec::on<rec::LeftOut>([&](StreamId, const rec::LeftOut& row) { found.left_out += row.samples; }));
        if (!report) {
            return report.error();
        }
    }
    return found;
}

Result<RunIdentity> load_run_identity(const rec::Recording& recording) {
    RunIdentity found;
    for (const rec::File& file : recording.files()) {
        const auto report = file.scan(rec::on<rec::Run>([&](StreamId, const rec::Run& row) {
            if (found.begin == 0) {
                found.begin = row.time;
                found.command = split(row.command, ~std::size_t{0});
                found.directory = std::string(row.directory);
            }
        }));
        if (!report) {
            return report.error();
        }
    }
    return found;
}

}  // namespace kymo::spacetime
