#include "events/kept_code.h"

#include "base/line_words.h"
#include "events/session.h"

namespace kymo::events {
namespace {

int digit_of(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool parse_hex(std::string_view word, std::uint64_t& value) {
    value = 0;
    for (const char c : word) {
        const int digit = digit_of(c);
        if (digit < 0 || value >> 60U != 0) {
            return false;
        }
        value = value << 4U | static_cast<unsigned>(digit);
    }
    return !word.empty();
}

bool parse_image(std::string_view word, KeptCode& code) {
    if (word.empty() || word.size() % 2 != 0 || word.size() > 2 * kMaxBuildIdBytes ||
        code.image_count == kMaxKeptImages) {
        return false;
    }
    KeptImage& image = code.images[code.image_count++];
    image = KeptImage{};
    image.first = code.range_count;
    for (std::size_t i = 0; i < word.size(); i += 2) {
        const int high = digit_of(word[i]);
        const int low = digit_of(word[i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        image.build_id[image.build_id_bytes++] = static_cast<std::uint8_t>(high * 16 + low);
    }
    return true;
}

bool parse_range(std::string_view words, KeptCode& code) {
    if (code.image_count == 0 || code.range_count == kMaxKeptRanges) {
        return false;
    }
    KeptImage& image = code.images[code.image_count - 1];
    KeptRange range;
    if (!parse_hex(take_until(words, ' '), range.begin) || !parse_hex(take_until(words, ' '), range.end) ||
        !words.empty() || range.end <= range.begin ||
        (image.count != 0 && range.begin < code.ranges[code.range_count - 1].end)) {
        return false;
    }
    code.ranges[code.range_count++] = range;
    ++image.count;
    return true;
}

bool parse_event(std::string_view word, KeptCode& code) {
    std::uint64_t event = 0;
    if (!parse_hex(word, event) || event >= kMaxEvents) {
        return false;
    }
    code.events |= 1U << event;
    return true;
}

bool parse_line(std::string_view line, KeptCode& code) {
    const std::string_view word = take_until(line, ' ');
    return word == "image"   ? parse_image(line, code)
           : word == "range" ? parse_range(line, code)
                             : word == "event" && parse_event(line, code);
}

}  // namespace

int KeptCode::image_of(std::span<const std::uint8_t> build_id) const {
    for (std::uint32_t i = 0; i < image_count; ++i) {
        if (!build_id.empty() && images[i].build_id_bytes == build_id.size() &&
            __builtin_memcmp(images[i].build_id, build_id.data(), build_id.size()) == 0) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

bool KeptCode::holds(std::uint32_t image, std::uint64_t offset) const {
    std::uint32_t low = images[image].first;
    std::uint32_t high = low + images[image].count;
    while (low < high) {  // the first range that ends behind the offset
        const std::uint32_t middle = low + (high - low) / 2;
        if (ranges[middle].end <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < images[image].first + images[image].count && ranges[low].begin <= offset;
}

bool parse_kept_code(std::string_view text, KeptCode& code) {
    code.events = code.image_count = code.range_count = 0;
    if (text.size() > kMaxKeptFile || take_until(text, '\n') != "kymo-kept 1") {
        return false;
    }
    while (!text.empty()) {
        if (!parse_line(take_until(text, '\n'), code)) {
            return false;
        }
    }
    return true;
}

}  // namespace kymo::events
