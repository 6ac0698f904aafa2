// Steps that read the program's data, made for a place: a name is resolved to a variable, member or parameter for
// each function and line again.
//
// A request's loads (cells::Operation::kLoad) number its own names; those of the plan number the plan's loads.
#pragma once

#include "hooks/plan/image_functions.h"
#include "hooks/plan/plan_writer.h"
#include "hooks/plan/request.h"
#include "program/data/data_finder.h"

#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace kymo::hooks {

class DataSteps {
  public:
    // `later`: those of the images that the program loads by itself.
    DataSteps(std::span<const std::filesystem::path> images, std::set<std::filesystem::path> later,
              PlanWriter& writer)
        : images_(images), later_(std::move(later)), writer_(writer) {}

    struct Problem {
        std::size_t name = 0;  // of the request's
        std::string reason;
        bool is_unknown = false;  // nothing has that name
    };
    // None: `steps`, the request's, are ready for the plan.
    std::optional<Problem> settle(const Request& request, const ImageFunctions& image, std::uint64_t offset,
                                  program::DataScope::Kind kind, std::vector<cells::Step>& steps);

  private:
    std::uint32_t load_of(const program::DataPlace& place);

    std::span<const std::filesystem::path> images_;
    std::set<std::filesystem::path> later_;
    PlanWriter& writer_;
    std::optional<program::DataFinder> finder_;  // opened where a request names data
};

// Whether the request needs data that only a monitor in the program has: its data, or the standard metrics of its
// threads. Empty: no. Otherwise why it is not available from outside.
std::string needs_monitor(const Request& request);

}  // namespace kymo::hooks
