#include "spacetime/evidence/identity.h"

#include <string>

namespace kymo::spacetime {

std::uint64_t mix_identity(std::uint64_t identity, std::string_view text) {
    constexpr std::uint64_t kPrime = 0x100000001b3ULL;
    for (const char c : text) {
        identity = (identity ^ static_cast<unsigned char>(c)) * kPrime;
    }
    return identity * kPrime;  // a byte of 0: separates texts
}

std::vector<std::uint64_t> identities(const Profile& profile, const Structure& structure, const Names& names,
                                      const CodeMap& code) {
    std::vector<std::uint64_t> result(structure.nodes.size(), kNoIdentity);
    const program::Symbols& symbols = names.symbols();
    for (std::size_t i = 1; i < structure.nodes.size(); ++i) {
        const StructureNode& node = structure.nodes[i];
        std::uint64_t identity = result[node.parent];
        if (!node.is_group) {
            const program::Function& function = symbols.functions[node.function];
            identity = mix_identity(identity, function.module);
            identity = mix_identity(identity, function.name);
            identity = mix_identity(identity, node.kind == SpaceKind::kInlined ? "i" : "f");
            identity = mix_identity(identity, node.loop == kNone ? "" : std::to_string(node.loop));
            if (node.code < code.size()) {
                identity = mix_identity(identity, profile.images[code.image_of(node.code)].build_id);
            }
        }
        result[i] = identity;
    }
    return result;
}

}  // namespace kymo::spacetime
