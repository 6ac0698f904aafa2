#include "spacetime/load/file_data.h"

namespace kymo::spacetime {
namespace {

// Against files that name absurd numbers.
constexpr std::size_t kMaxStreams = 1U << 22U;

}  // namespace

StreamData* FileData::stream(std::uint64_t id) {
    const auto number = static_cast<std::uint32_t>(id);
    if (id == 0 || id != number || (streams.size() >= kMaxStreams && !streams.contains(number))) {
        ++strange_rows;
        return nullptr;
    }
    StreamData& stream = streams[number];
    stream.id = number;
    return &stream;
}

EventRoles roles_of(const FileData& file, const StreamData& stream) {
    EventRoles roles(file.events, stream.mechanism != 0 ? stream.mechanism : file.mechanism);
    roles.first_period = stream.first_period;
    roles.tick = stream.tick;
    return roles;
}

Quality& Quality::operator+=(const Quality& other) {
    samples += other.samples;
    ticks += other.ticks;
    at_tick += other.at_tick;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        paths[i] += other.paths[i];
    }
    recovered += other.recovered;
    folded += other.folded;
    lost += other.lost;
    throttled += other.throttled;
    merged += other.merged;
    unwritten += other.unwritten;
    condensed += other.condensed;
    coarse_until = std::max(coarse_until, other.coarse_until);
    monitor_ns += other.monitor_ns;
    kernel_user_ns += other.kernel_user_ns;
    kernel_system_ns += other.kernel_system_ns;
    return *this;
}

}  // namespace kymo::spacetime
