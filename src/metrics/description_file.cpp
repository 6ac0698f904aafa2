#include "metrics/description_file.h"

#include "metrics/parser.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace kymo::metrics {

Result<Description> read_description(const std::string& path) {
    if (path.empty()) {
        return Description{};
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return Error{ErrorKind::kNotFound, path + " cannot be read: " + std::strerror(errno),
                     "kymo measure METRICS.kym -- PROGRAM ARGUMENTS…"};
    }
    std::string text(std::size_t{kMaxDescription} + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    auto compiled = compile_description(text);
    if (auto* mistakes = std::get_if<std::vector<Mistake>>(&compiled)) {
        return error_of(*mistakes, path);
    }
    return std::get<Description>(std::move(compiled));
}

}  // namespace kymo::metrics
