#include "hunt/hunt.h"

#include "base/time.h"
#include "events/attributes.h"
#include "events/names.h"
#include "events/probe.h"
#include "hunt/event_choice.h"
#include "hunt/kernel/kernel_pairs.h"
#include "launch/run/companion_file.h"
#include "recording/hunt_precision.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

namespace kymo::hunt {
namespace {

using recording::HuntKey;

constexpr std::string_view kKeyNames[] = {"instruction", "image",    "call-site", "data-page",
                                          "data-line",   "function", "line",      "block"};

bool needs_kernel(HuntKey key) {
    return key == HuntKey::kDataPage || key == HuntKey::kDataLine;
}

std::string request_of(const std::string& name, const events::SessionEvent& event) {
    const std::string rate = event.mode == events::Mode::kPeriod      ? fmt::format(":period={}", event.value)
                             : event.mode == events::Mode::kFrequency ? fmt::format(":freq={}", event.value)
                                                                      : "";
    return name + rate + (event.precise != 0 ? fmt::format(":precise={}", event.precise) : "");
}

recording::HuntPrecision precision_of(const events::SessionEvent& event) {
    if (events::counts_only_in_kernel(event)) {
        return recording::HuntPrecision::kConstant;  // the call that led into the kernel
    }
    return recording::hunt_precision(event.type, event.config, event.precise);
}

pairs::HuntAttributes attributes_of(const events::SessionEvent& event) {
    pairs::HuntAttributes attributes;
    attributes.type = event.type;
    attributes.config = event.config;
    attributes.config1 = event.config1;
    attributes.config2 = event.config2;
    attributes.period = events::is_clock(event) ? events::clock_period_ns(event) : event.value;
    attributes.precise = event.precise;
    attributes.user_only = !events::counts_only_in_kernel(event);
    return attributes;
}

std::string hunt_file_text(const pairs::HuntFile& file) {
    const pairs::HuntAttributes& attr = file.attributes;
    const pairs::Rule& rule = file.rule;
    std::string text = fmt::format("kymo-hunt 1\nevent {}\nattr {} {} {} {} {} {} {}\nkey {}\nseed {}\n", file.event,
                                   attr.type, attr.config, attr.config1, attr.config2, attr.period, attr.precise,
                                   attr.user_only ? 1 : 0, file.key, file.seed);
    if (file.kernel.holder != 0) {
        text += fmt::format("kernel {} {} {}\n", file.kernel.holder, file.kernel.program, file.kernel.state);
    }
    text += fmt::format("rule {} {} {} {} {} {} {} {}\n", static_cast<std::uint32_t>(rule.form), rule.cells,
                        rule.unit, rule.gain, rule.gap, rule.period, rule.hold, rule.hold_gain);
    for (std::uint32_t i = 0; i < rule.epochs; ++i) {
        text += fmt::format("epoch {} {}\n", rule.epoch[i].start, rule.epoch[i].bound);
    }
    return text;
}

// Whether this event can be hunted at all, with this key, by this engine.
Result<void> check(const HuntOptions& options, const events::SessionEvent& event) {
    if (options.key == HuntKey::kFunction || options.key == HuntKey::kLine || options.key == HuntKey::kBlock) {
        return Error{
            ErrorKind::kUnsupported,
            fmt::format("--key {} needs the program's symbols, which are not looked up while it runs",
                        key_name(options.key)),
            fmt::format("hunt by instruction; or record it (kymo record -e {}:period=1 -o run.kymo -- PROGRAM) "
                        "and kymo hunt --replay run.kymo -e {} --key {}",
                        event.name, event.name, key_name(options.key))};
    }
    const bool only_kernel = options.engine == Engine::kKernel || events::counts_only_in_kernel(event);
    if (options.key == HuntKey::kImage && only_kernel) {
        return Error{ErrorKind::kUsage, "the kernel's engine sees addresses, not images",
                     events::counts_only_in_kernel(event) ? "hunt by the program's own calls: --key call-site"
                                                          : "drop --engine kernel, or hunt by instruction"};
    }
    const bool has_data = event.type == PERF_TYPE_SOFTWARE && (event.config == PERF_COUNT_SW_PAGE_FAULTS ||
                                                               event.config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
                                                               event.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
    if (needs_kernel(options.key) && !has_data && event.type == PERF_TYPE_SOFTWARE) {
        return Error{
            ErrorKind::kUsage,
            fmt::format("{} has no data address, so there is no {} to hunt for", event.name, key_name(options.key)),
            "page-faults has one; or hunt by instruction"};
    }
    if (options.engine == Engine::kProgram && (needs_kernel(options.key) || events::counts_only_in_kernel(event))) {
        const std::string what =
            needs_kernel(options.key) ? "--key " + std::string(key_name(options.key)) : std::string(event.name);
        return Error{ErrorKind::kUsage, what + " can only be hunted by the kernel's engine",
                     "drop --engine program, and run as root"};
    }
    return {};
}

struct Prepared {
    events::SessionEvent event;
    pairs::Rule rule;
    std::optional<KernelPairs> kernel;
    std::string note;
};

// Uses the kernel's engine if it is requested, needed, or available; `note` has the reason if not.
Result<void> choose_engine(const HuntOptions& options, Prepared& prepared) {
    const bool only_kernel = options.engine == Engine::kKernel || needs_kernel(options.key) ||
                             events::counts_only_in_kernel(prepared.event);
    // Hardware events by frequency: in the program's engine the kernel adapts the period; a fixed period is not
    // adapted.
    const bool by_rate = prepared.event.mode == events::Mode::kFrequency && !events::is_clock(prepared.event);
    if (options.engine == Engine::kProgram || options.key == HuntKey::kImage || (by_rate && !only_kernel)) {
        return {};
    }
    if (by_rate) {
        return Error{ErrorKind::kUsage, fmt::format("the kernel's engine takes {} by a period", prepared.event.name),
                     fmt::format("for example -e {}:period=10007", prepared.event.name)};
    }
    KernelWish wish;
    wish.rule = prepared.rule;
    wish.key = static_cast<std::uint32_t>(options.key);
    // A signal would end waits early, but events that happen in user mode occur during no wait.
    const int signal = options.run.signal != 0 ? options.run.signal : SIGURG;
    wish.signal = events::counts_only_in_kernel(prepared.event) ? 0 : static_cast<std::uint32_t>(signal);
    wish.seed = options.seed;
    auto loaded = KernelPairs::load(wish);
    const Result<void> usable =
        loaded ? loaded->try_event(attributes_of(prepared.event)) : Result<void>(loaded.error());
    if (usable) {
        prepared.kernel.emplace(std::move(*loaded));
        return {};
    }
    if (only_kernel) {
        Error error = usable.error();
        if (options.engine != Engine::kKernel) {
            error.what = fmt::format("{} is hunted by {}", prepared.event.name, error.what);
            if (error.kind == ErrorKind::kPermission) {
                error.next = "run as root (or with CAP_BPF and CAP_PERFMON)";
            }
        }
        return error;
    }
    prepared.note = usable.error().what;
    return {};
}

// The hunt's file beside the session, and its row in the recording.
class HuntCompanion final : public launch::CompanionFile {
  public:
    HuntCompanion(const HuntOptions& options, const Prepared& prepared, const pairs::Promise& promise)
        : CompanionFile(pairs::kHuntFile), options_(options), prepared_(prepared), promise_(promise) {}

    Result<void> prepare(const launch::RecordOptions& /*options*/, const events::Session& session) override {
        if (options_.on_start) {
            options_.on_start(promise_, prepared_.kernel.has_value());
        }
        pairs::HuntFile file;
        file.key = static_cast<std::uint32_t>(options_.key);
        file.seed = options_.seed;
        file.rule = prepared_.rule;
        file.attributes = attributes_of(prepared_.event);
        for (std::uint32_t i = 0; i < session.event_count; ++i) {
            const events::SessionEvent& event = session.events[i];
            if (event.type == prepared_.event.type && event.config == prepared_.event.config &&
                event.config1 == prepared_.event.config1 && event.config2 == prepared_.event.config2) {
                file.event = i;
            }
        }
        if (prepared_.kernel) {
            file.kernel = prepared_.kernel->handles();
        }
        set_text(hunt_file_text(file));
        return {};
    }

  private:
    void write_rows(recording::StreamWriter& rows) override {
        recording::Hunt row;
        row.time = monotonic_now().ns;
        row.event = options_.event;
        row.engine = static_cast<std::uint64_t>(prepared_.kernel ? recording::HuntEngine::kKernel
                                                                 : recording::HuntEngine::kProgram);
        row.form = static_cast<std::uint64_t>(options_.wish.form);
        row.key = static_cast<std::uint64_t>(options_.key);
        row.cells = options_.wish.cells;
        row.every = options_.wish.period;
        row.precision = static_cast<std::uint64_t>(precision_of(prepared_.event));
        row.share = options_.wish.share;
        row.refuse = options_.wish.refuse;
        row.confidence = options_.wish.confidence;
        row.false_reports = options_.wish.false_reports;
        row.events_alone = promise_.events_alone;
        row.events_among_many = promise_.events_among_many;
        if (prepared_.rule.form == pairs::Form::kPair) {
            row.all_terminal = prepared_.rule.epoch[0].start / prepared_.rule.unit;
            row.matching_terminal = prepared_.rule.epoch[0].bound;
        }
        row.rest = std::max(prepared_.rule.gap, 1U);
        recording::write_schema<recording::Hunt>(rows);
        rows.append(row);
    }

    const HuntOptions& options_;
    const Prepared& prepared_;
    const pairs::Promise& promise_;
};

}  // namespace

std::string_view key_name(HuntKey key) {
    const auto index = static_cast<std::size_t>(key);
    return index < std::size(kKeyNames) ? kKeyNames[index] : "unknown";
}

std::optional<HuntKey> key_named(std::string_view name) {
    const auto* const at = std::find(std::begin(kKeyNames), std::end(kKeyNames), name);
    if (at == std::end(kKeyNames)) {
        return std::nullopt;
    }
    return static_cast<HuntKey>(at - std::begin(kKeyNames));
}

Result<HuntOutcome> hunt(const HuntOptions& options) {
    const auto rule = pairs::make_rule(options.wish);
    if (!rule) {
        return rule.error();
    }
    auto request = events::parse_request(options.event);
    if (!request) {
        return request.error();
    }
    auto event = events::resolve(*request);
    if (!event) {
        return event.error();
    }
    Prepared prepared{*event, *rule, std::nullopt, {}};
    choose_rate(prepared.event);
    events::KernelOpener opener;
    choose_precision(prepared.event, opener);
    if (auto good = check(options, prepared.event); !good) {
        return good.error();
    }
    if (auto chosen = choose_engine(options, prepared); !chosen) {
        return chosen.error();
    }
    const pairs::Promise promise = pairs::promise(*rule, options.wish.share, options.wish.refuse);
    launch::RecordOptions run = options.run;
    // Samples of the clock show roughly what the program did meanwhile; ten a second cost nothing.
    const bool hunts_clock = events::is_clock(prepared.event) && prepared.event.config == PERF_COUNT_SW_TASK_CLOCK;
    if (!hunts_clock || prepared.kernel) {
        run.events.emplace_back("task-clock:freq=10");
    }
    if (!prepared.kernel) {
        run.events.push_back(request_of(request->name, prepared.event));
    }
    HuntCompanion companion(options, prepared, promise);
    companion.fit(run);
    auto recorded = launch::record(run);
    if (!recorded) {
        return recorded.error();
    }
    return HuntOutcome{std::move(*recorded), promise, prepared.kernel.has_value(), prepared.note};
}

}  // namespace kymo::hunt
