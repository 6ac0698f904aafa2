#include "program/flow/slow_work.h"

#include "program/flow/induction.h"

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

constexpr Mask bit_of(std::uint8_t reg) {
    return reg < kRegisters ? Mask{1} << reg : Mask{0};
}

bool is_call(const Instruction& in) {
    return in.kind == InstructionKind::kCall || in.kind == InstructionKind::kIndirectCall;
}

// By register: of which registers' values at the loop's header its value is made, and of which of them by way of a
// load.
struct Origins {
    std::array<Mask, kRegisters> any = {};
    std::array<Mask, kRegisters> loaded = {};

    static Origins at_header() {
        Origins origins;
        for (std::uint8_t reg = 0; reg < kRegisters; ++reg) {
            origins.any[reg] = bit_of(reg);
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
            result |= (registers & bit_of(reg)) != 0 ? which[reg] : 0;
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
            result |= bit_of(operand.base) | (operand.index_is_vector ? 0 : bit_of(operand.index));
        }
    }
    return result;
}

// What is read as one byte leads to 256 places at most (a machine of states): those are in a cache.
bool reads_more_than_bytes(const Instruction& in) {
    return std::any_of(in.memory.begin(), in.memory.begin() + in.memory_operands,
                       [](const MemoryOperand& operand) { return operand.is_read && operand.width > 1; });
}

void pass(const Instruction& in, Origins* origins) {
    const Mask address = reads_more_than_bytes(in) ? address_read(in) : 0;
    const Mask loaded = origins->of(address, origins->any) | origins->of(in.reads, origins->loaded);
    const Mask any = origins->of(in.reads, origins->any);
    for (std::uint8_t reg = 0; reg < kRegisters; ++reg) {
        if ((in.writes & bit_of(reg)) != 0) {
            origins->any[reg] = is_call(in) ? 0 : any;
            origins->loaded[reg] = is_call(in) ? 0 : loaded;
        }
    }
}

// Whether the rounds of a loop of one block, given instruction by instruction, could be done several at a time.
class ScalarLoop {
  public:
    // `moves`: of an operand's address, bytes a round.
    template <typename Moves>
    void take(const Instruction& in, const Moves& moves) {
        ++instructions_;
        has_only_sums_ = has_only_sums_ && !is_call(in) && !in.is_division && !in.is_locked;
        is_possible_ =
            is_possible_ && !is_call(in) && !in.is_division && !in.is_locked && in.vector_work != VectorWork::kPacked;
        is_scalar_ = is_scalar_ || (in.vector_work != VectorWork::kOther);
        for (std::size_t i = 0; i < in.memory_operands; ++i) {
            const MemoryOperand& operand = in.memory[i];
            const auto step = operand.index_is_vector ? std::nullopt : moves(operand);
            is_possible_ = is_possible_ && step && (*step != 0 || !operand.is_written);
            if (step && *step != 0) {
                Stream& stream = streams_[{operand.base, operand.index, operand.scale}];
                stream.step = *step;
                // As seen at the round's begin: an address register may have moved on within it.
                const std::int64_t moved = moved_by(operand.base) + moved_by(operand.index) * operand.scale;
                (operand.is_written ? stream.written : stream.read)
                    .emplace(operand.displacement + moved, operand.width);
            }
        }
        if ((in.operation == Operation::kSum || in.operation == Operation::kStep) && in.source == in.destination &&
            in.source2 == kNoRegister && in.destination < kRegisters) {
            moved_[in.destination] += in.constant;
        }
        for (unsigned reg = 0; reg < kRegisters; ++reg) {
            const std::uint32_t bit = 1U << reg;
            Carried& own = registers_[reg];
            const bool reads = (in.vector_reads & bit) != 0;
            const bool writes = (in.vector_writes & bit) != 0;
            if (reads && !own.is_written) {
                own.is_live = true;
            }
            if (reads || writes) {
                const bool is_update = reads && writes && in.vector_work != VectorWork::kOther &&
                                       in.vector_work != VectorWork::kScalarMixed;
                own.is_sum = own.is_sum && is_update && (!own.is_used || own.work == in.vector_work);
                own.work = in.vector_work;
                own.is_used = true;
                own.updates += is_update ? 1 : 0;
            }
            own.is_written = own.is_written || writes;
        }
    }

    // Each update of a sum waits for the one before: kLatency cycles each, whereas a processor does kAtOnce
    // instructions a cycle. True where the updates of one register are what takes long.
    bool is_serial_sum() const {
        constexpr std::uint32_t kLatency = 4;
        constexpr std::uint32_t kAtOnce = 4;
        return std::any_of(registers_.begin(), registers_.end(), [&](const Carried& reg) {
            return has_only_sums_ && reg.is_live && reg.is_written && reg.is_sum && reg.work != VectorWork::kPacked &&
                   2 * kLatency * kAtOnce * reg.updates >= 3 * instructions_;
        });
    }

    bool is_one() const {
        return is_possible_ && is_scalar_ && !streams_.empty() &&
               std::all_of(streams_.begin(), streams_.end(),
                           [](const auto& each) { return each.second.is_dense(); }) &&
               std::all_of(registers_.begin(), registers_.end(),
                           [](const Carried& reg) { return !(reg.is_live && reg.is_written) || reg.is_sum; });
    }

  private:
    std::int64_t moved_by(std::uint8_t reg) const { return reg < kRegisters ? moved_[reg] : 0; }

    using Parts = std::set<std::pair<std::int64_t, std::uint16_t>>;  // displacement, bytes
    struct Stream {
        std::int64_t step = 0;
        Parts read;
        Parts written;

        // All bytes are used, and none is read that an earlier round wrote.
        bool is_dense() const {
            const Parts& longer = read.size() >= written.size() ? read : written;
            std::int64_t bytes = 0;
            for (const auto& [displacement, width] : longer) {
                bytes += width;
            }
            const bool reads_behind = std::any_of(read.begin(), read.end(), [&](const auto& from) {
                return std::any_of(written.begin(), written.end(), [&](const auto& to) {
                    return (to.first - from.first) % step == 0 && (to.first - from.first) / step >= 1;
                });
            });
            return bytes >= std::abs(step) && !reads_behind;
        }
    };
    struct Carried {
        bool is_live = false;  // its value of the round before matters
        bool is_written = false;
        bool is_used = false;
        bool is_sum = true;  // all that is done with it is adding to it, or all multiplying, or all taking the least
        VectorWork work = VectorWork::kOther;
        std::uint32_t updates = 0;  // a round
    };

    bool is_possible_ = true;
    bool is_scalar_ = false;
    bool has_only_sums_ = true;  // nothing that takes longer
    std::uint32_t instructions_ = 0;
    std::map<std::tuple<std::uint8_t, std::uint8_t, std::uint8_t>, Stream> streams_;
    std::array<Carried, kRegisters> registers_ = {};
    std::array<std::int64_t, kRegisters> moved_ = {};  // general registers, since the round's begin
};

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
    }

    template <typename Add>
    void find(const Add& add) const {
        std::uint32_t instructions = 0;
        for (const std::uint32_t block : blocks_) {
            instructions += graph_.blocks[block].instructions;
        }
        if (instructions <= kSlowLoopInstructions) {
            const bool waits_for_memory = find_chained(add) | find_strided(add);
            find_scalar(add, !waits_for_memory);
        }
    }

  private:
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

    // What the loop writes, and the registers that it only ever adds an unchanged register to.
    void note_writes() {
        std::map<std::uint8_t, Mask> added;
        Mask otherwise = 0;
        for (const std::uint32_t block : blocks_) {
            each(block, [&](std::uint32_t /*number*/, const Instruction& in) {
                const bool is_addition = in.operation == Operation::kSum && in.source == in.destination &&
                                         in.source2 != kNoRegister && in.constant == 0 && in.memory_operands == 0;
                written_ |= in.writes;
                if (is_addition) {
                    added[in.destination] |= bit_of(in.source2);
                }
                otherwise |= in.writes & ~(is_addition ? bit_of(in.destination) : 0);
            });
        }
        for (const auto& [reg, by] : added) {
            added_to_ |= (otherwise & bit_of(reg)) == 0 && (by & written_) == 0 ? bit_of(reg) : 0;
        }
    }

    bool is_inside(std::uint32_t block) const {
        return std::find(blocks_.begin(), blocks_.end(), block) != blocks_.end();
    }

    // Whether there are any.
    template <typename Add>
    bool find_chained(const Add& add) const {
        std::map<std::uint32_t, Origins> at_begin{{header_, Origins::at_header()}};
        Origins at_end;  // of a round
        for (bool changed = true; changed;) {
            changed = false;
            for (const std::uint32_t block : blocks_) {
                const auto known = at_begin.find(block);
                if (known == at_begin.end()) {
                    continue;
                }
                Origins now = known->second;
                each(block, [&](std::uint32_t /*number*/, const Instruction& in) { pass(in, &now); });
                for (const BlockEdge& edge : graph_.edges_of(block)) {
                    if (edge.to == header_) {
                        at_end.merge(now);
                    } else if (is_inside(edge.to)) {
                        const bool is_new = !at_begin.contains(edge.to);
                        changed = at_begin[edge.to].merge(now) || is_new || changed;
                    }
                }
            }
        }
        const Mask chained = chained_registers(at_end);
        for (const auto& [block, begin] : at_begin) {
            Origins now = begin;
            each(block, [&](std::uint32_t number, const Instruction& in) {
                if ((now.of(address_read(in), now.any) & chained) != 0) {
                    add(number, SlowWork::kChainedLoad);
                }
                pass(in, &now);
            });
        }
        return chained != 0;
    }

    // Whose value at a round's end is read from memory at an address made of its value at the round's begin, within
    // two rounds.
    static Mask chained_registers(const Origins& round) {
        Mask chained = 0;
        for (std::uint8_t reg = 0; reg < kRegisters; ++reg) {
            const Mask first = round.any[reg];
            const Mask by_load =
                round.loaded[reg] | round.of(round.loaded[reg], round.any) | round.of(first, round.loaded);
            chained |= (by_load & bit_of(reg)) != 0 ? bit_of(reg) : 0;
        }
        return chained;
    }

    // Bytes by which an address moves each round; none where that is not known. A step that is in a register is
    // taken for a row of a matrix: a step of one element is mostly a constant.
    std::optional<std::int64_t> moves(const MemoryOperand& operand) const {
        constexpr std::int64_t kRow = 4096;
        std::int64_t step = 0;
        for (const auto& [reg, factor] : {std::pair(operand.base, 1), std::pair(operand.index, int{operand.scale})}) {
            const auto found = std::find_if(inductions_.begin(), inductions_.end(),
                                            [&, reg = reg](const Induction& each) { return each.reg == reg; });
            if (found != inductions_.end()) {
                step += found->step * factor;
            } else if ((added_to_ & bit_of(reg)) != 0) {
                step += kRow;
            } else if ((written_ & bit_of(reg)) != 0) {
                return std::nullopt;
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
            std::vector<std::uint32_t> loads;
        };
        std::map<std::tuple<std::uint8_t, std::uint8_t, std::uint8_t>, Stream> streams;
        for (const std::uint32_t block : blocks_) {
            each(block, [&](std::uint32_t number, const Instruction& in) {
                for (std::size_t i = 0; i < in.memory_operands; ++i) {
                    const MemoryOperand& operand = in.memory[i];
                    const auto step = operand.index_is_vector ? std::nullopt : moves(operand);
                    if (!step || *step == 0) {
                        continue;
                    }
                    Stream& stream = streams[{operand.base, operand.index, operand.scale}];
                    stream.step = std::abs(*step);
                    stream.parts.emplace(operand.displacement, operand.width);
                    if (operand.is_read) {
                        stream.loads.push_back(number);
                    }
                }
            });
        }
        constexpr std::int64_t kUsedPart = 4;
        bool is_any = false;
        for (const auto& [registers, stream] : streams) {
            std::int64_t used = 0;
            for (const auto& [displacement, width] : stream.parts) {
                used += width;
            }
            if (stream.step >= kCacheLine && used * kUsedPart <= stream.step) {
                for (const std::uint32_t load : stream.loads) {
                    add(load, SlowWork::kStridedLoad);
                    is_any = true;
                }
            }
        }
        return is_any;
    }

    template <typename Add>
    void find_scalar(const Add& add, bool may_be_sum) const {
        if (blocks_.size() != 1) {
            return;  // a branch in it needs masks, or is why there are no vectors
        }
        ScalarLoop loop;
        each(blocks_[0], [&](std::uint32_t /*number*/, const Instruction& in) {
            loop.take(in, [&](const MemoryOperand& operand) { return moves(operand); });
        });
        const bool is_sum = may_be_sum && loop.is_serial_sum();
        if (is_sum || loop.is_one()) {
            each(blocks_[0], [&](std::uint32_t number, const Instruction& /*in*/) {
                add(number, is_sum ? SlowWork::kSerialSum : SlowWork::kScalarFloat);
            });
        }
    }

    const Decoder& decoder_;
    const CodeBytes& code_;
    const FlowGraph& graph_;
    std::uint32_t header_;
    std::vector<std::uint32_t> blocks_;
    std::vector<Induction> inductions_;
    Mask written_ = 0;
    Mask added_to_ = 0;
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
    std::vector<bool> has_inner(loops.loops.size());
    for (const Loop& loop : loops.loops) {
        if (loop.parent != kNone) {
            has_inner[loop.parent] = true;
        }
    }
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
