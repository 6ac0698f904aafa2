#include "spacetime/evidence/node_weights.h"

namespace kymo::spacetime {

std::vector<double> node_weights(const Profile& profile, const KeptNodes& kept, const SampledAddresses& addresses,
                                 const std::vector<double>& weight_of_address,
                                 const std::vector<std::uint64_t>& pair_ends) {
    std::vector<double> weights(kept.size());
    for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
        if (kept.leaf_of[i] != kNone && addresses.of_node[i] != kNone) {
            weights[kept.leaf_of[i]] += weight_of_address[addresses.of_node[i]] * static_cast<double>(pair_ends[i]);
        }
    }
    for (std::size_t i = kept.size(); i-- > 0;) {
        if (kept.parent[i] != kNone) {
            weights[kept.parent[i]] += weights[i];
        }
    }
    return weights;
}

}  // namespace kymo::spacetime
