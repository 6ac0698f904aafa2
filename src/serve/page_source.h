// One reading of a recording, as the pages that are made of it.
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

// Called with the name of each stage of the work as it begins.
using OnStage = std::function<void(std::string_view stage)>;
// Reads the recording as it is now.
using OpenSource = std::function<Result<std::unique_ptr<PageSource>>(const OnStage& on_stage)>;

struct SourceOptions {
    std::string folder;  // the recording
    bool below_creators = true;
    view::PageOptions page = {};  // but for `range` and `served`
};

// Errors: as analysis::open_with_images() and analysis::analyse(). Cost: that of the analysis, which stays in memory.
OpenSource recording_source(SourceOptions options);

}  // namespace kymo::serve
