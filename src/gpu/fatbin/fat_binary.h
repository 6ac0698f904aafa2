// Fat binaries: what nvcc puts into a program for the GPU, that is a container of PTX texts and machine-code images
// (cubins) for several architectures, each by itself plain or compressed. docs/fat-binaries.md has it byte by byte.
//
// Contract: pure, nothing is copied until contents(); the bytes must outlive the entries. Input is not trusted: no
// read leaves the span, and what an entry claims to unpack to is bounded. Errors: kMalformed, naming `name` and what
// was expected; kUnsupported for a compression that is not known.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::gpu {

enum class Compression : std::uint8_t { kNone, kLz4, kZstd };

struct FatEntry {
    enum class Kind : std::uint8_t { kPtx, kCubin, kOther } kind = Kind::kOther;
    Compression compression = Compression::kNone;
    unsigned capability = 0;      // 75 is compute capability 7.5
    std::string_view identifier;  // the source's name where nvcc keeps it; empty otherwise
    std::span<const std::uint8_t> payload;
    std::uint64_t size = 0;  // of the contents, as stated; of plain ones the payload's
    std::uint64_t flags = 0;
};

inline constexpr std::uint32_t kFatMagic = 0xBA55'ED50;
inline constexpr std::uint64_t kLargestContents = std::uint64_t{1} << 30U;

// How many bytes the container that starts with these takes, its header included. `head` is at least
// kFatHeaderBytes long.
inline constexpr std::size_t kFatHeaderBytes = 16;
Result<std::uint64_t> fat_binary_bytes(std::span<const std::uint8_t> head, const std::string& name);

// The entries of the container at the start of `bytes`, in its order.
Result<std::vector<FatEntry>> fat_entries(std::span<const std::uint8_t> bytes, const std::string& name);

// An entry's contents, unpacked. Of PTX: the text without the zeros that end it.
Result<std::string> contents(const FatEntry& entry, const std::string& name);

// The PTX to run on a GPU of this compute capability: like the driver, the newest that is not newer than the GPU.
// If all are newer, the oldest, since the compiler may no longer support a modelled GPU; the caller can see this
// by its capability. None if there is no PTX.
std::optional<std::size_t> choose_ptx(const std::vector<FatEntry>& entries, unsigned capability);

// The cubin nearest to this capability, for facts that only the compiler's last stage determines (registers).
std::optional<std::size_t> choose_cubin(const std::vector<FatEntry>& entries, unsigned capability);

}  // namespace kymo::gpu
