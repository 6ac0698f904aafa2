#include "spacetime/spaces/space_table.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace kymo::spacetime {
namespace {

struct Piece {
    std::uint32_t function = kNone;
    CodeSpace space;
    PairCase rule = PairCase::kNoPath;
};

CodeSpace cut(const std::vector<KnownFunction>& functions, const SampledAt& at, bool tail) {
    if (at.function < functions.size() && functions[at.function].rule != nullptr) {
        const PairRule& rule = *functions[at.function].rule;
        return tail ? rule.tail(at.address) : rule.head(at.address);
    }
    return {.pairs = {{at.address, at.address}},
            .ranges = {{at.address, at.address + 1}},
            .parts = {},
            .instructions = kInstruction};
}

std::vector<Piece> pieces_of(const std::vector<KnownFunction>& functions, const AddressPairKey& key) {
    std::vector<Piece> pieces;
    const std::uint32_t function = key.a.function;
    if (function == key.b.function && function < functions.size() && functions[function].rule != nullptr) {
        PairSpaces found = functions[function].rule->between(key.a.address, key.b.address);
        for (CodeSpace& space : found.spaces) {
            pieces.push_back({function, std::move(space), found.rule});
        }
    } else {
        pieces.push_back({key.a.function, cut(functions, key.a, true)});
        pieces.push_back({key.b.function, cut(functions, key.b, false)});
    }
    return pieces;
}

__extension__ using WideSum = __int128;

}  // namespace

SpaceTable weigh(const PairCounts& counts, const std::vector<KnownFunction>& functions,
                 std::uint32_t no_function_image) {
    SpaceTable table;
    table.block_weight.resize(functions.size());
    for (std::size_t i = 0; i < functions.size(); ++i) {
        if (functions[i].rule != nullptr) {
            table.block_weight[i].resize(functions[i].rule->flow().graph.blocks.size(), 0);
        }
    }
    using Identity = std::tuple<std::uint32_t, std::vector<ByteRange>, bool>;
    struct Numbered {
        std::uint32_t number = 0;
        WeighedSpace space = {};
    };
    std::map<Identity, Numbered> spaces;
    table.of_pair.resize(counts.size());
    for (const std::size_t row : counts.sorted()) {
        const std::uint64_t occurrences = counts.occurrences(row);
        std::vector<Piece> pieces = pieces_of(functions, counts.key(row));
        std::uint64_t all = 0;
        for (const Piece& piece : pieces) {
            all += piece.space.instructions;
        }
        std::vector<std::int64_t> left(counts.sums(row).begin(), counts.sums(row).end());
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            Piece& piece = pieces[i];
            const bool known = piece.function < functions.size();
            const std::uint32_t image = known ? functions[piece.function].image : no_function_image;
            for (const BlockPart& part : piece.space.parts) {
                table.block_weight[piece.function][part.block] += part.instructions * occurrences;
            }
            const std::uint64_t weight = piece.space.instructions * occurrences;
            table.total_weight += weight;
            const std::uint64_t instructions = piece.space.instructions;
            Identity identity(image, piece.space.ranges, piece.space.uncertain);
            const auto [entry, is_new] =
                spaces.try_emplace(std::move(identity), Numbered{static_cast<std::uint32_t>(spaces.size())});
            SpacesOfPair& of_pair = table.of_pair[row];
            if (i == 0) {
                of_pair.first = entry->second.number;
                of_pair.first_share =
                    static_cast<std::uint32_t>(instructions * 65536 / std::max<std::uint64_t>(all, 1));
            } else {
                of_pair.second = entry->second.number;
            }
            WeighedSpace& into = entry->second.space;
            if (into.occurrences == 0) {
                into.image = image;
                into.space = std::move(piece.space);
                into.rule = piece.rule;
                into.sums.assign(counts.counters(), 0);
            }
            into.weight += weight;
            into.occurrences += occurrences;
            for (std::size_t k = 0; k < counts.counters(); ++k) {
                const WideSum whole = counts.sums(row)[k];
                const std::int64_t part =
                    i + 1 == pieces.size()
                        ? left[k]
                        : static_cast<std::int64_t>(whole * instructions / static_cast<WideSum>(all));
                into.sums[k] += part;
                left[k] -= part;
            }
        }
    }
    std::vector<std::uint32_t> places(spaces.size());
    for (auto& [identity, numbered] : spaces) {
        places[numbered.number] = static_cast<std::uint32_t>(table.spaces.size());
        table.spaces.push_back(std::move(numbered.space));
    }
    for (SpacesOfPair& pair : table.of_pair) {
        pair.first = pair.first < places.size() ? places[pair.first] : pair.first;
        pair.second = pair.second < places.size() ? places[pair.second] : pair.second;
    }
    return table;
}

std::vector<std::size_t> SpaceTable::heavier_than(Share share) const {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < spaces.size(); ++i) {
        if (is_above(spaces[i].weight, total_weight, share)) {
            kept.push_back(i);
        }
    }
    std::stable_sort(kept.begin(), kept.end(),
                     [&](std::size_t a, std::size_t b) { return spaces[a].weight > spaces[b].weight; });
    return kept;
}

}  // namespace kymo::spacetime
