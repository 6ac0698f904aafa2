#include "gpu/basic/skipped.h"

#include "gpu/trace/post_dominators.h"
#include "gpu/trace/warp_code.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace kymo::gpu {
namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;

bool is_call(const StaticInstruction& instruction) {
    const std::string_view opcode = instruction.opcode;
    return opcode.starts_with("CALL") || opcode.starts_with("RET");
}
bool is_jump(const StaticInstruction& instruction) {
    return instruction.op.op_class == OpClass::kBranch && !is_call(instruction);
}

void add_once(std::vector<std::uint32_t>& list, std::uint32_t one) {
    if (std::find(list.begin(), list.end(), one) == list.end()) {
        list.push_back(one);
    }
}

// The edges that a warp followed. Between the end of one diverged path and the beginning of the other there is no
// edge, because no lane that was active before goes there. A jump's mask has the lanes that jump; the others
// continue behind it.
void add_edges(const Program& program, WarpCursor& cursor, Graph& next) {
    constexpr std::uint64_t kLargestInstruction = 16;  // bytes
    std::uint32_t before = 0;
    std::uint32_t jumping = 0;  // the mask there
    std::uint32_t active = 0;   // lanes seen on the path to here
    for (bool first = true; cursor.next(); first = false) {
        const std::uint32_t here = cursor.index();
        const std::uint32_t mask = cursor.mask();
        if (first) {
            active = mask;
        } else {
            const bool follows =
                program[here].pc > program[before].pc && program[here].pc - program[before].pc <= kLargestInstruction;
            const bool is_from_jump = is_jump(program[before]);
            const std::uint32_t staying = active & ~jumping;
            const bool falls = follows && (!is_from_jump || (staying & mask) != 0 || (staying | mask) == 0);
            const bool jumps = is_from_jump && (jumping & mask) != 0;
            if (falls || jumps || is_call(program[before])) {
                add_once(next[before], here);
            }
            active = mask | (is_from_jump ? (jumps ? jumping : falls ? staying : 0) : falls ? active : 0);
        }
        before = here;
        jumping = mask;
    }
}

// The code on forward paths from an instruction to a meeting point.
class WaysForward {
  public:
    WaysForward(const Graph& next, const Program& program) : next_(next), program_(program), seen_(next.size()) {}
    void begin() {
        ++round_;
        found_.clear();
    }
    void add(std::uint32_t from, std::uint32_t meet) {
        visit(from, meet);
        while (!left_.empty()) {
            const std::uint32_t at = left_.back();
            left_.pop_back();
            for (const std::uint32_t to : next_[at]) {
                if (program_[to].pc > program_[at].pc) {
                    visit(to, meet);
                }
            }
        }
    }
    bool has(std::uint32_t one) const { return seen_[one] == round_; }
    const std::vector<std::uint32_t>& found() const { return found_; }

  private:
    void visit(std::uint32_t one, std::uint32_t meet) {
        if (one != meet && one < next_.size() && seen_[one] != round_) {
            seen_[one] = round_;
            found_.push_back(one);
            left_.push_back(one);
        }
    }
    const Graph& next_;
    const Program& program_;
    std::vector<std::uint32_t> seen_;  // in which round
    std::vector<std::uint32_t> found_;
    std::vector<std::uint32_t> left_;
    std::uint32_t round_ = 0;
};

}  // namespace

Result<BranchWays> BranchWays::of(KernelSource& source) {
    const auto refuse = [&](const std::string& why) {
        return Error{ErrorKind::kUnsupported, source.header().name + ": " + why, "use the full model"};
    };
    Graph next;
    for (;;) {
        auto cta = source.next_cta();
        if (!cta) {
            return cta.error();
        }
        if (!*cta) {
            break;
        }
        const Program& program = source.program();
        if (program.size() > kMostInstructions) {
            return refuse("the basic model walks a list of " + std::to_string(kMostInstructions) +
                          " instructions at most");
        }
        next.resize(program.size());
        for (const WarpTrace& warp : (*cta)->warps) {
            WarpCursor cursor(program, warp);
            add_edges(program, cursor, next);
        }
    }
    if (auto back = source.rewind(); !back) {
        return back.error();
    }
    const Program& program = source.program();
    BranchWays made;
    made.size_ = program.size();
    next.resize(program.size());
    const auto end = static_cast<std::uint32_t>(next.size());
    for (auto& list : next) {
        if (list.empty()) {
            list.push_back(end);
        }
    }
    const std::vector<std::uint32_t> meets = immediate_post_dominators(next);
    WaysForward taken(next, program);
    WaysForward others(next, program);
    for (std::uint32_t branch = 0; branch < end; ++branch) {
        if (!is_jump(program[branch]) || next[branch].size() < 2) {
            continue;
        }
        for (const std::uint32_t to : next[branch]) {
            const std::uint32_t meet = meets[branch];
            taken.begin();
            taken.add(to, meet);
            others.begin();
            for (const std::uint32_t other : next[branch]) {
                if (other != to && program[other].pc > program[branch].pc) {
                    others.add(other, meet);
                }
            }
            Way way{meet, {}};
            std::copy_if(others.found().begin(), others.found().end(), std::back_inserter(way.skipped),
                         [&](std::uint32_t one) { return !taken.has(one); });
            if (!way.skipped.empty()) {
                std::sort(way.skipped.begin(), way.skipped.end());
                made.ways_.emplace(std::pair(branch, to), std::move(way));
            }
        }
    }
    return made;
}

void Skipping::begin_warp() {
    std::fill(is_due_.begin(), is_due_.end(), std::uint8_t{0});
    pending_.clear();
    before_ = kNone;
}

const std::vector<std::uint32_t>& Skipping::arrive(std::uint32_t index) {
    walked_.clear();
    if (const BranchWays::Way* const way = before_ != kNone ? ways_.way(before_, index) : nullptr; way != nullptr) {
        auto known =
            std::find_if(pending_.begin(), pending_.end(), [&](const Pending& one) { return one.branch == before_; });
        if (known == pending_.end()) {
            known = pending_.insert(known, {before_, way->meet, {}});
        }
        for (const std::uint32_t skipped : way->skipped) {
            if (is_due_[skipped] == 0) {
                is_due_[skipped] = 1;
                known->instructions.push_back(skipped);
            }
        }
    }
    before_ = index;
    is_due_[index] = 0;
    for (std::size_t i = 0; i < pending_.size();) {
        if (pending_[i].meet != index) {
            ++i;
            continue;
        }
        for (const std::uint32_t skipped : pending_[i].instructions) {
            if (is_due_[skipped] != 0) {
                is_due_[skipped] = 0;
                walked_.push_back(skipped);
            }
        }
        pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return walked_;
}

}  // namespace kymo::gpu
