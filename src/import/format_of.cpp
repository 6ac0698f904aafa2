#include "import/import.h"
#include "import/named/chrome_trace.h"
#include "import/named/input.h"
#include "import/named/perf_script.h"
#include "import/named/perfetto_trace.h"
#include "import/named/pprof_file.h"
#include "import/named/unpacked.h"

#include <string_view>

namespace kymo::import {

ImportFormat format_of(const std::filesystem::path& file) {
    constexpr std::size_t kLooked = std::size_t{64} << 10U;
    auto input = file == "-" ? Result<named::Input>(Error{}) : named::Input::open(file);
    if (!input) {
        return ImportFormat::kPerfData;  // whose reader tells why it cannot be read
    }
    const auto begin = input->peek(kLooked);
    if (!begin) {
        return ImportFormat::kPerfData;
    }
    const std::string_view text(reinterpret_cast<const char*>(begin->data()), begin->size());
    if (text.starts_with("PERFILE2") || text.starts_with("2ELIFREP")) {
        return ImportFormat::kPerfData;
    }
    const auto unpacked = named::decompressed_beginning(*begin, kLooked);
    return named::looks_like_chrome_trace(unpacked)     ? ImportFormat::kChromeTrace
           : named::looks_like_perfetto_trace(unpacked) ? ImportFormat::kPerfettoTrace
           : named::looks_like_pprof(*begin)            ? ImportFormat::kPprof
           : named::looks_like_perf_script(text)        ? ImportFormat::kPerfScript
                                                        : ImportFormat::kPerfData;
}

}  // namespace kymo::import
