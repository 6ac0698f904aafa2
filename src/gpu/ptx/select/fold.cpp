#include "gpu/ptx/select/fold.h"

namespace kymo::gpu::ptx {
namespace {

class Folder {
  public:
    Folder(const Flow& flow, std::vector<Draft>& drafts, std::size_t registers)
        : drafts_(drafts), writes_(registers, 0), unsafe_(registers) {
        for (const Draft& draft : drafts_) {
            for (const Slot& slot : draft.slots) {
                if (slot.is_register() && slot.writes) {
                    writes_[slot.number] += draft.op.guarded != 0 ? 2U : 1U;
                }
            }
        }
        if (!flow.blocks.empty()) {
            unsafe_ = needed_at_begin(flow, drafts_, registers)[0];
        }
    }

    void copies() {
        std::vector<Slot> is(writes_.size());
        for (Draft& draft : drafts_) {
            const Slot& to = draft.slots[kD];
            const Slot& what = draft.slots[kA];
            if (draft.pick.operation == Operation::kMove && draft.op.guarded == 0 && settled(to) && settled(what) &&
                to.bits == what.bits) {
                is[to.number] = what;
                draft.is_gone = true;
            }
        }
        const auto replace = [&](Slot& slot) {
            for (unsigned steps = 0; slot.is_register() && slot.number < is.size() && steps < 1000; ++steps) {
                const Slot& other = is[slot.number];
                if (other.kind == Slot::Kind::kNone) {
                    return;
                }
                slot = other;
            }
        };
        for (Draft& draft : drafts_) {
            for (Slot& slot : draft.slots) {
                if (!slot.writes) {
                    replace(slot);
                }
            }
        }
    }

    void products() {
        std::vector<std::vector<std::uint32_t>> uses(writes_.size());
        for (std::uint32_t i = 0; i < drafts_.size(); ++i) {
            for (const Slot& slot : drafts_[i].slots) {
                if (drafts_[i].is_gone || !slot.is_register() || slot.writes || slot.number >= uses.size()) {
                    continue;
                }
                // Once, even if it occurs several times: a missing operand repeats the operation's first one.
                if (auto& list = uses[slot.number]; list.empty() || list.back() != i) {
                    list.push_back(i);
                }
            }
        }
        for (Draft& product : drafts_) {
            const Slot& result = product.slots[kD];
            if (product.is_gone || product.pick.operation != Operation::kMulWide || product.op.guarded != 0 ||
                bytes(product.pick.type) != 4 || !settled(result) || !settled(product.slots[kA]) ||
                !settled(product.slots[kB]) || uses[result.number].empty()) {
                continue;
            }
            bool all = true;
            for (const std::uint32_t use : uses[result.number]) {
                const Draft& sum = drafts_[use];
                all = all && sum.pick.operation == Operation::kAdd && bytes(sum.pick.type) == 8 &&
                      sum.pick.type != Type::kF64 &&
                      is_result(sum.slots[kA], result) != is_result(sum.slots[kB], result);
            }
            if (!all) {
                continue;
            }
            for (const std::uint32_t use : uses[result.number]) {
                Draft& sum = drafts_[use];
                sum.slots[kC] = is_result(sum.slots[kA], result) ? sum.slots[kB] : sum.slots[kA];
                sum.slots[kA] = product.slots[kA];
                sum.slots[kB] = product.slots[kB];
                sum.pick = product.pick;
                sum.pick.operation = Operation::kMadWide;
                sum.op.mode = product.op.mode;
                sum.op.run = pick(sum.pick);
            }
            product.is_gone = true;
        }
    }

  private:
    // Written once or a preset, so that it is the same wherever it is read.
    bool settled(const Slot& slot) const {
        if (slot.kind == Slot::Kind::kConstant) {
            return true;
        }
        return slot.is_register() && slot.bits != 1 &&
               (slot.number >= writes_.size() || (writes_[slot.number] == 1 && !unsafe_.has(slot.number)));
    }
    static bool is_result(const Slot& slot, const Slot& result) {
        return slot.is_register() && slot.number == result.number;
    }

    std::vector<Draft>& drafts_;
    std::vector<std::uint32_t> writes_;
    RegisterSet unsafe_;  // may be read before they are written
};

}  // namespace

void fold(const Flow& flow, std::vector<Draft>& drafts, std::size_t registers) {
    Folder folder(flow, drafts, registers);
    folder.copies();
    folder.products();
}

}  // namespace kymo::gpu::ptx
