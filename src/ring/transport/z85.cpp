#include "ring/transport/z85.h"

namespace kymo::ring {
namespace {

constexpr std::string_view kDigits =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
static_assert(kDigits.size() == 85);

}  // namespace

std::string to_z85(const Key& key) {
    std::string text;
    for (std::size_t i = 0; i < key.size(); i += 4) {
        std::uint32_t value = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            value = value << 8U | key[i + k];
        }
        char digits[5];
        for (std::size_t k = 5; k-- > 0; value /= 85) {
            digits[k] = kDigits[value % 85];
        }
        text.append(digits, sizeof digits);
    }
    return text;
}

std::optional<Key> parse_z85(std::string_view text) {
    Key key{};
    if (text.size() != kKeyText) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < key.size(); i += 4) {
        std::uint64_t value = 0;
        for (std::size_t k = 0; k < 5; ++k) {
            const std::size_t digit = kDigits.find(text[i / 4 * 5 + k]);
            if (digit == std::string_view::npos) {
                return std::nullopt;
            }
            value = value * 85 + digit;
        }
        if (value > 0xFFFFFFFFU) {
            return std::nullopt;
        }
        for (std::size_t k = 4; k-- > 0; value >>= 8U) {
            key[i + k] = static_cast<std::uint8_t>(value);
        }
    }
    return key;
}

}  // namespace kymo::ring
