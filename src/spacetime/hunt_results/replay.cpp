#include "spacetime/hunt_results/replay.h"

#include "pairs/design/exact.h"
#include "pairs/shared.h"
#include "spacetime/hunt_results/hunt_rows.h"
#include "spacetime/hunt_results/recorded_events.h"
#include "spacetime/hunt_results/sources.h"

#include <fmt/format.h>
#include <memory>

namespace kymo::spacetime {
namespace {

namespace rec = recording;
using pairs::News;
using pairs::Turn;

HuntFacts facts_of(const Replay& replay, const pairs::Rule& rule, rec::HuntPrecision precision) {
    const pairs::Promise promise = pairs::promise(rule, replay.wish.share, replay.wish.refuse);
    HuntFacts facts;
    facts.event = replay.event;
    facts.key = replay.key;
    facts.precision = precision;
    facts.engine = HuntedBy::kReplay;
    facts.literal_pair = replay.wish.form == pairs::Form::kPair;
    facts.cells = replay.wish.cells;
    facts.every = replay.wish.period;
    facts.share = replay.wish.share;
    facts.refuse = replay.wish.refuse;
    facts.confidence = replay.wish.confidence;
    facts.false_reports = replay.wish.false_reports;
    facts.events_alone = promise.events_alone;
    facts.events_among_many = promise.events_among_many;
    if (facts.literal_pair) {
        facts.all_terminal = rule.epoch[0].start / rule.unit;
        facts.matching_terminal = rule.epoch[0].bound;
    }
    facts.rest = std::max(rule.gap, 1U);
    return facts;
}

rec::HuntResultEnd end_of(const News& news, std::uint64_t time) {
    return {.time = time, .number = news.number, .quiet = 1, .events = news.events, .matches = news.matches};
}

// One process: what the monitor's handler does with its overflows (monitor/hunt), done with samples.
class ProcessReplay {
  public:
    ProcessReplay(const Replay& replay, const pairs::Rule& rule, RecordedEvents& recorded)
        : recorded_(recorded), file_(recorded.file), state_(std::make_unique<pairs::Shared>()) {
        pairs::start(state_->machine, rule, replay.seed ^ static_cast<std::uint32_t>(file_.pid));
        sources_ = sources_of(file_, recorded.executable, replay.key, recorded.paths);
    }

    void take(const RecordedEvent& event, HuntFacts& facts) {
        const Source& source = sources_[event.path];
        if (source.image != 0 && source.image == recorded_.monitor) {
            return;
        }
        facts.placeless += source.key == 0 ? 1 : 0;
        facts.by_instruction += source.exact ? 0 : 1;
        const pairs::Verdict verdict = pairs::step(state_->machine, source.key);
        if (verdict.turn == Turn::kNothing) {
            return;
        }
        const News news = *pairs::add_news(*state_, verdict);
        if (verdict.turn == Turn::kQuiet) {
            file_.ends.emplace(news.number, end_of(news, event.time));
            return;
        }
        const auto [stream, context] = recorded_.paths[event.path];
        rec::HuntResult row;
        row.time = event.time;
        row.number = news.number;
        row.key = news.key;
        row.image = source.image;
        row.offset = source.offset;
        row.context = context;
        row.tid = recorded_.threads[stream];
        row.events = news.events;
        row.matches = news.matches;
        row.seen = news.seen;
        row.captures = news.captures;
        file_.results.push_back({row, stream});
    }

    // Last words, as of a process that ends.
    rec::HuntEnd finish() {
        const pairs::Machine& machine = state_->machine;
        const std::uint64_t time = recorded_.events.empty() ? 0 : recorded_.events.back().time;
        for (std::uint32_t i = 0; i < pairs::kMaxFound; ++i) {
            if (pairs::found_key(machine, i) != 0) {
                const pairs::Found& found = machine.found[i];
                file_.ends.emplace(found.number, rec::HuntResultEnd{.time = time,
                                                                    .number = found.number,
                                                                    .quiet = 0,
                                                                    .events = pairs::events_since(machine, found),
                                                                    .matches = pairs::found_matches(machine, i)});
            }
        }
        return {.time = time,
                .engine = static_cast<std::uint64_t>(rec::HuntEngine::kProgram),
                .events = pairs::events_seen(machine),
                .captures = machine.captures,
                .overfull = machine.overfull};
    }

  private:
    RecordedEvents& recorded_;
    FileHunt& file_;
    std::vector<Source> sources_;
    std::unique_ptr<pairs::Shared> state_;
};

}  // namespace

Result<HuntResults> replay_hunt(std::span<const rec::File> files, const Replay& replay) {
    if (replay.key == rec::HuntKey::kDataPage || replay.key == rec::HuntKey::kDataLine) {
        return Error{ErrorKind::kUsage, "a recording's samples have no data addresses to hunt for",
                     "hunt by instruction or line, or, as root, while the program runs: kymo hunt -e page-faults "
                     "--key data-line -- PROGRAM"};
    }
    const auto rule = pairs::make_rule(replay.wish);
    if (!rule) {
        return rule.error();
    }
    auto recorded = read_events(files, replay.event);
    if (!recorded) {
        return recorded.error();
    }
    HuntRows rows;
    rows.hunted = true;
    rows.facts = facts_of(replay, *rule, recorded->precision);
    rows.begin = recorded->begin;
    rows.end = recorded->end;
    std::uint64_t all = 0;
    for (const RecordedEvents& process : recorded->processes) {
        all += process.events.size();
    }
    constexpr std::uint64_t kTellEach = 1U << 20U;
    std::uint64_t done = 0;
    for (RecordedEvents& process : recorded->processes) {
        ProcessReplay hunt(replay, *rule, process);
        for (const RecordedEvent& event : process.events) {
            hunt.take(event, rows.facts);
            if (++done % kTellEach == 0 && replay.on_progress) {
                replay.on_progress(done, all);
            }
        }
        process.file.hunt_end = hunt.finish();
        process.file.ended = true;
        rows.files.push_back(std::move(process.file));
    }
    rows.settle();
    return make_hunt_results(rows);
}

}  // namespace kymo::spacetime
