// The writing side of a recording file. Signal-safe: no malloc, no locks, no stdio, no exceptions;
// part of the monitor.
//
// One FileWriter a process and file: it owns the descriptor and one reserved shared mapping, grown by
// fallocate (or by writing zeros where the file system has none), never by ftruncate alone: a full disk is
// an error here and not a SIGBUS later. Chunks of kChunkBytes are handed out by one atomic add and are
// populated when taken.
//
// One StreamWriter a stream, used by one thread at a time. append() encodes a row and publishes it by
// storing the chunk's commit word last, so that after kill -9 everything but the row in the making can
// be read. A thread that may be interrupted by its own handler must not append outside the handler while
// the handler may append to the same StreamWriter.
//
// Cost: append about 20–50 ns; taking a chunk some microseconds once every 64 KiB.
#pragma once

#include "base/ids.h"
#include "base/varint.h"
#include "recording/schema.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::recording {

inline constexpr std::size_t kChunkBytes = 64 * 1024;

}  // namespace kymo::recording
