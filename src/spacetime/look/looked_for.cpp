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

void LookRows::read_from(const rec::File& /*file*/, rec::Handlers& handlers) {
    handlers.on<rec::Look>([this](StreamId, const rec::Look& row) {
        here.is_look = true;
        here.recording = std::string(row.recording);
        here.begin = row.begin;
        here.events = split(row.events, kMostEvents);
    });
    handlers.on<rec::LeftOut>([this](StreamId, const rec::LeftOut& row) { here.left_out += row.samples; });
}

LookedFor looked_for(const std::vector<LookRows>& files) {
    LookedFor found;
    for (const LookRows& file : files) {
        const std::uint64_t left_out = found.left_out + file.here.left_out;
        found = file.here.is_look ? file.here : std::move(found);
        found.left_out = left_out;
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
