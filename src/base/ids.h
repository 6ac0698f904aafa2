// Identifiers inside one recording file. Usable in the monitor.
#pragma once

#include <cstdint>

namespace kymo {

// A sequence of samples in time: a thread, or (modelled GPU) an SM's warp slot. Unique in a file; 0 is
// the file's own, for rows that belong to the process and not to a thread.
enum class StreamId : std::uint32_t {};

// One *loading* of an image: the same file loaded twice has two. 0: no image (generated code); the
// offset is then a process address.
enum class ImageId : std::uint32_t {};

// A node of a stream's calling-context tree. 0 is the root, above the outermost frame.
enum class ContextId : std::uint32_t {};

// Index of an event in the recording's event table.
enum class EventId : std::uint32_t {};

constexpr std::uint32_t raw(StreamId id) {
    return static_cast<std::uint32_t>(id);
}
constexpr std::uint32_t raw(ImageId id) {
    return static_cast<std::uint32_t>(id);
}
constexpr std::uint32_t raw(ContextId id) {
    return static_cast<std::uint32_t>(id);
}
constexpr std::uint32_t raw(EventId id) {
    return static_cast<std::uint32_t>(id);
}

}  // namespace kymo
