// The rows of a run's account that are shown: those that hold the run up most, in words.
#pragma once

#include "spacetime/evidence/account.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kymo::view {

struct ShownAccountRow {
    std::string what;     // "taking and releasing locks (pthread_cond_broadcast)"
    std::string where;    // "f (a.cpp:12)"; empty: no place of the program's own
    std::string held_by;  // likewise: what the threads waited for was there
    std::int64_t ns = 0;
    std::int64_t shorter_ns = 0;  // the run without it
};

// `most` rows at most, what the run could be shorter by most first; none with less than half a percent of all time.
std::vector<ShownAccountRow> shown_account(const spacetime::Account& account, std::size_t most);

}  // namespace kymo::view
