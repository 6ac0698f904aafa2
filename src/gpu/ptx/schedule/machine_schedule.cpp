#include "gpu/ptx/schedule/machine_schedule.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace kymo::gpu::ptx {
namespace {

// The part of a PTX block to look for in the machine code at a line.
struct Anchor {
    std::uint32_t block = 0;
    std::uint16_t log = kNoLog;  // of an access: the first
    bool is_access = false;
    bool is_ending = false;
    bool is_barrier = false;
    gpu::Op op;  // of an access
    std::uint64_t found = 0;
};

bool same_kind(const gpu::Op& ptx, const gpu::Op& machine) {
    if (machine.op_class != OpClass::kMemory || machine.atomic != ptx.atomic || machine.store != ptx.store ||
        (!ptx.atomic && machine.load != ptx.load)) {
        return false;
    }
    return machine.space == ptx.space || ptx.space == Space::kGeneric || machine.space == Space::kGeneric;
}

class Joiner {
  public:
    Joiner(const Compiled& kernel, const sass::Code& code)
        : kernel_(kernel), code_(code), function_(*kernel.function) {}

    Result<Schedule> run() {
        if (!code_.has_lines || code_.instructions.empty()) {
            return refuse("its machine code does not say which lines of the PTX it comes from");
        }
        if (auto collected = collect(); !collected) {
            return collected.error();
        }
        blocks();
        match();
        if (auto all = all_found(); !all) {
            return all.error();
        }
        group_up();
        for (Group& group : out_.groups) {
            variants(group);
        }
        out_.registers = code_.registers;
        return std::move(out_);
    }

  private:
    Error refuse(const std::string& why) const {
        return {ErrorKind::kUnsupported, fmt::format("{}: {}", function_.name, why),
                "without --machine-code the schedule is estimated from the PTX"};
    }
    const Place& place(std::uint32_t instruction) const { return function_.instructions[instruction].place; }

    // What the PTX's blocks have to be found by.
    Result<void> collect() {
        if (!kernel_.callees.empty() || kernel_.calls_pointers) {
            return refuse("it calls functions, whose machine code lies elsewhere");
        }
        for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
            const Block& block = kernel_.blocks[b];
            std::map<std::uint16_t, const MachineInstruction*> accesses;  // by log
            for (std::uint32_t i = block.machine_first; i < block.machine_end; ++i) {
                const MachineInstruction& machine = kernel_.machine[i];
                if (machine.is_bulk) {
                    return refuse("bulk copies have no access a lane in machine code");
                }
                if (machine.has_addresses && machine.log != kNoLog) {
                    accesses[machine.log] = &machine;
                }
            }
            std::uint16_t logs = 0;
            for (std::uint32_t o = block.first; o < block.end; ++o) {
                const Op& op = kernel_.ops[o];
                if (op.log == kNoLog) {
                    continue;
                }
                const std::uint16_t count = std::max<std::uint16_t>(kernel_.facts[o].accesses, 1);
                logs = std::max<std::uint16_t>(logs, static_cast<std::uint16_t>(op.log + count));
                const auto access = accesses.find(op.log);
                if (access == accesses.end()) {
                    continue;
                }
                if (count > 1) {
                    return refuse(
                        fmt::format("line {} of the PTX accesses a matrix, which machine code takes apart otherwise",
                                    place(op.instruction).line));
                }
                Anchor anchor;
                anchor.block = b;
                anchor.log = op.log;
                anchor.is_access = true;
                anchor.op = kernel_.program[access->second->index].op;
                if (!anchors_.emplace(place(op.instruction).line, anchor).second) {
                    return refuse(fmt::format("line {} of the PTX has several accesses", place(op.instruction).line));
                }
                has_access_.resize(kernel_.blocks.size(), 0);
                has_access_[b] |= anchor.op.space != Space::kConstant ? 1U : 0U;
            }
            if (block.ending_log != kNoLog) {
                logs = std::max<std::uint16_t>(logs, static_cast<std::uint16_t>(block.ending_log + 1));
            }
            if (block.ending == Ending::kCall) {
                return refuse("it calls functions, whose machine code lies elsewhere");
            }
            out_.logs.push_back(logs);
            if (block.ending != Ending::kFall) {
                Anchor anchor;
                anchor.block = b;
                anchor.log = block.ending_log;
                anchor.is_ending = true;
                anchor.is_barrier = block.ending == Ending::kBarrier;
                anchors_.emplace(place(block.instruction).line, anchor);
            }
        }
        has_access_.resize(kernel_.blocks.size(), 0);
        return {};
    }

    // The machine code's basic blocks. One also ends at a barrier, as those of the PTX do.
    void blocks() {
        const auto& all = code_.instructions;
        std::vector<std::uint8_t> begins(all.size() + 1, 0);
        begins[0] = 1;
        const auto number = [&](std::uint64_t pc) { return pc / sass::kInstructionBytes; };
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].way == sass::Way::kJump && number(all[i].target) < all.size()) {
                begins[number(all[i].target)] = 1;
            }
            if (all[i].way != sass::Way::kNext || all[i].opcode == "BAR") {
                begins[i + 1] = 1;
            }
        }
        std::vector<std::uint32_t> block_at(all.size() + 1, kNoBlock);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (begins[i] != 0) {
                out_.blocks.push_back({static_cast<std::uint32_t>(i), 0});
            }
            out_.blocks.back().end = static_cast<std::uint32_t>(i + 1);
            block_at[i] = static_cast<std::uint32_t>(out_.blocks.size() - 1);
        }
        for (ScheduledBlock& block : out_.blocks) {
            const sass::Instruction& last = all[block.end - 1];
            block.guarded = last.guarded;
            if (last.way == sass::Way::kNext || (last.way != sass::Way::kUnknown && last.guarded)) {
                block.next = block_at[block.end];
            }
            if (last.way == sass::Way::kJump && number(last.target) < all.size()) {
                block.target = block_at[number(last.target)];
            }
        }
    }

    // Each machine instruction and what it is executed as often as.
    void match() {
        std::map<std::uint32_t, std::uint32_t> source_lines;
        for (const Instruction& instruction : function_.instructions) {
            source_lines.emplace(instruction.place.line, instruction.place.source_line);
        }
        out_.instructions.resize(code_.instructions.size());
        worth_.resize(out_.blocks.size());
        for (std::uint32_t s = 0; s < out_.blocks.size(); ++s) {
            std::map<std::uint32_t, std::vector<std::uint32_t>> accesses;  // by line: machine instructions
            for (std::uint32_t i = out_.blocks[s].first; i < out_.blocks[s].end; ++i) {
                const sass::Instruction& from = code_.instructions[i];
                StaticInstruction made;
                made.pc = from.pc;
                // What a function begins with has its first line.
                const auto source = from.line != 0 ? source_lines.lower_bound(from.line) : source_lines.end();
                made.line = source != source_lines.end() ? source->second : 0;
                made.op = decode_opcode(from.opcode);
                made.opcode = from.opcode;
                made.control = from.control;
                const auto anchor = anchors_.find(from.line);
                if (anchor != anchors_.end() && anchor->second.is_access && same_kind(anchor->second.op, made.op)) {
                    made.width = made.op.bytes;
                    accesses[from.line].push_back(i);
                }
                out_.program.push_back(std::move(made));
            }
            for (const auto& [line, instructions] : accesses) {
                spread(s, anchors_.at(line), instructions);
            }
            ending(s);
        }
    }

    // The k-th of a line's instructions in a machine block is the block's k-th execution.
    void spread(std::uint32_t s, Anchor& anchor, const std::vector<std::uint32_t>& instructions) {
        for (std::uint32_t k = 0; k < instructions.size(); ++k) {
            out_.instructions[instructions[k]] = {anchor.block, k, anchor.log, false};
        }
        anchor.found += instructions.size();
        // Constants can be read ahead.
        if (anchor.op.space != Space::kConstant) {
            auto& worth = worth_[s][anchor.block];
            worth = std::max(worth, static_cast<std::uint32_t>(instructions.size()));
        }
    }

    void ending(std::uint32_t s) {
        const std::uint32_t last = out_.blocks[s].end - 1;
        const sass::Instruction& from = code_.instructions[last];
        const auto found = anchors_.find(from.line);
        if (found == anchors_.end() || !found->second.is_ending) {
            return;
        }
        Anchor& anchor = found->second;
        const Block& block = kernel_.blocks[anchor.block];
        const bool leaves =
            from.way == sass::Way::kJump || from.way == sass::Way::kEnd || from.way == sass::Way::kUnknown;
        if (anchor.is_barrier ? from.opcode.substr(0, 3) != "BAR" : !leaves) {
            return;
        }
        // A backward branch does not match a forward jump, which tests whether the loop is entered at all.
        const bool back = block.ending == Ending::kBranch && block.taken <= anchor.block;
        const bool machine_back = from.way == sass::Way::kJump && from.target <= from.pc;
        auto& worth = worth_[s];
        const auto already = worth.find(anchor.block);
        if (already == worth.end()) {
            if (has_access_[anchor.block] != 0 || (back && !machine_back)) {
                if (!anchor.is_barrier) {
                    return;
                }
            }
            worth[anchor.block] = back ? copies_by_lines(s, anchor.block) : 1;
        }
        ++anchor.found;
        out_.instructions[last] = {
            anchor.block, worth[anchor.block] - 1, anchor.log,
            block.ending == Ending::kBranch && from.way == sass::Way::kJump && back != machine_back};
    }

    // How many rounds of a loop without accesses a machine block holds: so often its lines come, in the middle.
    std::uint32_t copies_by_lines(std::uint32_t s, std::uint32_t block) const {
        const Block& of = kernel_.blocks[block];
        if (of.first == of.end) {
            return 1;
        }
        const std::uint32_t from = place(kernel_.ops[of.first].instruction).line;
        const std::uint32_t to = place(of.instruction).line;
        std::map<std::uint32_t, std::uint32_t> times;
        for (std::uint32_t i = out_.blocks[s].first; i + 1 < out_.blocks[s].end; ++i) {
            const std::uint32_t line = code_.instructions[i].line;
            if (line >= from && line < to) {
                ++times[line];
            }
        }
        std::vector<std::uint32_t> counts;
        counts.reserve(times.size());
        for (const auto& [line, count] : times) {
            counts.push_back(count);
        }
        if (counts.empty()) {
            return 1;
        }
        std::sort(counts.begin(), counts.end());
        return counts[counts.size() / 2];
    }

    // What changes memory, and barriers, must be there. The compiler may have done without a load.
    Result<void> all_found() const {
        for (const auto& [line, anchor] : anchors_) {
            if (anchor.found == 0 && (anchor.is_barrier || (anchor.is_access && !anchor.op.load))) {
                return refuse(fmt::format("line {} of the PTX ({}) is not in the machine code", line,
                                          anchor.is_barrier ? "a barrier" : "a store or atomic"));
            }
        }
        return {};
    }

    void group_up() {
        const auto count = static_cast<std::uint32_t>(kernel_.blocks.size());
        std::vector<std::uint32_t> parent(count);
        std::iota(parent.begin(), parent.end(), 0U);
        const auto root = [&](std::uint32_t of) {
            while (parent[of] != of) {
                of = parent[of] = parent[parent[of]];
            }
            return of;
        };
        std::vector<std::uint8_t> has(count, 0);
        for (std::uint32_t s = 0; s < worth_.size(); ++s) {
            out_.blocks[s].anchored = !worth_[s].empty();
            for (const auto& [block, copies] : worth_[s]) {
                has[block] = 1;
                parent[root(block)] = root(worth_[s].begin()->first);
            }
        }
        out_.group.assign(count, kNoGroup);
        out_.member.assign(count, 0);
        std::map<std::uint32_t, std::uint32_t> number;
        for (std::uint32_t block = 0; block < count; ++block) {
            if (has[block] == 0) {
                continue;
            }
            const auto [at, is_new] = number.emplace(root(block), static_cast<std::uint32_t>(out_.groups.size()));
            if (is_new) {
                out_.groups.emplace_back();
            }
            Group& group = out_.groups[at->second];
            out_.group[block] = at->second;
            out_.member[block] = static_cast<std::uint32_t>(group.members.size());
            group.members.push_back(block);
        }
        of_group_.resize(out_.groups.size());
        for (std::uint32_t s = 0; s < worth_.size(); ++s) {
            if (!worth_[s].empty()) {
                of_group_[out_.group[worth_[s].begin()->first]].push_back(s);
            }
        }
    }

    // Machine blocks one behind another belong together for as long as none has an anchor over again.
    void variants(Group& group) {
        const auto& blocks = of_group_[static_cast<std::size_t>(&group - out_.groups.data())];
        std::vector<std::uint64_t> seen;  // anchors of the variant in the making
        for (const std::uint32_t s : blocks) {
            std::vector<std::uint64_t> here;
            for (std::uint32_t i = out_.blocks[s].first; i < out_.blocks[s].end; ++i) {
                const ScheduledInstruction& instruction = out_.instructions[i];
                if (instruction.block != kNoBlock && instruction.log != kNoLog) {
                    here.push_back(std::uint64_t{instruction.block} << 16U | instruction.log);
                }
            }
            const bool again = std::any_of(here.begin(), here.end(), [&](std::uint64_t anchor) {
                return std::find(seen.begin(), seen.end(), anchor) != seen.end();
            });
            if (group.variants.empty() || again) {
                group.variants.push_back({{}, std::vector<std::uint32_t>(group.members.size(), 0)});
                seen.clear();
            }
            Variant& variant = group.variants.back();
            variant.blocks.push_back(s);
            for (const auto& [block, copies] : worth_[s]) {
                auto& known = variant.copies[out_.member[block]];
                known = std::max(known, copies);
                variant.most = std::max(variant.most, known);
            }
            seen.insert(seen.end(), here.begin(), here.end());
        }
        std::stable_sort(group.variants.begin(), group.variants.end(),
                         [](const Variant& a, const Variant& b) { return a.most > b.most; });
        group.capacity.assign(group.members.size(), 0);
        for (const Variant& variant : group.variants) {
            for (std::size_t i = 0; i < variant.copies.size(); ++i) {
                group.capacity[i] = std::max(group.capacity[i], variant.copies[i]);
            }
        }
    }

    const Compiled& kernel_;
    const sass::Code& code_;
    const Function& function_;
    Schedule out_;
    std::map<std::uint32_t, Anchor> anchors_;                    // by line of the PTX
    std::vector<std::uint8_t> has_access_;                       // of each PTX block
    std::vector<std::map<std::uint32_t, std::uint32_t>> worth_;  // of each machine block: PTX block → copies
    std::vector<std::vector<std::uint32_t>> of_group_;           // machine blocks
};

}  // namespace

Result<Schedule> join(const Compiled& kernel, const sass::Code& code) {
    return Joiner(kernel, code).run();
}

}  // namespace kymo::gpu::ptx
