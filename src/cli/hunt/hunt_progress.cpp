#include "cli/hunt/hunt_progress.h"

#include "base/clean_text.h"
#include "base/time.h"

#include <cstdio>
#include <fmt/format.h>
#include <string>

namespace kymo::cli {

Result<void> HuntProgress::started(launch::RunScene& scene) {
    looks_.begin(scene.begun);
    return {};
}

std::uint64_t HuntProgress::tick(launch::RunScene& scene, std::uint64_t now) {
    if (looks_.is_due(now) && !scene.is_gone) {
        look(scene.folder.reach(""), prints_);
        looks_.begin(monotonic_now().ns);  // from the end of this call on: it may take long
    }
    return looks_.next();
}

void HuntProgress::ended(launch::RunScene& scene, launch::RecordOutcome& /*outcome*/) {
    if (listener_ != nullptr) {
        look(scene.folder.reach(""), false);
    }
}

void HuntProgress::look(const std::filesystem::path& recording, bool prints) {
    found_.look(recording, {prints, listener_ != nullptr}, [&](const std::string& text, const std::string& json) {
        if (prints) {
            fmt::print(stderr, "{}", clean_screen(fmt::format("kymo: {}\n", text)));
        }
        if (listener_ != nullptr) {
            listener_->tell(json);
        }
    });
}

}  // namespace kymo::cli
