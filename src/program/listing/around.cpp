#include "program/listing/around.h"

#include "program/elf_sections.h"
#include "program/instruction_text.h"
#include "program/module_file.h"

#include <algorithm>
#include <optional>
#include <span>

namespace kymo::program {
namespace {

// Where the instructions up to the one that holds `at` begin, that one last; at most `most` before it. Code has no
// marks: decoding begins some way before, and falls into step soon. Only `at` where no way leads there.
std::vector<std::size_t> starts_before(const InstructionText& decode, std::span<const std::uint8_t> bytes,
                                       std::size_t at, std::size_t most, bool exact) {
    constexpr std::size_t kFar = 96;
    const std::size_t step = decode.decoder->alignment();
    for (std::size_t begin = (at - std::min(at, kFar)) / step * step; begin < at; begin += step) {
        std::vector<std::size_t> starts;
        std::size_t place = begin;
        while (place < at) {
            const std::size_t length = decode.length(bytes.subspan(place));
            if (length == 0) {
                break;
            }
            starts.push_back(place);
            place += length;
        }
        const bool inside = exact ? place == at : place > at;
        if (inside && !starts.empty()) {
            if (place == at) {
                starts.push_back(at);
            }
            if (starts.size() > most + 1) {
                starts.erase(starts.begin(), starts.end() - static_cast<std::ptrdiff_t>(most + 1));
            }
            return starts;
        }
    }
    return {at};
}

}  // namespace

std::vector<ListedInstruction> list_around(const ImageName& image, std::uint64_t offset, unsigned before,
                                           unsigned after, bool exact) {
    std::vector<ListedInstruction> lines;
    if (image.path.empty()) {
        return lines;
    }
    const ModuleFile file = ModuleFile::open(image);
    const InstructionText decode = InstructionText::of(file.machine());
    if (decode.decoder == nullptr) {
        return lines;
    }
    const std::optional<Section> code = section_at(file.module(), offset);
    if (!code || code->bytes.empty() || offset - code->address >= code->bytes.size()) {
        return lines;
    }
    const std::size_t at = offset - code->address;
    const std::vector<std::size_t> starts = starts_before(decode, code->bytes, at, before, exact);
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
        lines.push_back(
            {code->address + starts[i], decode.text(code->bytes.subspan(starts[i]), code->address + starts[i])});
    }
    std::size_t place = starts.back();
    for (unsigned i = 0; i <= after && place < code->bytes.size(); ++i) {
        const std::size_t length = decode.length(code->bytes.subspan(place));
        if (length == 0) {
            break;
        }
        lines.push_back({code->address + place, decode.text(code->bytes.subspan(place), code->address + place)});
        place += length;
    }
    return lines;
}

}  // namespace kymo::program
