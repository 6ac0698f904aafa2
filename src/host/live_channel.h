// What a channel of a program does, as the live views show it.
#pragma once

#include "base/channels/kind.h"
#include "cells/standard.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kymo::host {

struct LiveChannel {
    std::uint32_t pid = 0;
    std::string program;
    std::string communicator;
    std::uint64_t communicator_id = 0;  // of a pipe, socket or declared channel: this end
    std::uint64_t peer_end = 0;         // and the other one; 0: not known
    std::string other = {};             // the processes at the other end (other_ends.h)
    std::optional<std::uint64_t> peer;  // world rank; nothing: all ranks, unknown, a file, or another world's rank
    cells::ChannelDirection direction = cells::ChannelDirection::kSend;
    std::uint64_t messages = 0;  // so far
    std::uint64_t bytes = 0;
    double messages_a_second = 0;
    double bytes_a_second = 0;
    double blocked = 0;            // share of the time, added up over threads
    std::int64_t outstanding = 0;  // now
    std::uint64_t largest = 0;     // bytes

    [[nodiscard]] std::uint64_t raw_direction() const { return static_cast<std::uint64_t>(direction); }
    [[nodiscard]] bool is_end() const { return is_end_direction(raw_direction()); }
};

}  // namespace kymo::host
