#include "serve/page_source.h"

#include "analysis/analysis.h"
#include "analysis/images.h"
#include "view/page/shell.h"

#include <algorithm>

namespace kymo::serve {
namespace {

class RecordingSource : public PageSource {
  public:
    RecordingSource(recording::Recording recording, view::PageOptions options)
        : recording_(std::move(recording)), options_(std::move(options)) {}

    std::optional<Error> analyse(bool below_creators, const OnStage& on_stage) {
        auto analysed =
            analysis::analyse(recording_, {.below_creators = below_creators, .spaces = {.on_stage = on_stage}});
        if (!analysed) {
            return analysed.error();
        }
        analysis_.emplace(std::move(*analysed));
        return std::nullopt;
    }

    Result<std::string> page(const std::optional<TimeRange>& range, std::uint32_t look) const override {
        view::PageOptions options = options_;
        options.range = range;
        options.served = {.look = look, .is_growing = is_growing()};
        return view::make_page(*analysis_, view::page_shell(), options);
    }

  private:
    // A program that still runs, or one that was killed: the files of both are not closed.
    [[nodiscard]] bool is_growing() const {
        return std::any_of(recording_.files().begin(), recording_.files().end(),
                           [](const recording::File& file) { return !file.header().closed; });
    }

    recording::Recording recording_;  // analysis_ points to it
    view::PageOptions options_;
    std::optional<analysis::Analysis> analysis_;
};

}  // namespace

OpenSource recording_source(SourceOptions options) {
    return [options = std::move(options)](const OnStage& on_stage) -> Result<std::unique_ptr<PageSource>> {
        auto recording = analysis::open_with_images(options.folder);
        if (!recording) {
            return recording.error();
        }
        auto made = std::make_unique<RecordingSource>(std::move(*recording), options.page);
        if (const auto error = made->analyse(options.below_creators, on_stage)) {
            return *error;
        }
        return std::unique_ptr<PageSource>(std::move(made));
    };
}

}  // namespace kymo::serve
