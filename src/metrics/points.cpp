#include "metrics/points.h"

#include "base/clean_text.h"
#include "events/suggest.h"
#include "launch/program.h"
#include "launch/started_programs.h"
#include "metrics/line_mistakes.h"
#include "program/inlined_calls.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace kymo::metrics {
namespace {

// A name that is neither in the description nor readable data.
Mistake unreadable(const NamedData& data, const hooks::Refused& refused) {
    return refused.is_unknown
               ? Mistake{data.at, refused.reason + data.near,
                         "a name means a constant, a cell or metric of the description, a standard metric "
                         "of threads, or a variable of the program"}
               : Mistake{data.at, refused.reason, "docs/metrics.md lists the data that can be read"};
}

// A function that has code and no address of its own; none for any other.
std::optional<Mistake> inlined(const InstrumentationPoint& point, std::span<const std::filesystem::path> images) {
    for (const std::filesystem::path& image : images) {
        const auto calls = program::inlined_calls({.path = image.string(), .build_id = {}}, point.function, 2);
        if (!calls.empty()) {
            const std::string at = fmt::format("{}:{}", std::filesystem::path(calls.front().file).filename().string(),
                                               calls.front().line);
            return Mistake{point.at,
                           fmt::format("'{}' is inlined into `{}` at {}{}: no call of it is left", point.function,
                                       calls.front().caller, at, calls.size() > 1 ? " and elsewhere" : ""),
                           fmt::format("use: at line {}", at)};
        }
    }
    return std::nullopt;
}

// The result of each instrumentation point: those without a function are mistakes of the description.
std::vector<Mistake> judge(const Description& description, const hooks::Planned& planned,
                           std::span<const std::filesystem::path> images) {
    std::vector<Mistake> mistakes;
    for (std::size_t i = 0; i < description.points.size(); ++i) {
        const InstrumentationPoint& point = description.points[i];
        const hooks::Outcome& outcome = planned.outcomes[i];
        // A line is hooked at all its places or not at all: otherwise its count would be wrong.
        const bool hooked =
            outcome.entries + outcome.imports + outcome.places != 0 && (point.line == 0 || outcome.refused.empty());
        if (point.line != 0 && !outcome.is_known()) {
            mistakes.push_back(no_such_line(point, outcome.no_line));
        } else if (auto is_inlined = outcome.is_known() ? std::nullopt : inlined(point, images)) {
            mistakes.push_back(std::move(*is_inlined));
        } else if (!outcome.is_known()) {
            const auto near = events::nearest(point.function, planned.known, 1);
            mistakes.push_back(
                {point.at,
                 fmt::format("no function '{}'{}{}", point.function, point.image.empty() ? "" : " in " + point.image,
                             near.empty() ? "" : fmt::format("; did you mean '{}'?", near.front())),
                 "static functions need symbols: build without -s, or install the debug symbols"});
        } else if (!hooked) {
            const hooks::Refused& refused = outcome.refused.front();
            if (refused.data) {
                mistakes.push_back(unreadable(point.data[*refused.data], refused));
                continue;
            }
            mistakes.push_back({point.at, fmt::format("{}: {}", refused.function, refused.reason),
                                point.line != 0 ? "measure a line before or after it, or the function around it"
                                                : "measure a function that calls it, or that it calls"});
        }
    }
    return mistakes;
}

// Functions that match a pattern and cannot be hooked: each once, by reason, the first of many by name.
void tell_left_out(const hooks::Planned& planned, const PointsWish& wish) {
    constexpr std::size_t kMostNames = 4;
    std::map<std::string, std::set<std::string>> by_reason;
    for (const hooks::Outcome& outcome : planned.outcomes) {
        for (const hooks::Refused& refused : outcome.refused) {
            by_reason[refused.reason].insert(refused.function);
        }
    }
    for (const auto& [reason, functions] : by_reason) {
        std::vector<std::string> names(functions.begin(), functions.end());
        if (names.size() == 1) {
            wish.note(fmt::format("left out: {}: {}", clean_text(names.front()), clean_text(reason)));
            continue;
        }
        const std::size_t more = names.size() > kMostNames ? names.size() - kMostNames : 0;
        names.resize(names.size() - more);
        wish.note(fmt::format("left out: {}{}: {}", clean_text(fmt::format("{}", fmt::join(names, ", "))),
                              more == 0 ? "" : fmt::format(" and {} more", more), clean_text(reason)));
    }
}

Result<std::vector<hooks::Request>> requests_of(const Description& description, const PointsWish& wish,
                                                hooks::Images& images) {
    std::vector<hooks::Request> requests;
    for (const InstrumentationPoint& point : description.points) {
        hooks::Request request;
        request.image = point.image;
        if (point.image.find('/') != std::string::npos) {  // a file that may be loaded later
            const std::filesystem::path file(point.image);
            if (!std::filesystem::is_regular_file(file)) {
                return error_of({{point.at, fmt::format("no file {}", point.image), "check the path"}},
                                wish.description);
            }
            const auto same = [&](const auto& image) { return std::filesystem::equivalent(image, file); };
            if (std::none_of(images.files.begin(), images.files.end(), same)) {
                images.files.push_back(std::filesystem::canonical(file));
                images.later.insert(images.files.back());
            }
            request.image = std::filesystem::canonical(file).filename();
        }
        (point.line != 0 ? request.file : request.function) = point.function;
        request.line = point.line;
        (point.at_exit ? request.exit : request.entry) = point.steps;
        for (const NamedData& data : point.data) {
            request.data.push_back(data.path);
        }
        requests.push_back(std::move(request));
    }
    return requests;
}

std::string refusal_of(int error) {
    constexpr int kNotSupported = 524;  // the kernel's own, which strerror() does not know
    return error == kNotSupported ? "begins with an instruction on which the kernel sets no probe"
                                  : fmt::format("is refused by the kernel: {}", std::strerror(error));
}

// The kernel's probes instead of a monitor that cannot be loaded. Probes that it refuses are left out.
Result<hooks::KernelProbes> load_probes(const Description& description, hooks::Planned& planned,
                                        const Error& obstacle, const PointsWish& wish) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> bindings;
    bindings.reserve(description.timers.size());
    for (const DescribedTimer& timer : description.timers) {
        bindings.emplace_back(timer.number, timer.cell);
    }
    const auto neither = [&](const Error& error) {
        return Error{error.kind, obstacle.what + "; " + error.what, error.next + "; or " + obstacle.next};
    };
    auto probes = hooks::KernelProbes::load(planned, bindings);
    if (!probes) {
        return neither(probes.error());
    }
    std::vector<hooks::NotTaken> not_taken;
    Result<void> tried;
    wish.while_trying([&] {
        tried = probes->try_out(planned.probes, [&](const hooks::Probe& probe, int error) {
            not_taken.push_back({probe, refusal_of(error)});
        });
    });
    if (!tried) {
        return neither(tried.error());
    }
    hooks::leave_out(planned, not_taken);
    return probes;
}

// The program itself, or the files of the programs that it starts.
struct Measured {
    std::vector<std::filesystem::path> images;
    std::optional<Error> obstacle;  // no monitor can be loaded into it
    bool gains_rights = false;
};

Result<Measured> look_at_program(const PointsWish& wish, std::string_view search_path, bool any) {
    const auto program = launch::find_program(wish.command.front(), search_path,
                                              any ? launch::Fitness::kAny : launch::Fitness::kForMonitor);
    if (!program) {
        return program.error();
    }
    auto images = program->obstacle ? hooks::images_listed(program->file) : hooks::images_of(program->path);
    if (!images) {
        return images.error();
    }
    return Measured{std::move(*images), program->obstacle, program->gains_rights};
}

Result<Measured> look_at_started(const PointsWish& wish, std::string_view search_path,
                                 std::span<const std::filesystem::path> programs) {
    Measured measured;
    for (const std::filesystem::path& started : programs) {
        const auto program = launch::find_program(started.string(), search_path);
        if (!program) {
            return program.error();
        }
        const auto images = hooks::images_of(program->path);
        if (!images) {
            return images.error();
        }
        for (const std::filesystem::path& image : *images) {
            if (std::find(measured.images.begin(), measured.images.end(), image) == measured.images.end()) {
                measured.images.push_back(image);
            }
        }
        if (wish.note) {
            wish.note(fmt::format("measured is {}, which {} starts", program->path.string(), wish.command.front()));
        }
    }
    return measured;
}

Result<Measured> look_at_command(const PointsWish& wish, bool any) {
    const char* path = std::getenv("PATH");
    const std::string_view search_path = path != nullptr ? path : "/usr/bin:/bin";
    if (any) {
        const auto started = launch::started_programs(wish.command, search_path);
        if (!started) {
            return started.error();
        }
        if (!started->empty()) {
            return look_at_started(wish, search_path, *started);
        }
    }
    return look_at_program(wish, search_path, any);
}

}  // namespace

Result<Points> plan_points(const Description& description, const PointsWish& wish) {
    auto measured = look_at_command(wish, !description.points.empty());
    if (!measured) {
        return measured.error();
    }
    const bool by_kernel = measured->obstacle.has_value();
    hooks::Images images{measured->images, {}};
    const auto requests = requests_of(description, wish, images);
    if (!requests) {
        return requests.error();
    }
    Points points;
    points.planned = hooks::plan(images, *requests, by_kernel ? hooks::Means::kProbes : hooks::Means::kHooks);
    points.gains_rights = measured->gains_rights;
    if (const auto mistakes = judge(description, points.planned, images.files); !mistakes.empty()) {
        return error_of(mistakes, wish.description);
    }
    const auto begin = std::chrono::steady_clock::now();
    if (by_kernel) {
        auto probes = load_probes(description, points.planned, *measured->obstacle, wish);
        if (!probes) {
            return probes.error();
        }
        points.probes.emplace(std::move(*probes));
        if (const auto mistakes = judge(description, points.planned, images.files); !mistakes.empty()) {
            return error_of(mistakes, wish.description);
        }
    }
    if (!wish.note) {
        return points;
    }
    tell_left_out(points.planned, wish);
    if (by_kernel) {
        const std::size_t places = points.planned.probes.size();
        // It takes as long to set them as to try them out.
        const auto took = std::chrono::round<std::chrono::seconds>(std::chrono::steady_clock::now() - begin).count();
        wish.note(fmt::format(
            "{}; the kernel stops it at {} place{} instead{}, and its children are not measured",
            measured->obstacle->what, places, places == 1 ? "" : "s",
            took < 2 || points.probes->takes_many() ? "" : fmt::format(" (setting them takes about {} s)", took)));
    }
    return points;
}

}  // namespace kymo::metrics
