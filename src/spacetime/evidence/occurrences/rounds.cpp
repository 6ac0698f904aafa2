#include "spacetime/evidence/occurrences/rounds.h"

#include "spacetime/spaces/grammar.h"

#include <algorithm>
#include <set>

namespace kymo::spacetime {
namespace {

constexpr std::size_t kLongestRule = 64;

using Entry = OccurrenceSequence::Entry;

bool is_break(const Entry& entry) {
    return entry.node == kOutside || entry.node == kStreamEdge;
}

// The symbols that repeat.
std::set<std::uint32_t> repeated(const std::vector<Entry>& entries) {
    std::vector<std::uint32_t> symbols;
    std::vector<std::uint32_t> nodes;  // by symbol
    for (const Entry& entry : entries) {
        if (is_break(entry)) {
            symbols.push_back(kSeparator);
            continue;
        }
        const auto known = std::find(nodes.begin(), nodes.end(), entry.node);
        symbols.push_back(static_cast<std::uint32_t>(known - nodes.begin()));
        if (known == nodes.end()) {
            nodes.push_back(entry.node);
        }
    }
    const Grammar grammar = compress(symbols);
    std::set<std::uint32_t> result;
    for (std::uint32_t rule = 0; rule < grammar.rules.size(); ++rule) {
        const auto expansion = grammar.expand(grammar.first_rule + rule, kLongestRule + 1);
        const auto root = primitive_root(expansion);
        if (root.size() > kLongestRule) {
            continue;
        }
        for (const std::uint32_t symbol : root) {
            if (nodes[symbol] != kParentItself) {
                result.insert(nodes[symbol]);
            }
        }
    }
    return result;
}

double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Rounds from one anchor to the next. A round that a break ends before it has the usual number of parts is not
// used: its full duration is not known.
class RoundsOf {
  public:
    RoundsOf(const std::vector<Entry>& entries, std::uint32_t anchor) {
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const Entry& entry = entries[i];
            if (is_open_ && entry.node == anchor) {
                gaps.push_back(static_cast<double>(entry.begin - rounds_.back().round.begin));
                close(entry.begin, true);
            } else if (is_open_ && is_break(entry)) {
                close(entries[i - 1].end, false);
            }
            if (entry.node == anchor) {
                rounds_.push_back({{entry.begin, entry.end}});
                is_open_ = true;
            } else if (is_open_) {
                ++rounds_.back().parts;
            }
        }
        if (is_open_) {
            close(entries.back().end, false);
        }
    }

    std::vector<Round> whole() const {
        std::vector<double> parts;
        for (const Part& part : rounds_) {
            if (part.is_whole) {
                parts.push_back(static_cast<double>(part.parts));
            }
        }
        const double usual = parts.empty() ? 0 : median(parts);
        std::vector<Round> whole;
        for (const Part& part : rounds_) {
            if (part.is_whole || static_cast<double>(part.parts) >= usual) {
                whole.push_back(part.round);
            }
        }
        return whole;
    }

    std::vector<double> gaps;  // between anchors, ns

  private:
    struct Part {
        Round round;
        std::size_t parts = 1;  // occurrences
        bool is_whole = false;  // up to the next one's anchor
    };
    void close(std::uint64_t end, bool is_whole) {
        rounds_.back().round.end = end;
        rounds_.back().is_whole = is_whole;
        is_open_ = false;
    }

    std::vector<Part> rounds_;
    bool is_open_ = false;
};

Rounds rounds_of(const std::vector<Entry>& entries, std::uint32_t anchor) {
    RoundsOf found(entries, anchor);
    Rounds result{.anchor = anchor, .rounds = found.whole()};
    std::vector<double>& gaps = found.gaps;
    for (const Round& round : result.rounds) {
        result.covered_ns += round.end - round.begin;
    }
    if (result.rounds.size() < kLeastRounds || gaps.size() + 1 < kLeastRounds) {
        return {};
    }
    const double middle = median(gaps);
    for (double& gap : gaps) {
        gap = gap > middle ? gap - middle : middle - gap;
    }
    result.evenness = middle > 0 ? std::max(0.0, 1 - 1.4826 * median(gaps) / middle) : 0;
    return result;
}

}  // namespace

std::vector<Rounds> find_rounds(std::span<const OccurrenceSequence* const> sequences) {
    std::set<std::uint32_t> anchors;
    for (const OccurrenceSequence* sequence : sequences) {
        anchors.merge(repeated(sequence->entries()));
    }
    std::vector<Rounds> best(sequences.size());
    double best_score = 0;
    for (const std::uint32_t anchor : anchors) {
        std::vector<Rounds> all;
        double score = 0;
        for (const OccurrenceSequence* sequence : sequences) {
            all.push_back(rounds_of(sequence->entries(), anchor));
            score += static_cast<double>(all.back().covered_ns) * all.back().evenness;
        }
        // Nodes are ordered by their time: of nearly equal ones the first is kept.
        if (score > best_score * 1.02) {
            best_score = score;
            best = std::move(all);
        }
    }
    return best;
}

}  // namespace kymo::spacetime
