#include "gpu/ptx/check/checker.h"

#include "gpu/ptx/execute/guards.h"
#include "gpu/ptx/execute/launch_parts.h"
#include "gpu/ptx/parse/instruction_words.h"
#include "gpu/ptx/readable_name.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

constexpr std::size_t kMostDefects = 100;

bool passes_on(Operation operation) {
    return operation == Operation::kMove || operation == Operation::kPredicateMove ||
           operation == Operation::kSelect || operation == Operation::kPack || operation == Operation::kUnpack;
}

}  // namespace

Checker::Checker(Checks checks, const LaunchParts& parts, std::uint32_t warps, std::uint64_t shared_bytes,
                 std::uint64_t local_bytes)
    : checks_(checks),
      parts_(parts),
      warps_(warps),
      local_bytes_(local_bytes),
      frames_(warps),
      shared_written_(shared_bytes),
      shared_bytes_(shared_bytes),
      races_(parts.launch, warps) {
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
        local_written_.emplace_back(local_bytes * kWarpLanes);
    }
}

void Checker::begin_cta(const Dim3& index) {
    cta_ = index;
    races_.begin_cta(index);
    shared_written_.set(0, shared_bytes_, false);
    frames_.assign(warps_, {});
    Warp warp;
    for (warp.number = 0; warp.number < warps_; ++warp.number) {
        warp.strand = warp.number;
        enter(warp, *parts_.kernel, kAllLanes, 0);
    }
}

void Checker::enter(const Warp& warp, const Compiled& code, std::uint32_t mask, std::uint64_t local_at) {
    frames_[warp.strand].emplace_back(code.function->registers.size(), kAllLanes);
    each_lane(mask, [&](unsigned lane) {
        local_written_[warp.number].set(lane * local_bytes_ + local_at, code.layout.local_bytes, false);
    });
}

void Checker::split(const Warp& from, const Warp& into, std::size_t frames) {
    frames_.resize(std::max<std::size_t>(frames_.size(), into.strand + 1));
    frames_[into.strand] = frames_[from.strand];
    frames_[into.strand].resize(frames);
}

void Checker::join(const Warp& from, const Warp& into, std::uint32_t lanes) {
    auto& to = frames_[into.strand];
    const auto& of = frames_[from.strand];
    for (std::size_t frame = 0; frame < to.size() && frame < of.size(); ++frame) {
        for (std::size_t number = 0; number < to[frame].size() && number < of[frame].size(); ++number) {
            to[frame][number] = (to[frame][number] & ~lanes) | (of[frame][number] & lanes);
        }
    }
}

void Checker::before(const Warp& warp, const Compiled& code, std::size_t op, std::uint32_t mask,
                     std::uint32_t lanes) {
    passed_ = 0;
    if (checks_.initialised) {
        const OpFacts& facts = code.facts[op];
        check_uses(warp, code, facts.uses, code.ops[op].instruction, mask, lanes, passes_on(facts.operation));
    }
}

void Checker::at_end(const Warp& warp, const Compiled& code, const Block& block, std::uint32_t mask) {
    if (checks_.initialised) {
        const std::uint32_t lanes = guarded(warp, block.guarded, block.guard, mask);
        check_uses(warp, code, block.uses, block.instruction, mask, lanes, false);
        passed_ = 0;
        results(warp, code, block.uses, lanes);
    }
}

// Reports reads of registers that were never written, or notes them in passed_ if the operation only moves them.
void Checker::check_uses(const Warp& warp, const Compiled& code, UseRange uses, std::uint32_t instruction,
                         std::uint32_t mask, std::uint32_t lanes, bool passes) {
    const std::vector<std::uint32_t>& unwritten = frames_[warp.strand].back();
    std::uint32_t chosen = kAllLanes;  // of a selection: the lanes that take its first operand
    for (std::uint32_t i = uses.first; i < uses.first + uses.count; ++i) {
        const RegisterUse& use = code.uses[i];
        if (passes && use.bits == 1 && use.slot == kC) {
            chosen = predicate(warp, use.place);
        }
    }
    for (std::uint32_t i = uses.first; i < uses.first + uses.count; ++i) {
        const RegisterUse& use = code.uses[i];
        if (use.writes || use.number >= unwritten.size()) {
            continue;
        }
        const bool again =
            std::any_of(code.uses.begin() + uses.first, code.uses.begin() + i, [&](const RegisterUse& one) {
                return one.number == use.number &&
                       !one.writes;  // an operand that is missing repeats the first operand
            });
        if (again && !passes) {
            continue;
        }
        std::uint32_t bad = unwritten[use.number] & (use.slot == kGuardSlot ? mask : lanes);
        const bool moved = passes && use.slot != kGuardSlot && !(use.bits == 1 && use.slot == kC);
        if (moved && chosen != kAllLanes) {
            bad &= use.slot == kA ? chosen : ~chosen;
        }
        if (moved) {
            passed_ |= bad;
        } else if (bad != 0) {
            const Site site{&code, instruction};
            tell(Defect::Kind::kRegister, site, code.function->registers[use.number].name, bad, warp.number, [&] {
                return fmt::format("{} reads {}, which nothing has written", words(site),
                                   code.function->registers[use.number].name);
            });
        }
    }
}

void Checker::results(const Warp& warp, const Compiled& code, UseRange uses, std::uint32_t lanes) {
    std::vector<std::uint32_t>& unwritten = frames_[warp.strand].back();
    for (std::uint32_t i = uses.first; i < uses.first + uses.count; ++i) {
        const RegisterUse& use = code.uses[i];
        if (use.writes && use.number < unwritten.size()) {
            unwritten[use.number] = (unwritten[use.number] & ~lanes) | (passed_ & lanes);
        }
    }
}

void Checker::after(const Warp& warp, const Compiled& code, std::size_t number, std::uint32_t lanes) {
    const OpFacts& facts = code.facts[number];
    const Op& op = code.ops[number];
    results(warp, code, facts.uses, lanes);
    if (checks_.races && (facts.fences || facts.syncs_warp)) {
        races_.orders(warp.number, facts.fences);
    }
    if (facts.is_object) {
        object(warp, code, number, lanes);
        return;
    }
    if (facts.bytes == 0 || op.log == kNoLog) {
        return;
    }
    if (checks_.races && facts.strong) {
        races_.acquires(warp.number);
    }
    Access access;
    access.site = {&code, op.instruction};
    access.bytes = facts.bytes;
    access.warp = warp.number;
    access.loads = facts.loads;
    access.stores = facts.stores;
    access.strong = facts.strong;
    for (unsigned i = 0; i < facts.accesses; ++i) {
        const LoggedAccess& log = warp.log[op.log + i];
        each_lane(log.mask & lanes, [&](unsigned lane) {
            access.lane = lane;
            if (facts.operation == Operation::kStore) {
                data_of(warp, code, facts, access);
            }
            if (facts.is_copy_async && op.c != 0) {  // the rest is zeros
                access.bytes =
                    static_cast<unsigned>(std::min<std::uint64_t>(facts.bytes, bits_at(warp, op.c, lane, 32)));
            }
            if (access.bytes != 0) {
                touch(access, facts.space, log.address[lane]);
            }
            if (facts.is_copy_async) {  // the log has its source
                Access into = access;
                into.loads = false;
                into.bytes = facts.bytes;
                into.stores = true;
                const std::uint64_t at = bits_at(warp, op.a, lane, op.mode.address.wide ? 64 : 32);
                touch(into, StateSpace::kShared, (at + static_cast<std::uint64_t>(op.immediate)) & 0xFFFF'FFFFU);
            }
        });
    }
}

// An arrival publishes what the arriving thread did before; so does a copy, with the bytes before it.
void Checker::object(const Warp& warp, const Compiled& code, std::size_t number, std::uint32_t lanes) {
    const OpFacts& facts = code.facts[number];
    const Op& op = code.ops[number];
    const bool is_copy = facts.operation == Operation::kBulkCopy;
    each_lane(lanes, [&](unsigned lane) {
        if (is_copy) {
            Access access;
            access.site = {&code, op.instruction};
            access.warp = warp.number;
            access.lane = lane;
            bulk_copy(warp, op, access);
        }
        const std::uint32_t place = is_copy ? op.d : op.a;
        const bool wide = !is_copy && op.mode.address.wide;
        const std::uint64_t base = place == 0 ? 0 : bits_at(warp, place, lane, wide ? 64 : 32);
        const std::uint64_t address =
            (base + (is_copy ? 0 : static_cast<std::uint64_t>(op.immediate))) & 0xFFFF'FFFFU;
        if (facts.operation == Operation::kObjectInit && checks_.initialised) {
            shared_written_.set(address, 8);
        } else if (checks_.races && place != 0) {
            races_.lets_out(warp.number, address);
        }
    });
}

void Checker::bulk_copy(const Warp& warp, const Op& op, Access access) {
    constexpr unsigned kPiece = 16;
    const bool outward = (op.flags & 1U) != 0;
    const std::uint64_t own =
        bits_at(warp, op.a, access.lane, op.mode.address.wide ? 64 : 32) + static_cast<std::uint64_t>(op.immediate);
    const std::uint64_t other =
        bits_at(warp, op.b, access.lane, 64) + static_cast<std::uint64_t>(static_cast<std::int32_t>(op.more[0]));
    const std::uint64_t size = bits_at(warp, op.c, access.lane, 32);
    access.bytes = kPiece;
    for (std::uint64_t at = 0; at < size; at += kPiece) {
        const auto one = [&](bool is_shared) {
            Access now = access;
            now.loads = is_shared == outward;
            now.stores = !now.loads;
            touch(now, is_shared ? StateSpace::kShared : StateSpace::kGlobal,
                  is_shared ? (own + at) & 0xFFFF'FFFFU : other + at);
        };
        one(outward);
        one(!outward);
    }
}

std::uint64_t Checker::bits_at(const Warp& warp, std::uint32_t place, unsigned lane, unsigned bits) {
    std::uint64_t value = 0;
    std::memcpy(&value, warp.frame + place + std::size_t{lane} * (bits / 8), bits / 8);
    return value;
}

// What a lane stores, from its registers.
void Checker::data_of(const Warp& warp, const Compiled& code, const OpFacts& facts, Access& access) const {
    const auto is_data = [](const RegisterUse& use) {
        return !use.writes && (use.slot == kB || (use.slot >= kMore0 && use.slot <= kMore3));
    };
    const auto first = code.uses.begin() + facts.uses.first;
    const auto count = static_cast<unsigned>(std::count_if(first, first + facts.uses.count, is_data));
    if (count == 0 || facts.bytes % count != 0) {
        return;
    }
    const unsigned size = facts.bytes / count;
    unsigned at = 0;
    for (std::uint32_t i = facts.uses.first; i < facts.uses.first + facts.uses.count; ++i) {
        const RegisterUse& use = code.uses[i];
        if (is_data(use) && use.bits / 8U >= size) {
            const std::uint64_t value = bits_at(warp, use.place, access.lane, use.bits);
            std::memcpy(access.data.data() + at, &value, size);
            at += size;
        }
    }
}

void Checker::touch(Access access, StateSpace space, std::uint64_t address) {
    access.space = space;
    access.address = address;
    if (space == StateSpace::kNone) {
        const bool is_shared = address - kSharedWindow < kWindowBytes;
        const bool is_local = address - kLocalWindow < kWindowBytes;
        access.space = is_shared ? StateSpace::kShared : is_local ? StateSpace::kLocal : StateSpace::kGlobal;
        access.address = is_shared ? address - kSharedWindow : is_local ? address - kLocalWindow : address;
    }
    if (checks_.initialised) {
        check_written(access);
    }
    if (checks_.races && access.space != StateSpace::kLocal) {
        races_.touch(access, [&](const Access& now, const Touch& earlier, bool earlier_wrote) {
            race(now, earlier, earlier_wrote);
        });
    }
}

void Checker::check_written(const Access& access) {
    std::uint64_t first = access.address;
    WrittenBytes* bytes = &shared_written_;
    if (access.space == StateSpace::kLocal) {
        first += access.lane * local_bytes_;
        bytes = &local_written_[access.warp];
    } else if (access.space != StateSpace::kShared) {
        bytes = parts_.memory->written(access.address, first);
    }
    if (bytes == nullptr) {
        return;
    }
    if (access.loads && !bytes->all(first, access.bytes)) {
        tell(Defect::Kind::kMemory, access.site, name(access.space), 1U << access.lane, access.warp, [&] {
            return fmt::format("{} reads {} bytes at 0x{:x} of {} memory, which nothing has written",
                               words(access.site), access.bytes, access.address, name(access.space));
        });
    }
    if (access.stores) {
        bytes->set(first, access.bytes);
    }
}

void Checker::race(const Access& access, const Touch& earlier, bool earlier_wrote) {
    tell(Defect::Kind::kRace, access.site, place(races_.site(earlier.site)), 1U << access.lane, access.warp, [&] {
        const std::string of = earlier.cta == races_.cta_number()
                                   ? std::string()
                                   : fmt::format(" of CTA {}", triple(races_.index_of(earlier.cta)));
        return fmt::format("{} {} {} bytes at 0x{:x} of {} memory that thread {}{} {} at {}, with no {} in between",
                           words(access.site), access.stores ? "writes" : "reads", access.bytes, access.address,
                           name(access.space), triple(thread_index(earlier.thread)), of,
                           earlier_wrote ? "wrote" : "read", place(races_.site(earlier.site)),
                           of.empty() && earlier.thread / kWarpLanes == access.warp ? "__syncwarp" : "barrier");
    });
}

void Checker::at_barrier(const Warp& warp, const Compiled& code, const Block& block, std::uint32_t mask,
                         std::uint32_t running) {
    const Site site{&code, block.instruction};
    const std::uint32_t missing = running & ~mask;
    if (!checks_.barriers || missing == 0) {
        return;
    }
    const std::string of = words(site);
    if (of.starts_with("bar.") || of.find(".aligned") != std::string::npos) {
        tell(Defect::Kind::kBarrier, site, "", mask, warp.number, [&] {
            return fmt::format("{} is reached by lanes 0x{:x} of warp {}, and not by its lanes 0x{:x}", of, mask,
                               warp.number, missing);
        });
    }
}

void Checker::at_members(const Warp& warp, const Compiled& code, std::size_t op, std::uint32_t lanes,
                         std::uint32_t members, std::uint32_t running) {
    const Site site{&code, code.ops[op].instruction};
    const std::uint32_t missing = members & running & ~lanes;
    if (missing != 0) {
        tell(Defect::Kind::kBarrier, site, "", lanes, warp.number, [&] {
            return fmt::format(
                "{} is executed by lanes 0x{:x} of warp {}, and not by its lanes 0x{:x}, which it names", words(site),
                lanes, warp.number, missing);
        });
    }
}

std::string Checker::words(const Site& site) const {
    return words_of(*parts_.module, site.code->function->instructions[site.instruction]);
}

Dim3 Checker::thread_index(std::uint32_t thread) const {
    const Dim3& block = parts_.launch.block;
    return {thread % block.x, thread / block.x % block.y, thread / (block.x * block.y)};
}

std::string Checker::triple(const Dim3& dim) {
    return fmt::format("{},{},{}", dim.x, dim.y, dim.z);
}

const std::string& Checker::place(const Site& site) {
    std::string& known = places_[site];
    if (known.empty()) {
        known = parts_.module->where(site.code->function->instructions[site.instruction].place);
    }
    return known;
}

// Reports once for each line, or pair of lines, and counts repetitions.
void Checker::tell(Defect::Kind kind, const Site& site, const std::string& other, std::uint32_t lanes,
                   std::uint32_t warp, const std::function<std::string()>& what) {
    const std::string& own = place(site);
    const auto key = kind == Defect::Kind::kRace ? std::tuple(kind, std::min(own, other), std::max(own, other))
                                                 : std::tuple(kind, own, other);
    const auto known = numbers_.find(key);
    const auto times = static_cast<unsigned>(std::popcount(lanes));
    if (known != numbers_.end()) {
        defects_[known->second].times += times;
        return;
    }
    if (defects_.size() == kMostDefects) {
        return;
    }
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    numbers_[key] = defects_.size();
    defects_.push_back({kind,
                        fmt::format("{}: in {}: {} (CTA {} thread {})", own, readable_name(site.code->function->name),
                                    what(), triple(cta_), triple(thread_index(warp * kWarpLanes + lane))),
                        times});
}

}  // namespace kymo::gpu::ptx
