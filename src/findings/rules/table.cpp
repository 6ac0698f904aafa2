#include "findings/rules/table.h"

#include <array>

namespace kymo::findings {

std::span<const Rule* const> rules() {
    static constexpr std::array kRules = {
        &kSlowInstance,
    };
    return kRules;
}

}  // namespace kymo::findings
