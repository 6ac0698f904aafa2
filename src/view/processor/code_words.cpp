#include "view/processor/code_words.h"

#include "program/demangle.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::view {
namespace {

std::string file_name(const program::SourcePlace& place) {
    return place.file.substr(place.file.rfind('/') + 1);
}

}  // namespace

std::string code_words(const program::SourcePlace& place) {
    if (place.function.empty() || place.line == 0) {
        return program::plain_name(place.function);
    }
    return fmt::format("{} ({}:{})", program::plain_name(place.function), file_name(place), place.line);
}

std::string code_words(const program::SourcePlace& first, const program::SourcePlace& last) {
    const bool is_one = first.file == last.file && first.line != 0 && last.line != 0 && first.line != last.line;
    return is_one ? fmt::format("{} ({}:{}–{})", program::plain_name(first.function), file_name(first),
                                std::min(first.line, last.line), std::max(first.line, last.line))
                  : code_words(first);
}

nlohmann::ordered_json code_json(const program::SourcePlace& place) {
    if (place.function.empty()) {
        return nullptr;
    }
    return {{"function", place.function}, {"module", place.module}, {"file", place.file}, {"line", place.line}};
}

}  // namespace kymo::view
