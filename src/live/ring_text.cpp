#include "live/ring_text.h"

#include "live/detail_view.h"
#include "live/ring_lines.h"
#include "view/json_text.h"

#include <utility>

namespace kymo::live {

std::string ring_text(const view::Style& style, const RingView& view, const std::vector<Asked>& asked,
                      const std::string& host, const DetailView* detail) {
    RingShown shown;
    if (detail != nullptr) {
        shown.chosen = detail->target.slot;
        shown.is_inside = true;
    }
    std::vector<std::string> lines = ring_lines(style, view, asked, shown);
    if (detail != nullptr) {
        lines.resize(1);
        lines.emplace_back();
        for (std::string& line : detail_lines(style, *detail, {})) {
            lines.push_back(std::move(line));
        }
    } else if (!host.empty()) {
        lines.push_back("No agent of the name " + host + " is known.");
    }
    std::string text;
    for (const std::string& line : lines) {
        text += line + "\n";
    }
    return text + "\n";
}

std::string ring_json_line(const RingView& view, const std::vector<Asked>& asked, const std::string& host,
                           const DetailView* detail) {
    using Json = nlohmann::ordered_json;
    Json json = ring_json(view, asked);
    if (!host.empty()) {
        json["detail"] = {{"host", host}};
        json["detail"].update(detail != nullptr
                                  ? detail_json(*detail)
                                  : Json{{"state", "unknown"}, {"why", "No agent of that name is known."}});
    }
    return view::json_text(std::move(json), view::JsonForm::kLine);
}

}  // namespace kymo::live
