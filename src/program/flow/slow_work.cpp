#include "program/flow/slow_work.h"

#include "program/flow/induction.h"
#include "program/flow/scalar_loop.h"
#include "program/flow/search_loop.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace kymo::program {
namespace {

constexpr std::uint8_t kRegisters = 32;
using Mask = std::uint32_t;  // of general registers

// By register: of which registers' values at the loop's header its value is made, and of which of them by way of a
// load.
struct Origins {
    std::array<Mask, kRegisters> any = {};
    std::array<Mask, kRegisters> loaded = {};

    static Origins at_header() {
        Origins origins;
        for (std::uint8_t reg = 0; reg < kRegisters; ++reg) {
            origins.any[reg] = register_bit(reg);
        }
        return origins;
    }

    bool merge(const Origins& other) {
        bool changed = false;
        for (std::uint8_t reg = 0; reg < kRegisters; ++reg) {
            changed = changed || (other.any[reg] & ~any[reg]) != 0 || (other.loaded[reg] & ~loaded[reg]) != 0;
            any[reg] |= other.any[reg];
            loaded[reg] |= other.loaded[reg];
        }
        return changed;
    }

    Mask of(Mask registers, const std::array<Mask, kRegisters>& which) const {
        Mask result = 0;
        for (std::uint8_t reg = 0; reg < kRegisters; ++reg) {
            result |= (registers & register_bit(reg)) != 0 ? which[reg] : 0;
        }
        return result;
    }
};

// Registers of the address that an instruction reads from; 0: none.
Mask address_read(const Instruction& in) {
    Mask result = 0;
    for (std::size_t i = 0; i < in.memory_operands; ++i) {
        const MemoryOperand& operand = in.memory[i];
        if (operand.is_read) {
            result |= register_bit(operand.base) | (operand.index_is_vector ? 0 : register_bit(operand.index));
        }
    }
    return result;
}

// What is read as one byte leads to 256 places at most (a machine of states): those are in a cache.
bool reads_more_than_bytes(const Instruction& in) {
    return std::any_of(in.memory.begin(), in.memory.begin() + in.memory_operands,
                       [](const MemoryOperand& operand) { return operand.is_read && operand.width > 1; });
}

// Likewise what is made of few bits of a value (a table of 256 checksums).
bool keeps_few_bits(const Instruction& in) {
    constexpr std::uint8_t kFewBits = 8;
    return in.memory_operands == 0 &&
           ((in.operation == Operation::kZeroExtend && in.bits <= kFewBits) ||
            (in.operation == Operation::kMask && in.constant >= 0 && in.constant < (std::int64_t{1} << kFewBits)));
}

void pass(const Instruction& in, Origins* origins) {
    const Mask address = reads_more_than_bytes(in) ? address_read(in) : 0;
    const Mask loaded = origins->of(address, origins->any) | origins->of(in.reads, origins->loaded);
    const Mask any = origins->of(in.reads, origins->any);
    const bool is_new = is_call(in.kind) || keeps_few_bits(in);
    for (std::uint8_t reg = 0; reg < kRegisters; ++reg) {
        if ((in.writes & register_bit(reg)) != 0) {
            origins->any[reg] = is_new ? 0 : any;
            origins->loaded[reg] = is_new ? 0 : loaded;
        }
    }
}

// One loop without loops inside.
class InnerLoop {
  public:
    InnerLoop(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph, const Loops& loops,
              std::uint32_t loop)
        : decoder_(decoder), code_(code), graph_(graph), header_(loops.loops[loop].header) {
        for (const std::uint32_t block : loops.loops[loop].own) {
            if (block < graph.blocks.size()) {
                blocks_.push_back(block);
            }
        }
        inductions_ = inductions(decoder, code, graph, loops, loop);
        note_writes();
        if (instructions() > kSlowLoopInstructions) {
            return;
        }
        note_chained();
        search_ = search_of(decoder, code, graph, loops, loop, inductions_);
    }

    template <typename Add>
    void find(const Add& add) const {
        if (instructions() <= kSlowLoopInstructions) {
            if (search_ == Search::kOwn) {
                mark(SlowWork::kSearch, add);
                return;
            }
            const bool is_chained = find_chained(add);
            const bool waits_for_memory = find_strided(add) || is_chained;
            if (search_ == Search::kByCall) {
                mark(SlowWork::kSearchByCall, add);
            } else if (waits_for_memory || !find_dividing(add)) {
                find_scalar(add, !waits_for_memory);
            }
        }
    }

  private:
    std::uint32_t instructions() const {
        std::uint32_t sum = 0;
        for (const std::uint32_t block : blocks_) {
            sum += graph_.blocks[block].instructions;
        }
        return sum;
    }

    // All instructions of the loop.
    template <typename Add>
    void mark(SlowWork work, const Add& add) const {
        for (const std::uint32_t block : blocks_) {
            each(block, [&](std::uint32_t number, const Instruction& /*in*/) { add(number, work); });
        }
    }

    template <typename Visit>
    void each(std::uint32_t number, const Visit& visit) const {
        const Block& block = graph_.blocks[number];
        for (std::uint32_t i = block.first_instruction; i < block.first_instruction + block.instructions; ++i) {
            Instruction in;
            if (decoder_.decode(code_.from(graph_.instructions[i]), graph_.instructions[i], &in)) {
                visit(i, in);
            }
        }
    }

    // Reads what the loop, as far as its own addresses say, does not change: a bound, a row's length, a pointer that
    // is read again each round since a store might have changed it.
    bool is_steady(const Instruction& in) const {
        const MemoryOperand& operand = in.memory[0];
        return in.memory_operands == 1 && operand.is_read && !operand.is_written && operand.index == kNoRegister &&
               (written_ & register_bit(operand.base)) == 0 &&
               !stored_.contains({operand.base, operand.displacement});
    }
    bool reads_steady(const Instruction& in) const { return in.operation == Operation::kLoad && is_steady(in); }

    // What the loop writes, and the registers that it only ever adds an unchanged register to, or such a number.
    void note_writes() {
        for (const std::uint32_t block : blocks_) {
            each(block, [&](std::uint32_t /*number*/, const Instruction& in) {
                written_ |= in.writes;
                for (std::size_t i = 0; i < in.memory_operands; ++i) {
                    if (in.memory[i].is_written) {
                        stored_.emplace(in.memory[i].base, in.memory[i].displacement);
                    }
                }
            });
        }
        std::map<std::uint8_t, Mask> added;
        Mask otherwise = 0;
        for (const std::uint32_t block : blocks_) {
            Mask steady = 0;  // read in this block
            each(block, [&](std::uint32_t /*number*/, const Instruction& in) {
                const bool is_addition = in.operation == Operation::kSum && in.source == in.destination &&
                                         in.source2 != kNoRegister && in.constant == 0 && in.memory_operands == 0;
                const bool is_of_memory = in.adds && is_steady(in) && in.destination < kRegisters &&
                                          in.writes == register_bit(in.destination);
                if (is_addition || is_of_memory) {
                    added[in.destination] |= is_addition ? register_bit(in.source2) & ~steady : 0;
                }
                otherwise |= in.writes & ~(is_addition || is_of_memory ? register_bit(in.destination) : 0);
                steady = (steady & ~in.writes) | (reads_steady(in) ? register_bit(in.destination) : 0);
            });
        }
        for (const auto& [reg, by] : added) {
            added_to_ |= (otherwise & register_bit(reg)) == 0 && (by & written_) == 0 ? register_bit(reg) : 0;
        }
    }

    bool is_inside(std::uint32_t block) const {
        return std::find(blocks_.begin(), blocks_.end(), block) != blocks_.end();
    }

    // Of an interpreter, of a machine of states: which of its cases reads the next one's address changes by the
    // round.
    bool dispatches() const {
        bool result = false;
        for (const std::uint32_t block : blocks_) {
            each(block, [&](std::uint32_t /*number*/, const Instruction& in) {
                result = result || in.kind == InstructionKind::kIndirectJump;
            });
        }
        return result;
    }

    void note_chained() {
        if (dispatches()) {
            return;
        }
        at_begin_ = {{header_, Origins::at_header()}};
        Origins at_end;  // of a round
        for (bool changed = true; changed;) {
            changed = false;
            for (const std::uint32_t block : blocks_) {
                const auto known = at_begin_.find(block);
                if (known == at_begin_.end()) {
                    continue;
                }
                Origins now = known->second;
                each(block, [&](std::uint32_t /*number*/, const Instruction& in) { pass(in, &now); });
                for (const BlockEdge& edge : graph_.edges_of(block)) {
                    if (edge.to == header_) {
                        at_end.merge(now);
                    } else if (is_inside(edge.to)) {
                        const bool is_new = !at_begin_.contains(edge.to);
                        changed = at_begin_[edge.to].merge(now) || is_new || changed;
                    }
                }
            }
        }
        chained_ = chained_registers(at_end);
    }

    // Whether there are any.
    template <typename Add>
    bool find_chained(const Add& add) const {
        for (const auto& [block, begin] : at_begin_) {
            Origins now = begin;
            each(block, [&](std::uint32_t number, const Instruction& in) {
                if ((now.of(address_read(in), now.any) & chained_) != 0) {
                    add(number, SlowWork::kChainedLoad);
                }
                pass(in, &now);
            });
        }
        return chained_ != 0;
    }

    // Whose value at a round's end is read from memory at an address made of its value at the round's begin, within
    // two rounds.
    static Mask chained_registers(const Origins& round) {
        Mask chained = 0;
        for (std::uint8_t reg = 0; reg < kRegisters; ++reg) {
            const Mask first = round.any[reg];
            const Mask by_load =
                round.loaded[reg] | round.of(round.loaded[reg], round.any) | round.of(first, round.loaded);
            chained |= (by_load & register_bit(reg)) != 0 ? register_bit(reg) : 0;
        }
        return chained;
    }

    // By register: what its value grows by each round, at an instruction; none where that is not known. A step that
    // is in a register is taken for a row of a matrix: a step of one element is mostly a constant.
    using Growth = std::array<std::optional<std::int64_t>, kRegisters>;

    static constexpr std::int64_t kRow = 4096;

    // Of registers that the loop does not change, counts by a constant, or adds an unchanged one to.
    Growth base_growth() const {
        Growth growth;
        for (std::uint8_t reg = 0; reg < kRegisters; ++reg) {
            if ((written_ & register_bit(reg)) == 0) {
                growth[reg] = 0;
            } else if ((added_to_ & register_bit(reg)) != 0) {
                growth[reg] = kRow;
            }
        }
        for (const Induction& each : inductions_) {
            growth[each.reg] = limited(each.step);
        }
        return growth;
    }

    // Of one that is chosen between two, or made by multiplying two. An index that is kept inside its bounds moves at
    // most rounds. A factor that stays is taken for a row of a matrix.
    static std::optional<std::int64_t> growth_of_pair(const Instruction& in, const Growth& growth) {
        std::int64_t most = 0;
        int moving = 0;
        int registers = 0;
        for (std::uint8_t reg = 0; reg < kRegisters; ++reg) {
            if ((in.reads & register_bit(reg)) == 0) {
                continue;
            }
            if (!growth[reg]) {
                return std::nullopt;
            }
            ++registers;
            moving += *growth[reg] != 0 ? 1 : 0;
            most = std::abs(*growth[reg]) > std::abs(most) ? *growth[reg] : most;
        }
        if (in.is_choice || most == 0) {
            return most;
        }
        return moving == 1 && registers == 2 ? std::optional(kRow) : std::nullopt;
    }

    // Of one that an instruction makes of others, or of memory that stays.
    std::optional<std::int64_t> growth_of(const Instruction& in, const Growth& growth) const {
        constexpr std::int64_t kMostBits = 32;  // shifted by
        const auto of = [&](std::uint8_t reg) {
            return reg == kNoRegister ? std::optional<std::int64_t>(0)
                   : reg < kRegisters ? growth[reg]
                                      : std::nullopt;
        };
        if (in.multiplies && in.memory_operands != 0) {
            const bool moves = in.destination < kRegisters && growth[in.destination].value_or(0) != 0;
            return moves && is_steady(in) ? std::optional(kRow) : std::nullopt;
        }
        if (in.is_choice || in.multiplies) {
            return in.memory_operands == 0 ? growth_of_pair(in, growth) : std::nullopt;
        }
        // Of two registers, in 32 bits.
        if (in.operation == Operation::kOther && in.adds && in.memory_operands == 0 &&
            in.writes == register_bit(in.destination)) {
            std::int64_t sum = 0;
            for (std::uint8_t reg = 0; reg < kRegisters; ++reg) {
                const bool is_read = (in.reads & register_bit(reg)) != 0;
                if (is_read && !growth[reg]) {
                    return std::nullopt;
                }
                sum += is_read ? *growth[reg] : 0;
            }
            return limited(sum);
        }
        switch (in.operation) {
            case Operation::kSum: {
                const auto first = of(in.source);
                const auto second = in.bits == 0 || in.bits >= 32 ? of(in.source2) : std::nullopt;
                return first && second ? limited(*first + *second * in.scale) : std::nullopt;
            }
            case Operation::kStep:
                return of(in.source);
            case Operation::kZeroExtend:
            case Operation::kSignExtend:
                return in.bits >= 32 ? of(in.source) : std::nullopt;
            case Operation::kShift: {
                const auto shifted = of(in.source);
                return shifted && in.constant >= 0 && in.constant <= kMostBits
                           ? limited(*shifted * (std::int64_t{1} << in.constant))
                           : std::nullopt;
            }
            case Operation::kLoad:
                return reads_steady(in) ? std::optional<std::int64_t>(0) : std::nullopt;
            default:
                return std::nullopt;
        }
    }

    // Calls visit(number, instruction, growth before it) in the block's order.
    // `with_memory`: what is read of memory that stays does not grow.
    template <typename Visit>
    void each_with_growth(std::uint32_t block, bool with_memory, const Visit& visit) const {
        const Growth base = base_growth();
        Growth growth = base;
        each(block, [&](std::uint32_t number, const Instruction& in) {
            visit(number, in, growth);
            const bool is_left_out = in.memory_operands != 0 && !with_memory;
            const std::optional<std::int64_t> made = is_left_out ? std::nullopt : growth_of(in, growth);
            for (std::uint8_t reg = 0; reg < kRegisters; ++reg) {
                if ((in.writes & register_bit(reg)) != 0 && !base[reg]) {
                    growth[reg] = in.destination == reg ? made : std::nullopt;
                }
            }
        });
    }

    // Bytes by which an address moves each round; none where that is not known.
    static std::optional<std::int64_t> moves(const MemoryOperand& operand, const Growth& growth) {
        std::int64_t step = 0;
        if (operand.index_is_vector) {
            return std::nullopt;
        }
        for (const auto& [reg, factor] : {std::pair(operand.base, 1), std::pair(operand.index, int{operand.scale})}) {
            if (reg < kRegisters) {
                if (!growth[reg]) {
                    return std::nullopt;
                }
                step += *growth[reg] * factor;
            }
        }
        return step;
    }

    // Likewise.
    template <typename Add>
    bool find_strided(const Add& add) const {
        struct Stream {
            std::int64_t step = 0;
            std::set<std::pair<std::int64_t, std::uint16_t>> parts;  // displacement, bytes
            std::vector<std::uint32_t> accesses;
        };
        std::map<std::tuple<std::uint8_t, std::uint8_t, std::uint8_t>, Stream> streams;
        for (const std::uint32_t block : blocks_) {
            each_with_growth(block, true, [&](std::uint32_t number, const Instruction& in, const Growth& growth) {
                for (std::size_t i = 0; i < in.memory_operands; ++i) {
                    const MemoryOperand& operand = in.memory[i];
                    const auto step = moves(operand, growth);
                    if (!step || *step == 0) {
                        continue;
                    }
                    Stream& stream = streams[{operand.base, operand.index, operand.scale}];
                    stream.step = std::abs(*step);
                    stream.parts.emplace(operand.displacement, operand.width);
                    stream.accesses.push_back(number);
                }
            });
        }
        constexpr std::int64_t kUsedPart = 4;
        bool is_any = false;
        for (const auto& [registers, stream] : streams) {
            std::int64_t used = 0;
            std::set<std::int64_t> lines;  // as if the first part began one
            for (const auto& [displacement, width] : stream.parts) {
                used += width;
                lines.insert((displacement - stream.parts.begin()->first) / kCacheLine);
            }
            const std::int64_t moved = std::min(stream.step, static_cast<std::int64_t>(lines.size()) * kCacheLine);
            if (stream.step >= kCacheLine && used * kUsedPart <= moved) {
                for (const std::uint32_t access : stream.accesses) {
                    add(access, SlowWork::kStrided);
                    is_any = true;
                }
            }
        }
        return is_any;
    }

    // Rounds that take as long as their divisions: processors overlap the rest of several rounds, and are interrupted
    // where that meets, not at the divisions. Whether it is so.
    template <typename Add>
    bool find_dividing(const Add& add) const {
        constexpr std::uint32_t kCycles = 5;  // a division at least, one after the other
        constexpr std::uint32_t kAtOnce = 4;  // other instructions a cycle
        if (blocks_.size() != 1) {
            return false;  // how often each block runs is not known
        }
        std::uint32_t divisions = 0;
        std::uint32_t instructions = 0;
        each(blocks_[0], [&](std::uint32_t /*number*/, const Instruction& in) {
            divisions += in.is_division ? 1 : 0;
            instructions += is_call(in.kind) ? kAtOnce * kCycles * kSlowLoopInstructions : 1;
        });
        if (divisions * kCycles * kAtOnce < 2 * instructions) {
            return false;
        }
        each(blocks_[0], [&](std::uint32_t number, const Instruction& /*in*/) { add(number, SlowWork::kDivision); });
        return true;
    }

    template <typename Add>
    void find_scalar(const Add& add, bool may_be_sum) const {
        if (blocks_.size() != 1) {
            return;  // a branch in it needs masks, or is why there are no vectors
        }
        ScalarLoop loop(steady());
        each_with_growth(blocks_[0], false,
                         [&](std::uint32_t /*number*/, const Instruction& in, const Growth& growth) {
                             ScalarLoop::Steps steps;
                             for (std::size_t i = 0; i < in.memory_operands; ++i) {
                                 steps[i] = moves(in.memory[i], growth);
                             }
                             Mask counted = 0;
                             for (std::uint8_t reg = 0; reg < kRegisters; ++reg) {
                                 counted |= growth[reg] ? register_bit(reg) : 0;
                             }
                             loop.take(in, steps, counted);
                         });
        SlowWork work = SlowWork::kNone;
        if (may_be_sum && loop.is_serial_sum()) {
            work = SlowWork::kSerialSum;
        } else if (loop.could_be_vectors()) {
            work = loop.is_bound_by_work() ? SlowWork::kScalarWork : SlowWork::kScalarLoop;
        }
        if (work != SlowWork::kNone) {
            each(blocks_[0], [&](std::uint32_t number, const Instruction& /*in*/) { add(number, work); });
        }
    }

    // Code can make any number of numbers: larger ones than these are no steps, and could overflow.
    static std::optional<std::int64_t> limited(std::int64_t growth) {
        constexpr std::int64_t kMost = std::int64_t{1} << 28;
        return growth >= -kMost && growth <= kMost ? std::optional(growth) : std::nullopt;
    }

    // Registers that the loop does not change, or by the same amount each round.
    Mask steady() const {
        Mask result = ~written_;
        for (const Induction& each : inductions_) {
            result |= register_bit(each.reg);
        }
        return result;
    }

    const Decoder& decoder_;
    const CodeBytes& code_;
    const FlowGraph& graph_;
    std::uint32_t header_;
    std::vector<std::uint32_t> blocks_;
    std::vector<Induction> inductions_;
    Mask written_ = 0;
    std::set<std::pair<std::uint8_t, std::int64_t>> stored_;  // base register and displacement of what it stores to
    Mask added_to_ = 0;
    Mask chained_ = 0;                           // see chained_registers()
    std::map<std::uint32_t, Origins> at_begin_;  // of blocks
    Search search_ = Search::kNone;
};

}  // namespace

std::vector<SlowInstruction> slow_instructions(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph,
                                               const Loops& loops) {
    std::vector<SlowWork> work(graph.instructions.size());
    const auto add = [&](std::uint32_t number, SlowWork kind) {
        work[number] = work[number] == SlowWork::kNone ? kind : work[number];
    };
    for (std::uint32_t i = 0; i < work.size(); ++i) {
        Instruction in;
        if (!decoder.decode(code.from(graph.instructions[i]), graph.instructions[i], &in)) {
            continue;
        }
        if (in.is_division || in.is_locked) {
            add(i, in.is_division ? SlowWork::kDivision : SlowWork::kAtomic);
        }
    }
    const std::vector<bool> has_inner = have_loops_inside(loops.loops);
    for (std::uint32_t loop = 0; loop < loops.loops.size(); ++loop) {
        if (!has_inner[loop] && !loops.loops[loop].irreducible) {
            InnerLoop(decoder, code, graph, loops, loop).find(add);
        }
    }
    std::vector<SlowInstruction> result;
    for (const Block& block : graph.blocks) {
        const std::uint32_t end = block.first_instruction + block.instructions;
        for (std::uint32_t i = block.first_instruction; i < end; ++i) {
            if (work[i] == SlowWork::kNone) {
                continue;
            }
            const bool is_next_own = i + 1 < end && work[i + 1] == SlowWork::kNone;
            result.push_back({graph.instructions[i], graph.instruction_end(block, is_next_own ? i + 1 : i), work[i]});
        }
    }
    return result;
}

}  // namespace kymo::program
