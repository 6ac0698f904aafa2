#include "base/checksum.h"
#include "ring/transport/driver.h"

#include <fstream>
#include <unistd.h>

namespace kymo::ring {

std::uint64_t own_clock() {
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    char space[64] = "";
    const ssize_t size = readlink("/proc/self/ns/time", space, sizeof space);
    if (boot.empty()) {
        return 0;
    }
    const std::string all = boot + std::string(space, size > 0 ? static_cast<std::size_t>(size) : 0);
    return static_cast<std::uint64_t>(crc32c(all.data(), all.size())) << 32U | crc32c(all.data(), all.size(), 1);
}

}  // namespace kymo::ring
