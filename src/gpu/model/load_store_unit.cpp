#include "gpu/model/load_store_unit.h"

#include "gpu/model/access_counts.h"
#include "gpu/model/cycles.h"
#include "gpu/model/generic_space.h"

#include <algorithm>

namespace kymo::gpu {
namespace {

// L1 and shared memory are one array on GPUs since Volta: the part that CTAs use is not cache.
double l1_bytes(const LaunchContext& context) {
    const Gpu& gpu = context.gpu;
    if (gpu.unified_bytes == 0) {
        return gpu.l1_size;
    }
    const double held = context.occupancy.shared_bytes_of_cta * context.occupancy.ctas;
    return std::min(gpu.l1_size, std::max(gpu.unified_bytes - held, 0.0));
}

}  // namespace

LoadStoreUnit::LoadStoreUnit(LaunchContext& context, unsigned sm)
    : context_(context),
      gpu_(context.gpu),
      sm_(sm),
      l1_(static_cast<std::uint64_t>(l1_bytes(context)), gpu_.whole(gpu_.l1_ways), &context.pool),
      constants_(static_cast<std::uint64_t>(gpu_.constant_size), 4, &context.pool),
      misses_(gpu_.whole(gpu_.l1_misses)) {}

LoadStoreUnit::Access LoadStoreUnit::access(WarpCursor& cursor, const std::uint64_t* known_first,
                                            const Decoded& decoded, const Issued& issued) {
    const std::uint32_t mask = cursor.mask();
    const Op& op = decoded.op;
    const std::uint64_t now = issued.cycle;
    if (known_first == nullptr) {
        if (op.space == Space::kConstant) {
            return unknown_constant(now);
        }
        // An access without addresses in the trace: takes a hit's time.
        const bool in_shared = op.space == Space::kShared;
        return {time_of(now) + (in_shared ? gpu_.shared_latency : gpu_.l1_latency),
                in_shared ? Cause::kShared : Cause::kL1, 0};
    }
    const std::uint64_t first = *known_first;
    const Space space = resolved(context_.header, op.space, first);
    if (space == Space::kShared) {
        AccessMemo::Banks banks;
        (void)context_.memo.banks(cursor, first, op.bytes, banks);  // one that is broken ends with the next
        return shared(decoded, banks, issued);
    }
    Footprint footprint;
    if (space == Space::kLocal) {
        LaneAddresses addresses;
        if (cursor.lanes(addresses, nullptr)) {
            interleave_local(addresses, mask, static_cast<std::uint64_t>(sm_) * 256U + issued.slot);
            coalesce(addresses, mask, op.bytes, footprint);
        }
    } else {
        (void)context_.memo.footprint(cursor, first, op.bytes, footprint);
    }
    if (space == Space::kConstant) {
        return constant(footprint, now);
    }
    count_global(*issued.account, footprint, mask, op.bytes);
    if (issued.told != nullptr) {
        issued.told->sectors = footprint.sectors;
    }
    return global(decoded, footprint, now);
}

LoadStoreUnit::Access LoadStoreUnit::shared(const Decoded& decoded, AccessMemo::Banks banks, const Issued& issued) {
    const unsigned passes = banks.passes;
    const unsigned fewest = count_shared(*issued.account, passes, decoded.op.bytes);
    if (issued.told != nullptr) {
        issued.told->extra_passes = passes - fewest;
    }
    double service = passes;
    if (decoded.op.atomic) {
        service += (banks.most_on_one_word - 1) * gpu_.shared_atomic_cycles;
    }
    const double begin = unit_.book(time_of(issued.cycle), service, context_.horizon);
    const Cause cause = passes > fewest ? Cause::kBankConflict : decoded.op.atomic ? Cause::kAtomic : Cause::kShared;
    return {begin + gpu_.shared_latency + service - fewest, cause, cycle(begin)};
}

// Parameters and launch data, whose addresses are not in traces: one line, cold once per SM.
LoadStoreUnit::Access LoadStoreUnit::unknown_constant(std::uint64_t now) {
    const auto time = time_of(now);
    if (constants_cold_) {
        constants_cold_ = false;
        constant_ready_ = time + gpu_.constant_miss_latency + gpu_.l2_latency;
    }
    return {std::max(constant_ready_, time + gpu_.constant_latency), Cause::kConstant, 0};
}

// Different addresses are served one after another.
LoadStoreUnit::Access LoadStoreUnit::constant(const Footprint& footprint, std::uint64_t now) {
    const auto time = time_of(now);
    double ready = time;
    for (const LineAccess& line : footprint.all()) {
        const auto outcome = constants_.access(line.line, line.sectors, true, false);
        const bool hit = (outcome.hits & line.sectors) == line.sectors;
        ready = std::max(ready, outcome.ready) + (hit ? gpu_.constant_latency : gpu_.constant_miss_latency);
        if (!hit) {
            constants_.arrives(outcome.place, line.line, ready);
        }
    }
    return {ready, Cause::kConstant, 0};
}

LoadStoreUnit::Access LoadStoreUnit::global(const Decoded& decoded, const Footprint& footprint, std::uint64_t now) {
    const Op& op = decoded.op;
    // The L1 delivers this many sectors per cycle, but only one from each place in a line, since the lines are
    // stacked in its banks.
    const double passes = std::max(
        {1.0, footprint.sectors / gpu_.l1_sectors_per_cycle, static_cast<double>(footprint.most_at_one_place)});
    const double begin = unit_.book(time_of(now), passes, context_.horizon);
    Access result{begin + gpu_.l1_latency + passes - 1, Cause::kL1, cycle(begin)};
    if (begin - time_of(now) > gpu_.l1_latency) {
        result.cause = Cause::kMemoryQueue;
    }
    if (op.atomic) {
        atomics(footprint, begin, op.load, result);
    } else if (op.store) {
        stores(footprint, begin, result);
    } else {
        loads(footprint, begin, passes, result);
    }
    return result;
}

void LoadStoreUnit::atomics(const Footprint& footprint, double begin, bool wants_result, Access& result) {
    for (const LineAccess& line : footprint.all()) {
        context_.memory.prefetch_way(line.line);
    }
    double last_done = 0;
    for (const LineAccess& line : footprint.all()) {
        const Reply reply = context_.memory.atomic(begin, sm_, line);
        last_done = std::max(last_done, reply.ready);
        if (wants_result && reply.ready > result.ready) {
            result.ready = reply.ready;
            result.cause = Cause::kAtomic;
        }
    }
    result.stored = cycle(last_done);
}

// Written through; a line the L1 has is updated there.
void LoadStoreUnit::stores(const Footprint& footprint, double begin, Access& result) {
    for (const LineAccess& line : footprint.all()) {
        context_.memory.prefetch_way(line.line);
        (void)l1_.access(line.line, line.sectors, false, false);
    }
    double last_done = 0;
    for (const LineAccess& line : footprint.all()) {
        last_done = std::max(last_done, context_.memory.write(begin, sm_, line));
    }
    result.stored = cycle(last_done);
}

void LoadStoreUnit::loads(const Footprint& footprint, double begin, double passes, Access& result) {
    struct Miss {
        LineAccess wanted;
        std::size_t place;
    };
    std::array<Miss, std::size_t{2} * kWarpLanes> misses;
    unsigned missed = 0;
    double arrived = 0;  // the last of those that other loads are fetching
    for (const LineAccess& line : footprint.all()) {
        const auto outcome = l1_.access(line.line, line.sectors, true, false);
        if (outcome.hits != 0) {
            arrived = std::max(arrived, outcome.ready);
        }
        if (outcome.hits != line.sectors) {
            context_.memory.prefetch(line.line);
            const auto missing = static_cast<std::uint8_t>(line.sectors & ~outcome.hits);
            misses[missed++] = {{line.line, missing, line.lanes}, outcome.place};
        }
    }
    if (arrived > result.ready) {
        result.ready = arrived;
        result.cause = Cause::kL2;
    }
    l1_reads_ += footprint.sectors;
    l1_read_hits_ += footprint.sectors;
    // The host's prefetch for one miss runs while the others are requested.
    for (const Miss& miss : std::span(misses).first(missed)) {
        context_.memory.prefetch_way(miss.wanted.line);
    }
    for (const Miss& miss : std::span(misses).first(missed)) {
        const unsigned missing = sectors_in(miss.wanted.sectors);
        l1_read_hits_ -= missing;
        const double leave = misses_.free_from(begin, missing);
        const Reply reply = context_.memory.read(leave, sm_, miss.wanted);
        const double ready =
            port_.book(reply.ready, missing * kSectorBytes / gpu_.noc_bytes, context_.horizon) + passes - 1;
        l1_.arrives(miss.place, miss.wanted.line, ready);
        misses_.hold(ready, missing);
        if (ready > result.ready) {
            result.ready = ready;
            result.cause = reply.level == Level::kDram ? Cause::kDram : Cause::kL2;
        }
    }
}

}  // namespace kymo::gpu
