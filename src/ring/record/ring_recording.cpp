#include "ring/record/ring_recording.h"

#include <fmt/format.h>

namespace kymo::ring {
namespace {

// Parts that were latched before the clock offset was known are dated to the flight of their token.
HostSample sample_of(const Sample& sample, const SamplePart& part) {
    if (part.part.clock_error < sample.home - sample.sent) {
        return {part.part.latched - static_cast<std::uint64_t>(part.part.offset), part.part.clock_error,
                part.records};
    }
    const Time half = (sample.home - sample.sent) / 2;
    return {sample.sent + half, half, part.records};
}

}  // namespace

HostFile* RingRecording::file(Slot slot, bool answers, Result<void>& failed) {
    const auto known = files_.find(slot);
    if (known != files_.end()) {
        return known->second.get();
    }
    HostFacts facts = settings_.facts;
    std::string name = "hosts.krec";
    if (slot != kManager) {
        facts.name = settings_.name_of(slot);
        name = fmt::format("host-{:07}.krec", slot);
        if (facts.name.empty() && !answers) {
            return nullptr;
        }
        facts.name = facts.name.empty() ? fmt::format("slot {}", slot) : facts.name;
    }
    auto made = HostFile::create(settings_.folder / name, facts, settings_.asked);
    if (!made) {
        failed = failed ? Result<void>(made.error()) : failed;
        return nullptr;
    }
    return files_.emplace(slot, std::move(*made)).first->second.get();
}

void RingRecording::know(const std::vector<AskedMetric>& asked) {
    settings_.asked = asked;
    for (const auto& [slot, host] : files_) {
        host->know(asked);
    }
}

Result<void> RingRecording::take(const Sample& sample) {
    Result<void> outcome;
    const Time asked_at = sample.deadline != 0 ? sample.deadline : sample.sent;
    if (sample.mode == Mode::kReduce) {
        HostFile* const all = file(kManager, true, outcome);
        if (all != nullptr && sample.coverage.is_whole()) {
            const Time half = (sample.latest - sample.earliest) / 2;
            const Time error = std::min(sample.clock_error, sample.home - sample.sent);
            all->take({sample.earliest + half, half + error, sample.records});
        } else if (all != nullptr) {
            all->no_answer(asked_at);
        }
        return outcome;
    }
    std::vector<const SamplePart*> answered(sample.coverage.slots, nullptr);
    for (const SamplePart& part : sample.parts) {
        if (part.part.slot < answered.size() && part.part.state != PartState::kHole) {
            answered[part.part.slot] = &part;
        }
    }
    for (Slot slot = 0; slot < answered.size(); ++slot) {
        HostFile* const host = file(slot, answered[slot] != nullptr, outcome);
        if (host != nullptr && answered[slot] != nullptr) {
            host->take(sample_of(sample, *answered[slot]));
        } else if (host != nullptr) {
            host->no_answer(asked_at);
        }
    }
    return outcome;
}

void RingRecording::end(Time at, bool interrupted) {
    for (const auto& [slot, host] : files_) {
        host->end(at, interrupted);
    }
}

std::uint64_t RingRecording::unwritten() const {
    std::uint64_t rows = 0;
    for (const auto& [slot, host] : files_) {
        rows += host->unwritten();
    }
    return rows;
}

}  // namespace kymo::ring
