#include "gpu/model/cta_signature.h"

#include "gpu/model/access_counts.h"
#include "gpu/model/generic_space.h"
#include "gpu/model/sectored_cache.h"

#include <algorithm>
#include <bit>

namespace kymo::gpu {
namespace {

constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    return spread(hash ^ value) + 0x9E37'79B9'7F4A'7C15U;
}

// Where the lanes lie, up to the line they begin in.
std::uint64_t shape(const LaneAddresses& addresses, std::uint32_t mask, std::uint64_t hash) {
    const std::uint64_t first = addresses.of[static_cast<unsigned>(std::countr_zero(mask))];
    hash = mixed(hash, first % kLineBytes);
    if (addresses.strided) {
        return mixed(hash, static_cast<std::uint64_t>(addresses.stride));
    }
    for (std::uint32_t left = mask & (mask - 1); left != 0; left &= left - 1) {
        hash = mixed(hash, addresses.of[static_cast<unsigned>(std::countr_zero(left))] - first);
    }
    return hash;
}

}  // namespace

std::uint64_t CtaSignature::of_warp(const KernelHeader& header, const Program& program, const WarpTrace& warp,
                                    std::vector<Touch>* touches, bool& accesses) {
    std::uint64_t hash = warp.id;
    WarpCursor cursor(program, warp);
    LaneAddresses addresses;
    Footprint footprint;
    while (cursor.next()) {
        const std::uint32_t mask = cursor.mask();
        hash = mixed(hash, std::uint64_t{cursor.index()} << 32U | mask);
        if (!cursor.has_addresses() || !cursor.addresses(addresses)) {
            continue;
        }
        accesses = true;
        hash = shape(addresses, mask, hash);
        const Op& op = program[cursor.index()].op;
        const std::uint64_t first = addresses.of[static_cast<unsigned>(std::countr_zero(mask))];
        if (touches != nullptr && resolved(header, op.space, first) == Space::kGlobal) {
            coalesce(addresses, mask, op.bytes, footprint);
            for (const LineAccess& line : footprint.all()) {
                touches->push_back({line, op.store || op.atomic});
            }
        }
    }
    return hash;
}

std::uint64_t CtaSignature::of(const KernelHeader& header, const Program& program, const Cta& cta,
                               std::vector<Touch>* touches) {
    std::uint64_t hash = cta.warps.size();
    for (const WarpTrace& warp : cta.warps) {
        if (last_ != nullptr && warp.code == last_) {
            hash = mixed(hash, last_signature_);
            continue;
        }
        bool accesses = false;
        const std::uint64_t signature = of_warp(header, program, warp, touches, accesses);
        hash = mixed(hash, signature);
        if (!accesses) {
            last_ = warp.code;
            last_signature_ = signature;
        }
    }
    return hash;
}

std::vector<CtaSignature::Share> CtaSignature::shares(const KernelHeader& header, const Program& program,
                                                      const Cta& cta) {
    std::vector<Share> all(program.size());
    LaneAddresses addresses;
    Footprint footprint;
    for (const WarpTrace& warp : cta.warps) {
        WarpCursor cursor(program, warp);
        while (cursor.next()) {
            const std::uint32_t mask = cursor.mask();
            Share& share = all[cursor.index()];
            share.instruction = cursor.index();
            count_issue(share.counts, mask);
            if (!cursor.has_addresses() || !cursor.addresses(addresses)) {
                continue;
            }
            const Op& op = program[cursor.index()].op;
            const Space space =
                resolved(header, op.space, addresses.of[static_cast<unsigned>(std::countr_zero(mask))]);
            if (space == Space::kShared) {
                count_shared(share.counts, shared_passes(addresses, mask, op.bytes), op.bytes);
            } else if (space != Space::kConstant) {
                if (space == Space::kLocal) {
                    interleave_local(addresses, mask, 0);
                }
                coalesce(addresses, mask, op.bytes, footprint);
                count_global(share.counts, footprint, mask, op.bytes);
            }
        }
    }
    std::erase_if(all, [](const Share& share) { return share.counts.issued == 0; });
    return all;
}

}  // namespace kymo::gpu
