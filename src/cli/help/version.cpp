#include "cli/help/version.h"

#include "cli/help/missing_parts.h"
#include "image/elf.h"
#include "recording/format.h"
#include "view/json_text.h"

#include <fmt/format.h>
#include <link.h>

namespace kymo::cli {
namespace {

// Of the running program's own file, in hexadecimal; empty: it was linked without one.
std::string own_build_id() {
    std::string id;
    dl_iterate_phdr(
        [](dl_phdr_info* image, std::size_t, void* into) {
            for (std::size_t i = 0; i < image->dlpi_phnum; ++i) {
                const ElfW(Phdr)& part = image->dlpi_phdr[i];
                if (part.p_type != PT_NOTE) {
                    continue;
                }
                const auto* const notes = reinterpret_cast<const std::uint8_t*>(image->dlpi_addr + part.p_vaddr);
                for (const std::uint8_t byte : image::find_build_id({notes, part.p_memsz}, part.p_align)) {
                    *static_cast<std::string*>(into) += fmt::format("{:02x}", byte);
                }
            }
            return 1;  // the program is the first
        },
        &id);
    return id;
}

}  // namespace

std::string version_text() {
    std::string text = "kymo " KYMO_VERSION "\n";
    if (const std::string id = own_build_id(); !id.empty()) {
        text += "build " + id + "\n";
    }
    text += fmt::format("formats: recording {}.{}, JSON schema {}\n", recording::kMajorVersion,
                        recording::kMinorVersion, view::kJsonSchema);
    for (const MissingPart& part : missing_parts()) {
        text += fmt::format("without {}: {}\n", part.what, part.why);
    }
    return text;
}

}  // namespace kymo::cli
