#include "gpu/fatbin/fat_binary.h"

#include <algorithm>
#include <cstring>
#include <lz4.h>
#include <zstd.h>

namespace kymo::gpu {
namespace {

constexpr std::size_t kMostEntries = 65536;
constexpr std::size_t kShortestEntry = 64;  // bytes of an entry's header
constexpr std::uint16_t kContainerVersion = 1;

// Where the fields of an entry's header lie.
constexpr std::size_t kKindAt = 0;
constexpr std::size_t kHeaderBytesAt = 4;
constexpr std::size_t kPayloadBytesAt = 8;
constexpr std::size_t kPackedBytesAt = 16;
constexpr std::size_t kCapabilityAt = 28;
constexpr std::size_t kNameAt = 32;
constexpr std::size_t kNameBytesAt = 36;
constexpr std::size_t kFlagsAt = 40;
constexpr std::size_t kUnpackedBytesAt = 56;

constexpr std::uint64_t kLz4Flag = 0x2000;
constexpr std::uint64_t kZstdFlag = 0x8000;

template <typename T>
T at(std::span<const std::uint8_t> bytes, std::size_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

Error malformed(const std::string& name, const std::string& expected) {
    return {ErrorKind::kMalformed, name + ": damaged fat binary: expected " + expected,
            "build the program again with nvcc"};
}

Result<FatEntry> read_entry(std::span<const std::uint8_t> bytes, std::uint64_t& taken, const std::string& name) {
    if (bytes.size() < kShortestEntry) {
        return malformed(name, "an entry of at least 64 bytes");
    }
    const auto header = at<std::uint32_t>(bytes, kHeaderBytesAt);
    const auto payload = at<std::uint64_t>(bytes, kPayloadBytesAt);
    if (header < kShortestEntry || header > bytes.size() || payload > bytes.size() - header) {
        return malformed(name, "an entry that lies in the container");
    }
    taken = header + payload;
    FatEntry entry;
    const auto kind = at<std::uint16_t>(bytes, kKindAt);
    entry.kind = kind == 1 ? FatEntry::Kind::kPtx : kind == 2 ? FatEntry::Kind::kCubin : FatEntry::Kind::kOther;
    entry.capability = at<std::uint32_t>(bytes, kCapabilityAt);
    entry.flags = at<std::uint64_t>(bytes, kFlagsAt);
    const std::uint64_t name_at = at<std::uint32_t>(bytes, kNameAt);
    const std::uint64_t name_bytes = at<std::uint32_t>(bytes, kNameBytesAt);
    if (name_bytes != 0) {
        if (name_at + name_bytes > header) {
            return malformed(name, "an entry's identifier in its header");
        }
        entry.identifier = {reinterpret_cast<const char*>(bytes.data()) + name_at,
                            static_cast<std::size_t>(name_bytes)};
    }
    entry.payload = bytes.subspan(header, payload);
    entry.size = payload;
    if ((entry.flags & (kLz4Flag | kZstdFlag)) != 0) {
        entry.compression = (entry.flags & kZstdFlag) != 0 ? Compression::kZstd : Compression::kLz4;
        const auto packed = at<std::uint32_t>(bytes, kPackedBytesAt);
        entry.size = at<std::uint64_t>(bytes, kUnpackedBytesAt);
        if (packed > payload) {
            return malformed(name, "compressed bytes within the entry");
        }
        entry.payload = entry.payload.first(packed);
    }
    return entry;
}

}  // namespace

Result<std::uint64_t> fat_binary_bytes(std::span<const std::uint8_t> head, const std::string& name) {
    if (head.size() < kFatHeaderBytes || at<std::uint32_t>(head, 0) != kFatMagic) {
        return malformed(name, "the bytes 50 ed 55 ba at its start");
    }
    if (const auto version = at<std::uint16_t>(head, 4); version != kContainerVersion) {
        return Error{ErrorKind::kNewerFormat, name + ": a fat binary of version " + std::to_string(version),
                     "build the program with nvcc 12 or 13"};
    }
    const std::uint64_t header = at<std::uint16_t>(head, 6);
    const auto entries = at<std::uint64_t>(head, 8);
    if (header < kFatHeaderBytes || entries > (std::uint64_t{1} << 40U)) {
        return malformed(name, "a container of at most 2^40 bytes");
    }
    return header + entries;
}

Result<std::vector<FatEntry>> fat_entries(std::span<const std::uint8_t> bytes, const std::string& name) {
    const auto size = fat_binary_bytes(bytes, name);
    if (!size) {
        return size.error();
    }
    if (*size > bytes.size()) {
        return malformed(name, std::to_string(*size) + " bytes, found " + std::to_string(bytes.size()));
    }
    bytes = bytes.first(*size).subspan(at<std::uint16_t>(bytes, 6));
    std::vector<FatEntry> entries;
    while (!bytes.empty()) {
        std::uint64_t taken = 0;
        auto entry = read_entry(bytes, taken, name);
        if (!entry) {
            return entry.error();
        }
        if (entries.size() == kMostEntries) {
            return malformed(name, "at most 65536 entries");
        }
        entries.push_back(*entry);
        bytes = bytes.subspan(taken);
    }
    return entries;
}

Result<std::string> contents(const FatEntry& entry, const std::string& name) {
    if (entry.size > kLargestContents) {
        return malformed(name, "contents of at most 1 GiB");
    }
    std::string out;
    if (entry.compression == Compression::kNone) {
        out.assign(reinterpret_cast<const char*>(entry.payload.data()), entry.payload.size());
    } else {
        // A stated size far beyond what the bytes can expand to (LZ4: 255 per byte) must not cost memory.
        const bool lz4 = entry.compression == Compression::kLz4;
        if (lz4 && entry.size / 255 > entry.payload.size()) {
            return malformed(name, "compressed bytes of the stated size");
        }
        if (!lz4 && ZSTD_getFrameContentSize(entry.payload.data(), entry.payload.size()) != entry.size) {
            return malformed(name, "a zstd frame of the stated size");
        }
        out.resize(entry.size);
        const auto* packed = reinterpret_cast<const char*>(entry.payload.data());
        bool whole = false;
        if (lz4) {
            const int got = LZ4_decompress_safe(packed, out.data(), static_cast<int>(entry.payload.size()),
                                                static_cast<int>(out.size()));
            whole = got >= 0 && static_cast<std::uint64_t>(got) == entry.size;
        } else {
            whole = ZSTD_decompress(out.data(), out.size(), packed, entry.payload.size()) == entry.size;
        }
        if (!whole) {
            return malformed(name, "whole compressed bytes");
        }
    }
    if (entry.kind == FatEntry::Kind::kPtx) {
        out.resize(std::min(out.size(), out.find('\0')));
    }
    return out;
}

std::optional<std::size_t> choose_ptx(const std::vector<FatEntry>& entries, unsigned capability) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (entries[i].kind != FatEntry::Kind::kPtx) {
            continue;
        }
        if (!best) {
            best = i;
            continue;
        }
        const unsigned here = entries[i].capability;
        const unsigned there = entries[*best].capability;
        const bool fits = here <= capability;
        const bool fitted = there <= capability;
        if (fits != fitted ? fits : fits ? here > there : here < there) {
            best = i;
        }
    }
    return best;
}

std::optional<std::size_t> choose_cubin(const std::vector<FatEntry>& entries, unsigned capability) {
    const auto distance = [&](const FatEntry& entry) {
        return entry.capability > capability ? entry.capability - capability : capability - entry.capability;
    };
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (entries[i].kind == FatEntry::Kind::kCubin && (!best || distance(entries[i]) < distance(entries[*best]))) {
            best = i;
        }
    }
    return best;
}

}  // namespace kymo::gpu
