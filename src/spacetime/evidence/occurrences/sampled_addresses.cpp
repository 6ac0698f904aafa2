#include "spacetime/evidence/occurrences/sampled_addresses.h"

namespace kymo::spacetime {

SampledAddresses number_addresses(const Profile& profile) {
    SampledAddresses result;
    result.of_node.assign(profile.nodes.size(), kNone);
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> numbers;
    for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
        const ProfileNode& node = profile.nodes[i];
        if (node.kind != NodeKind::kFrame || profile.self[i][kSamples] == 0) {
            continue;
        }
        const auto [known, is_new] =
            numbers.try_emplace({node.image, node.offset}, static_cast<std::uint32_t>(result.places.size()));
        if (is_new) {
            result.places.push_back(known->first);
        }
        result.of_node[i] = known->second;
        result.samples.resize(result.places.size());
        result.samples[known->second] +=
            static_cast<std::uint64_t>(std::max<std::int64_t>(profile.self[i][kSamples], 0));
    }
    return result;
}

}  // namespace kymo::spacetime
