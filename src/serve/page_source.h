// One reading of a recording, as the source of its pages.
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "view/page/page.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kymo::serve {

class PageSource {
  public:
    PageSource() = default;
    PageSource(const PageSource&) = delete;
    PageSource& operator=(const PageSource&) = delete;
    virtual ~PageSource() = default;

    // The whole run, or a part of it in more detail. `look`: which reading this is. Error: a file of the recording
    // cannot be read any more.
    virtual Result<std::string> page(const std::optional<TimeRange>& range, std::uint32_t look) const = 0;
};

// Callbacks while the recording is read; all members are set.
struct Progress {
    // With the name of each stage as it begins.
    std::function<void(std::string_view stage)> on_stage;
    // With a page of the whole run from an excerpt, at most once, if the whole takes long.
    std::function<void(std::string page)> on_first_look;
};
// Reads the recording in its present state. `look`: which reading this is.
using OpenSource = std::function<Result<std::unique_ptr<PageSource>>(std::uint32_t look, const Progress& progress)>;

struct SourceOptions {
    std::string folder;  // the recording
    bool below_creators = true;
    view::PageOptions page = {};  // except `range` and `served`
};

// With a first look at large recordings (analysis/first_look.h). Errors: as analysis::open_with_images() and
// analysis::analyse(). Cost: that of the analysis, which stays in memory.
OpenSource recording_source(SourceOptions options);

}  // namespace kymo::serve
