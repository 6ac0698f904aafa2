#include "spacetime/spaces/grammar.h"

#include "base/index.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

namespace kymo::spacetime {
namespace {

class RePair {
  public:
    explicit RePair(std::span<const std::uint32_t> sequence) : symbols_(sequence.begin(), sequence.end()) {
        const auto count = static_cast<std::uint32_t>(symbols_.size());
        next_.resize(count);
        previous_.resize(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            next_[i] = i + 1 < count ? i + 1 : kNone;
            previous_[i] = i > 0 ? i - 1 : kNone;
            if (symbols_[i] != kSeparator) {
                result_.first_rule = std::max(result_.first_rule, symbols_[i] + 1);
            }
        }
    }

    Grammar run() {
        // Repeated until nothing changes: in runs of one symbol a place may be skipped whose neighbour is
        // used up later.
        for (std::size_t before = 1; before != 0;) {
            before = result_.rules.size();
            pairs_.clear();
            index_.clear();
            for (std::uint32_t at = symbols_.empty() ? kNone : 0; at != kNone; at = next_[at]) {
                note(at);
            }
            while (!best_.empty()) {
                const Candidate candidate = best_.top();
                best_.pop();
                if (pairs_[candidate.pair].places.size() == candidate.count) {
                    replace(candidate);
                }
            }
            before = result_.rules.size() - before;
        }
        if (!symbols_.empty()) {
            for (std::uint32_t at = 0; at != kNone; at = next_[at]) {
                result_.start.push_back(symbols_[at]);
            }
        }
        return std::move(result_);
    }

  private:
    struct Pair {
        std::uint32_t left = 0;
        std::uint32_t right = 0;
        std::vector<std::uint32_t> places = {};  // positions where it was found; at some it may be replaced by now
    };
    struct Candidate {
        std::uint32_t count = 0;
        std::uint32_t pair = 0;
        bool operator<(const Candidate& other) const {
            return count != other.count ? count < other.count : pair > other.pair;
        }
    };

    bool is_pair_at(std::uint32_t at, const Pair& pair) const {
        return symbols_[at] == pair.left && next_[at] != kNone && symbols_[next_[at]] == pair.right;
    }

    // The pair that begins at `at` counts once more; in a run of one symbol only every second does.
    void note(std::uint32_t at) {
        if (at == kNone || next_[at] == kNone || symbols_[at] == kSeparator || symbols_[next_[at]] == kSeparator) {
            return;
        }
        const std::uint64_t key = std::uint64_t{symbols_[at]} << 32U | symbols_[next_[at]];
        const auto [known, is_new] = index_.try_emplace(key, static_cast<std::uint32_t>(pairs_.size()));
        if (is_new) {
            pairs_.push_back({symbols_[at], symbols_[next_[at]]});
        }
        Pair& pair = pairs_[known->second];
        if (!pair.places.empty()) {
            const std::uint32_t last = pair.places.back();
            if (last == at || (pair.left == pair.right && is_pair_at(last, pair) && next_[last] == at)) {
                return;
            }
        }
        pair.places.push_back(at);
        if (pair.places.size() >= 2) {
            best_.push({static_cast<std::uint32_t>(pair.places.size()), known->second});
        }
    }

    void replace(const Candidate& candidate) {
        Pair& pair = pairs_[candidate.pair];
        std::sort(pair.places.begin(), pair.places.end());
        std::vector<std::uint32_t> good;
        for (const std::uint32_t at : pair.places) {
            if (is_pair_at(at, pair) && (good.empty() || (at != good.back() && at != next_[good.back()]))) {
                good.push_back(at);
            }
        }
        if (good.size() < candidate.count) {  // fewer than expected: it waits for its turn
            pair.places = good;
            if (good.size() >= 2) {
                best_.push({static_cast<std::uint32_t>(good.size()), candidate.pair});
            }
            return;
        }
        pair.places.clear();
        const auto symbol = result_.first_rule + static_cast<std::uint32_t>(result_.rules.size());
        result_.rules.emplace_back(pair.left, pair.right);
        result_.uses.push_back(static_cast<std::uint32_t>(good.size()));
        for (const std::uint32_t at : good) {
            const std::uint32_t gone = next_[at];
            next_[at] = next_[gone];
            if (next_[gone] != kNone) {
                previous_[next_[gone]] = at;
            }
            symbols_[gone] = kSeparator;
            symbols_[at] = symbol;
        }
        for (const std::uint32_t at : good) {
            note(previous_[at]);
            note(at);
        }
    }

    std::vector<std::uint32_t> symbols_;
    std::vector<std::uint32_t> next_;
    std::vector<std::uint32_t> previous_;
    std::vector<Pair> pairs_;
    std::unordered_map<std::uint64_t, std::uint32_t> index_;
    std::priority_queue<Candidate> best_;
    Grammar result_;
};

}  // namespace

std::vector<std::uint32_t> Grammar::expand(std::uint32_t symbol, std::size_t most) const {
    std::vector<std::uint32_t> out;
    std::vector<std::uint32_t> stack = {symbol};
    while (!stack.empty() && out.size() < most) {
        const std::uint32_t top = stack.back();
        stack.pop_back();
        if (top >= first_rule && top - first_rule < rules.size()) {
            stack.push_back(rules[top - first_rule].second);
            stack.push_back(rules[top - first_rule].first);
        } else {
            out.push_back(top);
        }
    }
    return out;
}

Grammar compress(std::span<const std::uint32_t> sequence) {
    return RePair(sequence).run();
}

std::span<const std::uint32_t> primitive_root(std::span<const std::uint32_t> sequence) {
    // By the failure function of Knuth, Morris and Pratt.
    std::vector<std::size_t> border(sequence.size() + 1, 0);
    for (std::size_t i = 1, k = 0; i < sequence.size(); ++i) {
        while (k > 0 && sequence[i] != sequence[k]) {
            k = border[k];
        }
        k += sequence[i] == sequence[k] ? 1 : 0;
        border[i + 1] = k;
    }
    const std::size_t period = sequence.size() - border[sequence.size()];
    return period != 0 && sequence.size() % period == 0 ? sequence.first(period) : sequence;
}

}  // namespace kymo::spacetime
