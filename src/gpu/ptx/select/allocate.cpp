#include "gpu/ptx/select/allocate.h"

#include <algorithm>
#include <queue>

namespace kymo::gpu::ptx {
namespace {

struct Life {
    std::uint32_t number = 0;  // the register's
    std::uint64_t begin = ~std::uint64_t{0};
    std::uint64_t end = 0;
    void reach(std::uint64_t at) {
        begin = std::min(begin, at);
        end = std::max(end, at);
    }
};

// Reads of draft i are at 2i, writes at 2i + 1.
std::vector<Life> lives(const Function& function, const Flow& flow, std::span<const Draft> drafts) {
    const std::size_t registers = function.registers.size();
    std::vector<Life> life(registers);
    for (std::uint32_t number = 0; number < registers; ++number) {
        life[number].number = number;
    }
    const std::vector<RegisterSet> needed = needed_at_begin(flow, drafts, registers);
    for (std::uint32_t b = 0; b < flow.end(); ++b) {
        const FlowBlock& block = flow.blocks[b];
        needed[b].each([&](std::uint32_t number) { life[number].reach(std::uint64_t{2} * block.first); });
        for (const std::uint32_t next : block.next) {
            if (next != flow.end()) {
                needed[next].each(
                    [&](std::uint32_t number) { life[number].reach(std::uint64_t{2} * block.end - 1); });
            }
        }
        for (std::uint32_t i = block.first; i < block.end; ++i) {
            const Draft& draft = drafts[i];
            if (draft.is_gone) {
                continue;
            }
            const std::uint64_t at = std::uint64_t{2} * i;
            for (const Slot& slot : draft.slots) {
                if (!slot.is_register() || slot.number >= registers) {
                    continue;
                }
                bool other_width = draft.op.guarded != 0;
                for (const Slot& result : draft.slots) {
                    other_width = other_width || (result.is_register() && result.writes && result.bits != slot.bits);
                }
                if (!slot.writes) {
                    life[slot.number].reach(at + (other_width ? 1 : 0));
                } else {
                    life[slot.number].reach(at + 1);
                }
            }
            if (draft.guard.is_register()) {
                life[draft.guard.number].reach(at + 1);
            }
        }
    }
    std::erase_if(life, [](const Life& one) { return one.begin > one.end; });
    return life;
}

// Numbers that are free, the lowest first.
class Pool {
  public:
    std::uint32_t take() {
        for (std::uint32_t at = 0;; ++at) {
            if (free(at)) {
                use(at, true);
                return at;
            }
        }
    }
    std::uint32_t take_pair() {
        for (std::uint32_t at = 0;; at += 2) {
            if (free(at) && free(at + 1)) {
                use(at, true);
                use(at + 1, true);
                return at;
            }
        }
    }
    void give(std::uint32_t at) { use(at, false); }
    std::uint32_t most() const { return static_cast<std::uint32_t>(used_.size()); }

  private:
    bool free(std::uint32_t at) const { return at >= used_.size() || !used_[at]; }
    void use(std::uint32_t at, bool is) {
        if (at >= used_.size()) {
            used_.resize(at + 1, false);
        }
        used_[at] = is;
    }
    std::vector<bool> used_;
};

// The pool that a register takes its number from, and whether it takes two in a row.
struct From {
    std::size_t pool = 0;
    bool is_pair = false;
};

struct Numbers {
    std::vector<std::uint32_t> of;    // of each register; Places::kNone: not used
    std::vector<std::uint32_t> most;  // by pool
};

// `lives` by their begins.
template <typename F>
Numbers scan(const Function& function, std::span<const Life> lives, std::size_t count, F from) {
    Numbers numbers;
    numbers.of.assign(function.registers.size(), Places::kNone);
    const auto later = [](const Life& a, const Life& b) { return a.end > b.end; };
    std::priority_queue<Life, std::vector<Life>, decltype(later)> active(later);
    std::vector<Pool> pools(count);
    for (const Life& life : lives) {
        for (; !active.empty() && active.top().end < life.begin; active.pop()) {
            const std::uint32_t number = active.top().number;
            const From given = from(function.registers[number].type);
            pools[given.pool].give(numbers.of[number]);
            if (given.is_pair) {
                pools[given.pool].give(numbers.of[number] + 1);
            }
        }
        const From taken = from(function.registers[life.number].type);
        numbers.of[life.number] = taken.is_pair ? pools[taken.pool].take_pair() : pools[taken.pool].take();
        active.push(life);
    }
    for (const Pool& pool : pools) {
        numbers.most.push_back(pool.most());
    }
    return numbers;
}

// In a frame, predicates apart, registers of each width after those of the next wider one.
constexpr std::size_t kWidths = 4;
std::size_t width_pool(Type type) {
    return type == Type::kPredicate ? 0 : bytes(type) == 8 ? 1 : bytes(type) == 4 ? 2 : bytes(type) == 2 ? 3 : 4;
}

}  // namespace

Places allocate(const Function& function, const Flow& flow, std::span<const Draft> drafts) {
    std::vector<Life> all = lives(function, flow, drafts);
    std::sort(all.begin(), all.end(), [](const Life& a, const Life& b) { return a.begin < b.begin; });
    const Numbers machine = scan(function, all, 2, [](Type type) {
        return From{type == Type::kPredicate ? std::size_t{0} : std::size_t{1}, bytes(type) == 8};
    });
    Numbers frame =
        scan(function, all, 1 + kWidths, [](Type type) { return From{width_pool(type), bytes(type) == 8}; });
    std::vector<std::uint32_t> begin(1 + kWidths, 0);
    for (std::size_t pool = 2; pool <= kWidths; ++pool) {
        begin[pool] = begin[pool - 1] + frame.most[pool - 1];
    }
    for (std::size_t i = 0; i < frame.of.size(); ++i) {
        if (frame.of[i] != Places::kNone) {
            frame.of[i] += begin[width_pool(function.registers[i].type)];
        }
    }
    return {.number = machine.of,
            .registers = machine.most[1],
            .place = std::move(frame.of),
            .places = begin[kWidths] + frame.most[kWidths],
            .predicates = frame.most[0]};
}

}  // namespace kymo::gpu::ptx
