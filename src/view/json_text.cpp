#include "view/json_text.h"

#include <utility>

namespace kymo::view {

std::string json_text(nlohmann::ordered_json object, JsonForm form) {
    nlohmann::ordered_json all{{"schema", kJsonSchema}};
    for (auto& [key, value] : object.items()) {
        all[key] = std::move(value);
    }
    return all.dump(form == JsonForm::kLine ? -1 : 1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
           '\n';
}

}  // namespace kymo::view
