#include "program/symbolize.h"

#include "parallel/loops.h"
#include "program/code_names.h"
#include "program/debug_names.h"
#include "program/module_file.h"
#include "program/plt_names.h"
#include "program/symbol_names.h"

#include <algorithm>

namespace kymo::program {
namespace {

// An image with more offsets than this is shared between workers; below, opening the file once more would
// cost more than it saves.
constexpr std::size_t kOffsetsATask = 768;
constexpr std::size_t kMaxTasksAnImage = 8;

struct Task {
    std::size_t image = 0;
    std::vector<Wanted> wanted;
    CodeNames names;
    std::string warning;
};

std::vector<Task> plan(std::span<const Request> requests) {
    std::vector<Task> tasks;
    for (std::size_t image = 0; image < requests.size(); ++image) {
        const auto& offsets = requests[image].offsets;
        const std::size_t parts = std::clamp<std::size_t>(offsets.size() / kOffsetsATask, 1, kMaxTasksAnImage);
        for (std::size_t part = 0; part < parts; ++part) {
            Task task;
            task.image = image;
            const std::size_t begin = offsets.size() * part / parts;
            const std::size_t end = offsets.size() * (part + 1) / parts;
            for (std::size_t i = begin; i < end; ++i) {
                task.wanted.push_back({.offset = raw(offsets[i]), .frames = {}});
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
        const bool is_complete = std::all_of(task.wanted.begin(), task.wanted.end(),
                                             [](const Wanted& wanted) { return !wanted.frames.empty(); });
        const bool has_symbols = is_complete || name_by_symbols(file.module(), name, task.wanted, task.names);
        if (!debug_info.is_there && !has_symbols) {
            task.warning = image.path + ": stripped of all symbols; functions are shown as offsets";
        }
        name_by_plt(file.module(), name, task.wanted, task.names);
    }
    name_by_frames(file.module(), name, task.wanted, task.names);
}

// Appends a task's answers, its names renumbered.
void put_together(const Task& task, CodeNames& names, ImageSymbols& image) {
    std::vector<std::uint32_t> files;
    for (const std::string& file : task.names.files()) {
        files.push_back(names.file(file));
    }
    std::vector<std::uint32_t> functions;
    for (Function function : task.names.functions()) {
        if (functions.empty()) {
            functions.push_back(0);
            continue;
        }
        function.file = files[function.file];
        functions.push_back(names.function(std::move(function)));
    }
    for (const Wanted& wanted : task.wanted) {
        for (Frame frame : wanted.frames) {
            frame.function = functions[frame.function];
            frame.file = files[frame.file];
            image.frames.push_back(frame);
        }
        image.first.push_back(static_cast<std::uint32_t>(image.frames.size()));
    }
}

}  // namespace

void sort_offsets(std::vector<Request>& requests) {
    for (Request& request : requests) {
        std::sort(request.offsets.begin(), request.offsets.end());
        request.offsets.erase(std::unique(request.offsets.begin(), request.offsets.end()), request.offsets.end());
    }
}

Symbols symbolize(std::span<const Request> requests) {
    std::vector<Task> tasks = plan(requests);
    parallel::for_each_index(tasks.size(), [&](std::size_t i) { run(tasks[i], requests[tasks[i].image].image); });
    Symbols symbols;
    symbols.images.resize(requests.size());
    for (ImageSymbols& image : symbols.images) {
        image.first.push_back(0);
    }
    CodeNames names;
    for (const Task& task : tasks) {
        put_together(task, names, symbols.images[task.image]);
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
