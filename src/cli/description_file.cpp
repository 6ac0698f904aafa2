#include "cli/description_file.h"

#include "metrics/parser.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace kymo::cli {

Result<metrics::Description> read_description(const std::string& path) {
    if (path.empty()) {
        return metrics::Description{};
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return Error{ErrorKind::kNotFound, path + " cannot be read: " + std::strerror(errno),
                     "kymo measure METRICS.kym -- PROGRAM ARGUMENTS…"};
    }
    std::string text(std::size_t{metrics::kMaxDescription} + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    auto compiled = metrics::compile_description(text);
    if (auto* mistakes = std::get_if<std::vector<metrics::Mistake>>(&compiled)) {
        return metrics::error_of(*mistakes, path);
    }
    return std::get<metrics::Description>(std::move(compiled));
}

}  // namespace kymo::cli
