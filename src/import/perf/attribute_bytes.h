// A perf_event_attr as bytes of any version, size and byte order.
#pragma once

#include "import/perf/attribute.h"
#include "import/perf/bytes.h"

#include <optional>

namespace kymo::import::perf {

constexpr std::size_t kSmallestAttribute = 64;  // of the first version

// The structure's size as it states it itself, between kSmallestAttribute and what is there; empty: neither.
std::optional<std::size_t> attribute_size(std::span<const std::uint8_t> bytes, ByteOrder order);

// What the bytes do not have is 0; what is beyond the fields that are known is ignored. Precondition: at least
// kSmallestAttribute bytes. Neither ids nor a given name: the name is made.
Attribute read_attribute(std::span<const std::uint8_t> bytes, ByteOrder order);

}  // namespace kymo::import::perf
