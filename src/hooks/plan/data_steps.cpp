#include "hooks/plan/data_steps.h"

#include "cells/data.h"

#include <algorithm>
#include <variant>

namespace kymo::hooks {
namespace {

using cells::Operation;

// The comparison behind a load is signed where what is loaded is.
void make_signed(std::vector<cells::Step>& steps, std::size_t load) {
    std::size_t next = load;
    while (next < steps.size() && steps[next].operation == Operation::kLoad) {
        ++next;
    }
    if (next < steps.size() && steps[next].operation == Operation::kSkipIf) {
        steps[next].is_signed = 1;
    }
}

bool reads_standard_metric(const cells::Operand& operand) {
    return operand.source == cells::Source::kCell && operand.index < cells::kStandardCells;
}

}  // namespace

std::uint32_t DataSteps::load_of(const program::DataPlace& place) {
    cells::Load load{};
    load.base = place.base == program::DataPlace::Base::kThread     ? cells::LoadBase::kThread
                : place.base == program::DataPlace::Base::kArgument ? cells::LoadBase::kArgument
                                                                    : cells::LoadBase::kImage;
    load.bytes = static_cast<std::uint8_t>(place.bytes);
    load.shift = static_cast<std::uint8_t>(place.shift);
    load.bits = static_cast<std::uint8_t>(place.bits);
    load.is_signed = place.is_signed ? 1 : 0;
    load.links = static_cast<std::uint8_t>(place.offsets.size() - 1);
    load.argument = static_cast<std::uint8_t>(place.argument);
    std::copy(place.offsets.begin(), place.offsets.end(), load.offsets);
    if (place.base != program::DataPlace::Base::kArgument) {
        const std::filesystem::path& path = finder_->image(place.image);
        load.image = writer_.add_data(path, build_id_of(path));
    }
    return writer_.add_load(load);
}

std::optional<DataSteps::Problem> DataSteps::settle(const Request& request, const ImageFunctions& image,
                                                    std::uint64_t offset, program::DataScope::Kind kind,
                                                    std::vector<cells::Step>& steps) {
    if (request.data.empty()) {
        return std::nullopt;
    }
    if (!finder_) {
        finder_.emplace(images_);
    }
    program::DataScope scope;
    scope.image = static_cast<std::size_t>(std::find(images_.begin(), images_.end(), image.path()) - images_.begin());
    scope.offset = offset;
    scope.kind = kind;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].operation != Operation::kLoad) {
            continue;
        }
        const std::size_t name = steps[i].constant;
        const auto found = finder_->find(request.data[name], scope);
        if (const auto* none = std::get_if<program::NoData>(&found)) {
            return Problem{name, none->reason, none->is_unknown};
        }
        const auto& place = std::get<program::DataPlace>(found);
        if (place.base == program::DataPlace::Base::kThread && later_.contains(finder_->image(place.image))) {
            return Problem{name,
                           "'" + request.data[name].name + "' is thread-local in a library that is loaded later"};
        }
        steps[i].constant = load_of(place);
        if (place.is_signed) {
            make_signed(steps, i);
        }
    }
    return std::nullopt;
}

std::string needs_monitor(const Request& request) {
    if (!request.data.empty()) {
        return "conditions on the program's data need a monitor in it, and none can be loaded";
    }
    for (const auto* steps : {&request.entry, &request.exit}) {
        for (const cells::Step& step : *steps) {
            if (reads_standard_metric(step.left) || reads_standard_metric(step.right)) {
                return "standard metrics are filled in by a monitor in the program, and none can be loaded";
            }
        }
    }
    return {};
}

}  // namespace kymo::hooks
