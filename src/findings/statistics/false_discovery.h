// False-discovery control (Benjamini and Hochberg 1995).
#pragma once

#include <span>
#include <vector>

namespace kymo::findings {

// By p-value: the smallest share of false ones, expected, among those shown, at which it would still be shown. Valid
// for independent and for positively dependent p-values. O(n log n).
std::vector<double> q_values(std::span<const double> p_values);

}  // namespace kymo::findings
