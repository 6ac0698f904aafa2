// The binomial distribution, used in several places.
#pragma once

#include <boost/math/distributions/binomial.hpp>

namespace kymo::pairs {

using Binomial = boost::math::binomial_distribution<double>;

// P[Bin(n, p) ≥ k].
inline double at_least(double n, double p, double k) {
    return k <= 0 ? 1 : k > n ? 0 : boost::math::cdf(boost::math::complement(Binomial(n, p), k - 1));
}

}  // namespace kymo::pairs
