#include "serve/page_source.h"

#include "analysis/analysis.h"
#include "analysis/first_look.h"
#include "analysis/images.h"
#include "view/page/shell.h"

#include <algorithm>

namespace kymo::serve {
namespace {

class RecordingSource : public PageSource {
  public:
    RecordingSource(recording::Recording recording, view::PageOptions options)
        : recording_(std::move(recording)), options_(std::move(options)) {}

    std::optional<Error> analyse(bool below_creators, std::uint32_t look, const Progress& progress) {
        const analysis::SpaceTimeOptions asked{.below_creators = below_creators,
                                               .spaces = {.on_stage = progress.on_stage}};
        look_first(asked, look, progress);
        auto analysed = analysis::analyse(recording_, asked);
        if (!analysed) {
            return analysed.error();
        }
        analysis_.emplace(std::move(*analysed));
        return std::nullopt;
    }

    Result<std::string> page(const std::optional<TimeRange>& range, std::uint32_t look) const override {
        return page_of(*analysis_, range, look);
    }

  private:
    Result<std::string> page_of(const analysis::Analysis& analysis, const std::optional<TimeRange>& range,
                                std::uint32_t look) const {
        view::PageOptions options = options_;
        options.range = range;
        options.served = {.look = look, .is_growing = is_growing()};
        return view::make_page(analysis, view::page_shell(), options);
    }

    // An error here is one in the whole as well, and is reported there.
    void look_first(const analysis::SpaceTimeOptions& asked, std::uint32_t look, const Progress& progress) {
        recording_.set_excerpt(analysis::samples_for_first_look(recording_));
        if (!recording_.files().empty() && recording_.files().front().excerpt() != 0) {
            if (const auto first = analysis::first_look(recording_, asked)) {
                progress.on_stage("page");
                if (auto page = page_of(*first, std::nullopt, look)) {
                    progress.on_first_look(std::move(*page));
                }
            }
        }
        recording_.set_excerpt(0);
    }

    // A program that still runs, or one that was killed: in both cases files are not closed.
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
    return [options = std::move(options)](std::uint32_t look,
                                          const Progress& progress) -> Result<std::unique_ptr<PageSource>> {
        auto recording = analysis::open_with_images(options.folder);
        if (!recording) {
            return recording.error();
        }
        auto made = std::make_unique<RecordingSource>(std::move(*recording), options.page);
        if (const auto error = made->analyse(options.below_creators, look, progress)) {
            return *error;
        }
        return std::unique_ptr<PageSource>(std::move(made));
    };
}

}  // namespace kymo::serve
