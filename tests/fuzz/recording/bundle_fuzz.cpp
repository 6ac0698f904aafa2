// Any bytes as a bundle: its members are found, opened and scanned within bounds, none reaches beyond the file, and
// no two share a byte. Every input is tried twice: as it is, and with its checksums made right.

#include "mend.h"
#include "recording/bundle.h"
#include "recording/format.h"
#include "recording/reader.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace kymo;
using namespace kymo::recording;

// As testing::mend(), of the bundle's header and those of its members, as far as they can be followed.
void mend_bundle(std::vector<std::uint8_t>& bytes) {
    BundleHeader header;
    if (bytes.size() < sizeof header) {
        return;
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    header.fixed_crc = crc32c(&header, offsetof(BundleHeader, fixed_crc));
    std::memcpy(bytes.data(), &header, sizeof header);
    for (std::uint64_t at = header.header_bytes; at + sizeof(MemberHeader) <= bytes.size();) {
        MemberHeader member;
        std::memcpy(&member, bytes.data() + at, sizeof member);
        const std::uint64_t left = bytes.size() - at;
        if (member.header_bytes > left || member.name_bytes > left - sizeof member ||
            member.header_bytes < sizeof member || member.bytes > left - member.header_bytes) {
            return;
        }
        member.crc = crc32c(bytes.data() + at + sizeof member, member.name_bytes,
                            crc32c(&member, offsetof(MemberHeader, crc)));
        std::memcpy(bytes.data() + at, &member, sizeof member);
        const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at + member.header_bytes);
        std::vector<std::uint8_t> file(begin, begin + static_cast<std::ptrdiff_t>(member.bytes));
        testing::mend(file);
        std::copy(file.begin(), file.end(), begin);
        at += member.header_bytes + (member.bytes + 7) / 8 * 8;
    }
}

void require(bool good) {
    if (!good) {
        std::abort();
    }
}

void try_bytes(const std::vector<std::uint8_t>& bytes) {
    const int file = memfd_create("input", MFD_CLOEXEC);
    require(file >= 0 && write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    const auto bundle = std::make_shared<const Descriptor>(file);
    const auto found = read_members(file, "input.krecs");
    if (!found) {
        return;
    }
    std::uint64_t end = 0;
    for (const Member& member : found->members) {
        require(member.begin >= end && member.begin + member.bytes <= bytes.size());
        require(member.name.find('/') == std::string::npos && member.name.ends_with(".krec"));
        end = member.begin + member.bytes;
        if (const auto opened = File::open(bundle, member.name, member.begin, member.bytes)) {
            require(opened->bytes() == member.bytes);
            static_cast<void>(opened->tables());
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::uint8_t> bytes(data, data + size);
    try_bytes(bytes);
    mend_bundle(bytes);
    try_bytes(bytes);
    return 0;
}
