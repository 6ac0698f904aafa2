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

}  // namespace

Places allocate(const Function& function, const Flow& flow, std::span<const Draft> drafts) {
    Places places;
    places.number.assign(function.registers.size(), Places::kNone);
    std::vector<Life> all = lives(function, flow, drafts);
    std::sort(all.begin(), all.end(), [](const Life& a, const Life& b) { return a.begin < b.begin; });
    const auto later = [](const Life& a, const Life& b) { return a.end > b.end; };
    std::priority_queue<Life, std::vector<Life>, decltype(later)> active(later);
    Pool registers;
    Pool predicates;
    for (const Life& life : all) {
        while (!active.empty() && active.top().end < life.begin) {
            const std::uint32_t number = active.top().number;
            const Type type = function.registers[number].type;
            const std::uint32_t place = places.number[number];
            if (type == Type::kPredicate) {
                predicates.give(place);
            } else {
                registers.give(place);
                if (bytes(type) == 8) {
                    registers.give(place + 1);
                }
            }
            active.pop();
        }
        const Type type = function.registers[life.number].type;
        places.number[life.number] = type == Type::kPredicate ? predicates.take()
                                     : bytes(type) == 8       ? registers.take_pair()
                                                              : registers.take();
        active.push(life);
    }
    places.registers = registers.most();
    places.predicates = predicates.most();
    return places;
}

}  // namespace kymo::gpu::ptx
