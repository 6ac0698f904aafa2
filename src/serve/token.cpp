#include "serve/token.h"

#include <array>
#include <fmt/format.h>
#include <sys/random.h>

namespace kymo::serve {

Result<std::string> make_token() {
    std::array<unsigned char, 16> random{};
    if (getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
        return Error{ErrorKind::kPermission, "the system gives no random bytes for the page's address",
                     "write the page to a file instead: kymo view REC.kymo"};
    }
    return fmt::format("{:02x}", fmt::join(random, ""));
}

bool is_same_token(std::string_view one, std::string_view other) {
    unsigned different = one.size() == other.size() ? 0 : 1;
    for (std::size_t i = 0; i < one.size() && i < other.size(); ++i) {
        different |= static_cast<unsigned>(one[i] ^ other[i]);
    }
    return different == 0;
}

}  // namespace kymo::serve
