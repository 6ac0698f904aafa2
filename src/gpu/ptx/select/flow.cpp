#include "gpu/ptx/select/flow.h"

#include "gpu/trace/post_dominators.h"

#include <algorithm>

namespace kymo::gpu::ptx {
namespace {

// The first draft from `from` on that was not folded away.
std::size_t first_left(const std::vector<Draft>& drafts, std::size_t from) {
    while (from < drafts.size() && drafts[from].is_gone) {
        ++from;
    }
    return from;
}

void branches_to_exits(const Function& function, std::vector<Draft>& drafts) {
    if (!function.is_kernel) {
        return;
    }
    for (Draft& draft : drafts) {
        if (draft.ending != Ending::kBranch) {
            continue;
        }
        const std::size_t at = first_left(drafts, function.labels[draft.target].instruction);
        if (at == drafts.size() || (drafts[at].ending == Ending::kExit && drafts[at].op.guarded == 0)) {
            draft.ending = Ending::kExit;
        }
    }
}

}  // namespace

Flow flow_of(const Function& function, std::vector<Draft>& drafts) {
    branches_to_exits(function, drafts);
    const std::size_t count = drafts.size();
    std::vector<bool> begins(count + 1, false);
    begins[0] = true;
    for (const Label& label : function.labels) {
        if (!label.is_table && label.instruction <= count) {
            begins[label.instruction] = true;
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (drafts[i].ends_block) {
            begins[i + 1] = true;
        }
        if (drafts[i].ending == Ending::kCall && drafts[i].target == kPointer) {
            begins[i] = true;  // it may be executed once for each function that lanes call
        }
    }
    Flow flow;
    std::vector<std::uint32_t> block_at(count + 1);
    for (std::size_t i = 0; i < count; ++i) {
        if (begins[i]) {
            flow.blocks.push_back({static_cast<std::uint32_t>(i), 0, {}, 0});
        }
        flow.blocks.back().end = static_cast<std::uint32_t>(i + 1);
        block_at[i] = static_cast<std::uint32_t>(flow.blocks.size() - 1);
    }
    block_at[count] = flow.end();
    for (const Label& label : function.labels) {
        flow.block_of_label.push_back(label.is_table || label.instruction > count ? flow.end()
                                                                                  : block_at[label.instruction]);
    }
    for (FlowBlock& block : flow.blocks) {
        const Draft& last = drafts[block.end - 1];
        const std::uint32_t following = block_at[block.end];
        const bool always = last.op.guarded == 0;
        switch (last.ending) {
            case Ending::kBranch:
                block.next.push_back(flow.block_of_label[last.target]);
                break;
            case Ending::kTable:
                for (const std::uint32_t target : function.labels[last.target].targets) {
                    block.next.push_back(flow.block_of_label[target]);
                }
                break;
            case Ending::kExit:
                if (always) {
                    block.next.push_back(flow.end());
                }
                break;
            case Ending::kReturn:
                block.next.push_back(flow.end());
                break;
            case Ending::kFall:
            case Ending::kBarrier:
            case Ending::kWait:
            case Ending::kCall:
                break;
        }
        const bool leaves = last.ending == Ending::kBranch || last.ending == Ending::kTable ||
                            last.ending == Ending::kExit || last.ending == Ending::kReturn;
        if (!leaves || !always) {
            block.next.push_back(following);
        }
    }
    std::vector<std::vector<std::uint32_t>> next;
    for (const FlowBlock& block : flow.blocks) {
        next.push_back(block.next);
    }
    const std::vector<std::uint32_t> meets = immediate_post_dominators(next);
    for (std::size_t block = 0; block < flow.blocks.size(); ++block) {
        flow.blocks[block].meet = meets[block];
    }
    return flow;
}

bool RegisterSet::join(const RegisterSet& other) {
    bool grew = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        const std::uint64_t both = words_[i] | other.words_[i];
        grew = grew || both != words_[i];
        words_[i] = both;
    }
    return grew;
}

std::vector<RegisterSet> needed_at_begin(const Flow& flow, std::span<const Draft> drafts, std::size_t registers) {
    std::vector<RegisterSet> needed(flow.blocks.size(), RegisterSet(registers));
    const auto through = [&](const FlowBlock& block, RegisterSet& set) {
        for (std::uint32_t i = block.end; i-- > block.first;) {
            const Draft& draft = drafts[i];
            if (draft.is_gone) {
                continue;
            }
            for (const Slot& slot : draft.slots) {
                if (slot.is_register() && slot.writes && slot.number < registers && draft.op.guarded == 0) {
                    set.remove(slot.number);
                }
            }
            for (const Slot& slot : draft.slots) {
                if (slot.is_register() && slot.number < registers && (!slot.writes || draft.op.guarded != 0)) {
                    set.add(slot.number);
                }
            }
            if (draft.guard.is_register()) {
                set.add(draft.guard.number);
            }
        }
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t b = flow.end(); b-- > 0;) {
            RegisterSet set(registers);
            for (const std::uint32_t next : flow.blocks[b].next) {
                if (next != flow.end()) {
                    set.join(needed[next]);
                }
            }
            through(flow.blocks[b], set);
            changed = needed[b].join(set) || changed;
        }
    }
    return needed;
}

}  // namespace kymo::gpu::ptx
