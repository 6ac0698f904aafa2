// Any text as a metric description: mistakes with places in the text, or steps that a program may be trusted with.
#include "metrics/description.h"
#include "metrics/parser.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo::metrics;
    const auto compiled = compile_description({reinterpret_cast<const char*>(data), size});
    if (const auto* mistakes = std::get_if<std::vector<Mistake>>(&compiled)) {
        if (mistakes->empty() || error_of(*mistakes, "file").what.empty()) {
            std::abort();
        }
        for (const Mistake& mistake : *mistakes) {
            if (mistake.at.line == 0 || mistake.at.column == 0 || mistake.at.line > size + 1 ||
                mistake.at.column > size + 1 || mistake.what.empty()) {
                std::abort();
            }
        }
        return 0;
    }
    const auto& description = std::get<Description>(compiled);
    if (description.metrics.empty() || description.cells.size() > kymo::cells::kNamedCells ||
        description.points.size() > kMaxStatements) {
        std::abort();
    }
    std::uint64_t cells[kymo::cells::kTaskCells] = {};
    kymo::cells::Timer timers[kymo::cells::kTaskTimers] = {};
    std::uint32_t bindings[kymo::cells::kTaskTimers] = {};
    const kymo::cells::TickRate rate;
    const kymo::cells::Task task{cells, timers, &rate, bindings};
    const std::uint64_t arguments[kymo::cells::kMaxArguments] = {1, 2, 3, 4, 5, 6};
    // Data that is not there: of an image that is not loaded.
    const std::vector<kymo::cells::Load> loads(kMaxDescription);
    const kymo::cells::DataImage image;
    const kymo::cells::DataSources sources{loads.data(), &image, nullptr};
    for (const InstrumentationPoint& point : description.points) {
        const kymo::cells::Step* steps = point.steps.data();
        if (point.function.empty() || !kymo::cells::valid(steps, point.steps.size(), point.data.size())) {
            std::abort();
        }
        kymo::cells::run(steps, steps + point.steps.size(), task, {point.at_exit ? nullptr : arguments, 7, &sources});
    }
    return 0;
}
