#include "ring/transport/service_cells.h"

#include "cells/primitives.h"
#include "ring/transport/service_metrics.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace kymo::ring {
namespace {

using cells::ChannelCell;
using cells::ChannelDirection;

constexpr std::uint64_t kNobody = ~std::uint64_t{0};  // as docs/cells-format.md defines it

}  // namespace

Result<void> ServiceCells::open(const std::filesystem::path& path, std::string_view program, std::uint32_t channels,
                                std::uint64_t job) {
    cells::SegmentOptions options;
    options.pid = static_cast<std::uint32_t>(getpid());
    options.program = program;
    options.channels = std::min(channels, cells::kMaxRows - 1);
    if (const int error = segment_.create(path.c_str(), options); error != 0) {
        return Error{error == ENOSPC ? ErrorKind::kNoSpace : ErrorKind::kPermission,
                     path.string() + " cannot be made: " + std::strerror(error),
                     "set XDG_RUNTIME_DIR to a directory in memory that you may write to"};
    }
    job_ = job;
    cells::NewCell cell{
        cells::ResourceKind::kChannel, cells::MetricType::kCounter, cells::Origin::kLibrary, "ns", "round-trip",
        "requests took to come home"};
    segment_.describe(kRoundTripCell, cell);
    cell.unit = {};
    cell.name = "trips";
    cell.description = "requests that came home";
    segment_.describe(kTripsCell, cell);
    cell.type = cells::MetricType::kGauge;
    cell.name = "open";
    cell.description = "1 while the channel is open";
    segment_.describe(kOpenCell, cell);
    return {};
}

cells::Row* ServiceCells::row_of(Slot peer, bool sends, Time now) {
    const auto [known, is_new] = rows_.try_emplace({peer, sends}, nullptr);
    if (is_new) {
        cells::Object object;
        object.kind = cells::ResourceKind::kChannel;
        object.number = rows_.size() - 1;
        object.key[0] = job_;
        object.key[1] = peer == kUnknownPeer ? kNobody : peer;
        object.key[2] =
            static_cast<std::uint64_t>(sends ? ChannelDirection::kServiceSend : ChannelDirection::kServiceReceive);
        object.writer = static_cast<std::uint32_t>(gettid());
        object.begin = now;
        object.name = "service ring";
        known->second = segment_.take(object);
    }
    return known->second;
}

void ServiceCells::fill(std::span<const ChannelState> states, std::span<const Trips> trips, Time now) {
    for (const ChannelState& state : states) {
        // A member has channels to many members, but uses few of them.
        cells::Row* const row =
            state.messages + state.outstanding == 0 ? nullptr : row_of(state.peer, state.sends, now);
        if (row == nullptr) {
            continue;
        }
        const cells::Filling filling(*row, now);
        std::uint64_t* const values = cells::Segment::cells_of(*row);
        const auto put = [values](ChannelCell cell, std::uint64_t value) {
            cells::store(values[index(cell)], value);
        };
        put(ChannelCell::kMessages, state.messages);
        put(ChannelCell::kBytes, state.bytes);
        put(ChannelCell::kBlocked, state.blocked);
        put(ChannelCell::kOutstanding, state.outstanding);
        put(ChannelCell::kLargest, state.largest);
        put(ChannelCell::kMostOutstanding, state.most_outstanding);
        put(ChannelCell::kCalls, state.calls);
        cells::store(values[kOpenCell], std::uint64_t{state.open});
        for (const Trips& each : trips) {
            if (state.sends && each.to == state.peer) {
                cells::store(values[kRoundTripCell], each.ns);
                cells::store(values[kTripsCell], each.number);
            }
        }
    }
}

}  // namespace kymo::ring
