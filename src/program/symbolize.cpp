#include "program/symbolize.h"

#include "base/last_at_most.h"
#include "base/time.h"
#include "parallel/loops.h"
#include "program/code_names.h"
#include "program/debug_names.h"
#include "program/go_names.h"
#include "program/image_search.h"
#include "program/module_file.h"
#include "program/plt_names.h"
#include "program/symbol_names.h"

#include <algorithm>
#include <ctime>
#include <functional>
#include <iterator>
#include <optional>

namespace kymo::program {
namespace {

// An image with more offsets than this is shared between workers; below, opening the file once more would
// cost more than it saves.
constexpr std::size_t kOffsetsATask = 768;
constexpr std::size_t kMaxTasksAnImage = 8;

const Wanted* find_wanted(const std::vector<Wanted>& all, std::uint64_t offset) {
    const Wanted* const found = last_at_most(all, offset, &Wanted::offset);
    return found != nullptr && found->offset == offset ? found : nullptr;
}

struct Task {
    std::size_t image = 0;
    std::vector<Wanted> wanted;
    CodeNames names;
    std::string warning;
    bool is_final = false;      // this build's names are whole: nothing is missing that may be there another time
    std::uint64_t cost_ns = 0;  // of a processor
};

using Known = std::vector<std::optional<NameCache::Image>>;  // by image

// For offsets that are not known yet.
std::vector<Task> plan(std::span<const Request> requests, const Known& known) {
    std::vector<Task> tasks;
    for (std::size_t image = 0; image < requests.size(); ++image) {
        std::vector<std::uint64_t> offsets;
        for (const ImageOffset offset : requests[image].offsets) {
            if (!known[image] || !find_wanted(known[image]->known, raw(offset))) {
                offsets.push_back(raw(offset));
            }
        }
        if (offsets.empty() && known[image]) {
            continue;
        }
        const std::size_t parts = std::clamp<std::size_t>(offsets.size() / kOffsetsATask, 1, kMaxTasksAnImage);
        for (std::size_t part = 0; part < parts; ++part) {
            Task task;
            task.image = image;
            const std::size_t begin = offsets.size() * part / parts;
            const std::size_t end = offsets.size() * (part + 1) / parts;
            for (std::size_t i = begin; i < end; ++i) {
                task.wanted.push_back({.offset = offsets[i], .frames = {}});
            }
            tasks.push_back(std::move(task));
        }
    }
    return tasks;
}

void run(Task& task, const ImageName& image) {
    if (image.path.empty()) {
        name_by_frames(nullptr, "[generated]", task.wanted, task.names);
        return;
    }
    const std::string name = module_name(image.path);
    const std::uint64_t begin = read_clock(CLOCK_THREAD_CPUTIME_ID).ns;
    const ModuleFile file = ModuleFile::open(image);
    task.warning = file.problem();
    if (file.module() != nullptr) {
        const DebugInfo debug_info = name_by_debug_info(file.module(), name, task.wanted, task.names);
        if (!debug_info.missing.empty()) {
            task.warning =
                image.path + ": part of its debug information is in " + debug_info.missing +
                ", which is not there: functions are named by symbols; put that file back (a Debian package's "
                "is in the package's -dbgsym)";
        }
        const auto is_complete = [&] {
            return std::all_of(task.wanted.begin(), task.wanted.end(),
                               [](const Wanted& wanted) { return !wanted.frames.empty(); });
        };
        const bool has_go_table = !is_complete() && name_by_go_table(file.module(), name, task.wanted, task.names);
        const bool has_symbols = is_complete() || name_by_symbols(file.module(), name, task.wanted, task.names);
        if (!debug_info.is_there && !has_go_table && !has_symbols) {
            task.warning = image.path + ": stripped of all symbols; functions are shown as offsets";
        }
        name_by_plt(file.module(), name, task.wanted, task.names);
        task.is_final = debug_info.is_there && debug_info.missing.empty();
    }
    name_by_frames(file.module(), name, task.wanted, task.names);
    task.cost_ns = read_clock(CLOCK_THREAD_CPUTIME_ID).ns - begin;
}

// Names of one worker, or of the cache, by their numbers in another table: put there when they are first used, so
// that numbers do not depend on who found what.
class Renumbered {
  public:
    Renumbered(const CodeNames& from, CodeNames& to)
        : from_(from), to_(to), functions_(from.functions().size(), kUnused), files_(from.files().size(), kUnused) {}

    Frame operator()(Frame frame) {
        frame.file = file(frame.file);
        if (std::uint32_t& number = functions_[frame.function]; number == kUnused) {
            Function function = from_.functions()[frame.function];
            function.file = file(function.file);
            number = frame.function == 0 ? 0 : to_.function(std::move(function));
        }
        frame.function = functions_[frame.function];
        return frame;
    }

  private:
    static constexpr std::uint32_t kUnused = UINT32_MAX;

    std::uint32_t file(std::uint32_t number) {
        if (files_[number] == kUnused) {
            files_[number] = to_.file(from_.files()[number]);
        }
        return files_[number];
    }

    const CodeNames& from_;
    CodeNames& to_;
    std::vector<std::uint32_t> functions_;
    std::vector<std::uint32_t> files_;
};

// What is known of an image, from the cache and from the tasks that looked up the rest (in the order of offsets).
class ImageAnswers {
  public:
    ImageAnswers(const std::optional<NameCache::Image>& cached, std::span<const Task> tasks, CodeNames& names)
        : cached_(cached), tasks_(tasks) {
        static const CodeNames kNone;
        by_source_.emplace_back(cached ? cached->names : kNone, names);
        for (const Task& task : tasks) {
            by_source_.emplace_back(task.names, names);
        }
    }

    // Of the next offset, ascending.
    std::vector<Frame> frames(std::uint64_t offset) {
        const Wanted* wanted = cached_ ? find_wanted(cached_->known, offset) : nullptr;
        std::size_t source = 0;
        if (wanted == nullptr) {
            for (; at_ == tasks_[task_].wanted.size(); at_ = 0) {
                ++task_;
            }
            wanted = &tasks_[task_].wanted[at_++];
            source = task_ + 1;
        }
        std::vector<Frame> frames;
        for (const Frame& frame : wanted->frames) {
            frames.push_back(by_source_[source](frame));
        }
        return frames;
    }

  private:
    const std::optional<NameCache::Image>& cached_;
    std::span<const Task> tasks_;
    std::vector<Renumbered> by_source_;
    std::size_t task_ = 0;
    std::size_t at_ = 0;
};

// Stores what is known of an image, if to find it took long.
void keep(const NameCache& cache, const std::string& build_id, const std::optional<NameCache::Image>& cached,
          std::span<const Task> tasks, std::uint64_t worth_keeping_ns) {
    std::uint64_t cost = 0;
    bool is_final = true;
    for (const Task& task : tasks) {
        cost += task.cost_ns;
        is_final = is_final && task.is_final;
    }
    if (tasks.empty() || !is_final || cost < worth_keeping_ns) {
        return;
    }
    NameCache::Image all;
    const auto add = [&](const CodeNames& from, const std::vector<Wanted>& wanted) {
        Renumbered numbers(from, all.names);
        for (const Wanted& one : wanted) {
            Wanted& copy = all.known.emplace_back(Wanted{.offset = one.offset, .frames = {}});
            std::transform(one.frames.begin(), one.frames.end(), std::back_inserter(copy.frames), std::ref(numbers));
        }
    };
    if (cached) {
        add(cached->names, cached->known);
    }
    for (const Task& task : tasks) {
        add(task.names, task.wanted);
    }
    std::sort(all.known.begin(), all.known.end(),
              [](const Wanted& a, const Wanted& b) { return a.offset < b.offset; });
    cache.write(build_id, all);
}

}  // namespace

void sort_offsets(std::vector<Request>& requests) {
    for (Request& request : requests) {
        std::sort(request.offsets.begin(), request.offsets.end());
        request.offsets.erase(std::unique(request.offsets.begin(), request.offsets.end()), request.offsets.end());
    }
}

Symbols symbolize(std::span<const Request> requests) {
    // Where only some directories may be looked into, what lay elsewhere is not known.
    return symbolize(requests, image_search().only ? NameCache() : NameCache::of_user());
}

Symbols symbolize(std::span<const Request> requests, const NameCache& cache, std::uint64_t worth_keeping_ns) {
    Known known(requests.size());
    parallel::for_each_index(requests.size(), [&](std::size_t i) {
        const ImageName& image = requests[i].image;
        known[i] = image.path.empty() ? std::nullopt : cache.read(image.build_id, module_name(image.path));
    });
    std::vector<Task> tasks = plan(requests, known);
    parallel::for_each_index(tasks.size(), [&](std::size_t i) { run(tasks[i], requests[tasks[i].image].image); });
    Symbols symbols;
    symbols.images.resize(requests.size());
    CodeNames names;
    for (std::size_t image = 0, at = 0; image < requests.size(); ++image) {
        const std::size_t begin = at;
        while (at < tasks.size() && tasks[at].image == image) {
            ++at;
        }
        const auto of_image = std::span<const Task>(tasks).subspan(begin, at - begin);
        ImageAnswers answers(known[image], of_image, names);
        ImageSymbols& found = symbols.images[image];
        found.first.push_back(0);
        for (const ImageOffset offset : requests[image].offsets) {
            const std::vector<Frame> frames = answers.frames(raw(offset));
            found.frames.insert(found.frames.end(), frames.begin(), frames.end());
            found.first.push_back(static_cast<std::uint32_t>(found.frames.size()));
        }
        keep(cache, requests[image].image.build_id, known[image], of_image, worth_keeping_ns);
    }
    for (const Task& task : tasks) {
        if (!task.warning.empty() &&
            std::find(symbols.warnings.begin(), symbols.warnings.end(), task.warning) == symbols.warnings.end()) {
            symbols.warnings.push_back(task.warning);
        }
    }
    symbols.functions = std::move(names).take_functions();
    symbols.files = std::move(names).take_files();  // NOLINT(bugprone-use-after-move): each takes its own part
    return symbols;
}

}  // namespace kymo::program
