#include "monitor/channels/end.h"

#include "base/exclusion.h"
#include "image/arena.h"
#include "monitor/process/process.h"
#include "monitor/text.h"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

namespace kymo::monitor {
namespace {

// Sockets' inodes are the kernel's own numbers, those of FIFOs their file systems'.
enum class What : std::uint64_t { kOther = 0, kFifo = 1, kSocket = 2 };
constexpr unsigned kWhatBit = 62;

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    return hash ^ (hash >> 29U);
}

std::uint64_t finish(std::uint64_t hash) {
    hash = (hash ^ (hash >> 32U)) * 0xD6E8FEB86659FD93U;
    hash ^= hash >> 32U;
    return hash == 0 ? 1 : hash;
}

std::uint64_t mix_bytes(std::uint64_t hash, const void* bytes, std::size_t size) {
    const auto* at = static_cast<const std::uint8_t*>(bytes);
    for (; size >= 8; size -= 8, at += 8) {
        std::uint64_t word = 0;
        __builtin_memcpy(&word, at, 8);
        hash = mix(hash, word);
    }
    std::uint64_t rest = size;
    for (; size > 0; --size) {
        rest = rest << 8U | *at++;
    }
    return mix(hash, rest);
}

// ---- pairs --------------------------------------------------------------------------------------------------------

struct Pair {
    std::uint64_t one = 0;
    std::uint64_t other = 0;
};
constexpr std::uint32_t kMostPairs = 1024;  // the newest
constinit Lock pairs_lock;
constinit Pair pairs[kMostPairs];
constinit std::uint32_t pairs_made = 0;

std::uint64_t paired_with(std::uint64_t object) {
    const Locked locked(pairs_lock);
    for (std::uint32_t i = 0; i < kMostPairs && i < pairs_made; ++i) {
        if (pairs[i].one == object) {
            return pairs[i].other;
        }
        if (pairs[i].other == object) {
            return pairs[i].one;
        }
    }
    return 0;
}

// ---- numbers ------------------------------------------------------------------------------------------------------

struct Numbered {
    std::uint64_t key;  // 0: free
    std::uint64_t number;
};
constexpr std::uint64_t kMostNumbers = 65'536;
constexpr std::uint64_t kNumberSlots = 2 * kMostNumbers;
constinit Lock numbers_lock;
Numbered* numbered = nullptr;
std::uint64_t numbers_given = 0;

// ---- sockets ------------------------------------------------------------------------------------------------------

struct Name {
    union {
        sockaddr_storage any;
        sockaddr_un unix;
        sockaddr_in four;
        sockaddr_in6 six;
    };
    socklen_t length = sizeof any;
    int error = 0;

    Name() : any{} {}
    void read(long call, int descriptor) {
        error = syscall(call, descriptor, &any, &length) == 0 ? 0 : errno;
        length = error != 0 ? 0 : length < sizeof any ? length : socklen_t{sizeof any};
    }
    // Of a Unix socket: it has a name, in the file system or not.
    bool is_named() const { return error == 0 && length > offsetof(sockaddr_un, sun_path); }
};

std::uint64_t name_hash(const Name& name) {
    return mix_bytes(3, name.unix.sun_path, name.length - offsetof(sockaddr_un, sun_path));
}

// An address of the Internet, whichever family it is written in.
struct Address {
    std::uint8_t bytes[16] = {};
    std::uint16_t port = 0;
    bool is_four = false;
};

bool read_address(const Name& name, Address& address) {
    constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
    if (name.any.ss_family == AF_INET) {
        __builtin_memcpy(address.bytes, kMapped, sizeof kMapped);
        __builtin_memcpy(address.bytes + sizeof kMapped, &name.four.sin_addr, 4);
        address.port = ntohs(name.four.sin_port);
    } else if (name.any.ss_family == AF_INET6) {
        __builtin_memcpy(address.bytes, &name.six.sin6_addr, sizeof address.bytes);
        address.port = ntohs(name.six.sin6_port);
    } else {
        return false;
    }
    address.is_four = __builtin_memcmp(address.bytes, kMapped, sizeof kMapped) == 0;
    return true;
}

bool is_loopback(const Address& address) {
    constexpr std::uint8_t kSix[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    return address.is_four ? address.bytes[12] == 127 : __builtin_memcmp(address.bytes, kSix, sizeof kSix) == 0;
}

std::uint64_t address_hash(std::uint64_t hash, const Address& address) {
    return mix(mix_bytes(hash, address.bytes, sizeof address.bytes), address.port);
}

void write_address(Text& text, const Address& address) {
    constexpr std::uint16_t kFirstShortLived = 32768;  // the kernel assigns ports from here on
    if (address.is_four) {
        for (int i = 12; i < 16; ++i) {
            text << (i == 12 ? "" : ".") << static_cast<unsigned long>(address.bytes[i]);
        }
    } else {
        constexpr char kDigits[] = "0123456789abcdef";
        text << "[";
        int zeros = 0;  // 0: none were left out yet
        for (int i = 0; i < 16; i += 2) {
            const unsigned group = unsigned{address.bytes[i]} << 8U | address.bytes[i + 1];
            if (group == 0 && zeros < 2) {
                text << (zeros == 0 ? "::" : "");
                zeros = 1;
                continue;
            }
            text << (i == 0 || zeros == 1 ? "" : ":");
            zeros = zeros == 1 ? 2 : zeros;
            bool is_begun = false;
            for (int shift = 12; shift >= 0; shift -= 4) {
                const unsigned digit = group >> static_cast<unsigned>(shift) & 15U;
                is_begun = is_begun || digit != 0 || shift == 0;
                const char one[2] = {kDigits[digit], 0};
                text << (is_begun ? one : "");
            }
        }
        text << "]";
    }
    if (address.port < kFirstShortLived) {
        text << ":" << static_cast<unsigned long>(address.port);
    }
}

bool identify_internet(int descriptor, const Name& own, ChannelEnd& end, bool& is_final) {
    int type = 0;
    socklen_t length = sizeof type;
    if (syscall(SYS_getsockopt, descriptor, SOL_SOCKET, SO_TYPE, &type, &length) != 0 ||
        (type != SOCK_STREAM && type != SOCK_DGRAM)) {
        return false;
    }
    Name peer;
    peer.read(SYS_getpeername, descriptor);
    const bool is_tcp = type == SOCK_STREAM;
    Address here;
    Address there;
    read_address(own, here);
    Text text(end.name, sizeof end.name);
    const std::uint64_t seed = is_tcp ? 1 : 2;
    if (peer.error != 0 || !read_address(peer, there)) {
        is_final = !is_tcp;
        end.kind = is_loopback(here) ? ChannelKind::kUdpLoopback : ChannelKind::kUdp;
        end.numbers[0] = end.numbers[1] = finish(address_hash(seed, here));
        return !is_tcp;
    }
    const bool is_local = is_loopback(there) || __builtin_memcmp(here.bytes, there.bytes, sizeof here.bytes) == 0;
    end.kind = is_tcp ? (is_local ? ChannelKind::kTcpLoopback : ChannelKind::kTcp)
                      : (is_local ? ChannelKind::kUdpLoopback : ChannelKind::kUdp);
    end.numbers[0] = end.numbers[1] = finish(address_hash(address_hash(seed, here), there));
    end.others[0] = end.others[1] = finish(address_hash(address_hash(seed, there), here));
    write_address(text, there);
    return true;
}

// The process that connected it, as this one's pid namespace has it; 0: not known.
std::uint64_t connector_of(int descriptor) {
    ucred peer{};
    socklen_t length = sizeof peer;
    return syscall(SYS_getsockopt, descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.pid > 0
               ? static_cast<std::uint64_t>(peer.pid)
               : 0;
}

void write_name(ChannelEnd& end, const Name& name) {
    const char* path = name.unix.sun_path;
    const std::size_t length = name.length - offsetof(sockaddr_un, sun_path);
    std::size_t at = 0;
    for (std::size_t i = 0; i < length && at + 1 < sizeof end.name; ++i) {
        const auto byte = static_cast<unsigned char>(path[i]);
        if (i == 0 && byte == 0) {
            end.name[at++] = '@';  // not in the file system
        } else if (byte == 0) {
            break;
        } else {
            end.name[at++] = byte < 0x20 || byte > 0x7E ? '?' : static_cast<char>(byte);
        }
    }
}

void identify_unix(int descriptor, std::uint64_t object, const Name& own, ChannelEnd& end) {
    constexpr std::uint64_t kOfServer = 4;
    constexpr std::uint64_t kOfClient = 5;
    constexpr std::uint64_t kOfBoth = 6;
    constexpr std::uint64_t kUnnamed = 7;
    Name peer;
    peer.read(SYS_getpeername, descriptor);
    end.kind = ChannelKind::kUnix;
    std::uint64_t number = finish(mix(kUnnamed, object));
    std::uint64_t other = 0;
    if (peer.error == 0) {
        if (own.is_named() && peer.is_named()) {
            number = finish(mix(mix(kOfBoth, name_hash(own)), name_hash(peer)));
            other = finish(mix(mix(kOfBoth, name_hash(peer)), name_hash(own)));
        } else if (own.is_named() || peer.is_named()) {
            const bool is_server = own.is_named();
            const std::uint64_t connector =
                is_server ? connector_of(descriptor) : static_cast<std::uint64_t>(process.pid());
            const std::uint64_t of = mix(name_hash(is_server ? own : peer), connector);
            if (connector != 0) {
                number = finish(mix(is_server ? kOfServer : kOfClient, of));
                other = finish(mix(is_server ? kOfClient : kOfServer, of));
            }
        } else if (const std::uint64_t pair = paired_with(object); pair != 0) {
            other = finish(mix(kUnnamed, pair));
        }
    }
    end.numbers[0] = end.numbers[1] = number;
    end.others[0] = end.others[1] = other;
    if (peer.is_named() || own.is_named()) {
        write_name(end, peer.is_named() ? peer : own);
    }
}

// ---- pipes --------------------------------------------------------------------------------------------------------

void identify_pipe(int descriptor, std::uint64_t object, ChannelEnd& end) {
    constexpr std::uint64_t kWritten = 8;
    constexpr std::uint64_t kRead = 9;
    char path[32];
    Text(path, sizeof path) << "/proc/self/fd/" << static_cast<unsigned long>(descriptor);
    char target[256];
    const long length = syscall(SYS_readlinkat, AT_FDCWD, path, target, sizeof target);
    const bool is_fifo = length > 0 && target[0] == '/';
    end.kind = is_fifo ? ChannelKind::kFifo : ChannelKind::kPipe;
    end.numbers[0] = end.others[1] = finish(mix(kWritten, object));
    end.numbers[1] = end.others[0] = finish(mix(kRead, object));
    if (is_fifo) {
        // The end of a path is more specific than its beginning.
        const auto size = static_cast<std::size_t>(length);
        const std::size_t skipped = size < sizeof end.name ? 0 : size - sizeof end.name + 1;
        for (std::size_t i = skipped; i < size; ++i) {
            const auto byte = static_cast<unsigned char>(target[i]);
            end.name[i - skipped] = byte < 0x20 || byte > 0x7E ? '?' : target[i];
        }
    }
}

}  // namespace

std::uint64_t object_of(int descriptor) {
    struct stat status{};
    if (fstat(descriptor, &status) != 0) {
        return 0;
    }
    const bool is_fifo = S_ISFIFO(status.st_mode);
    if (!is_fifo && !S_ISSOCK(status.st_mode)) {
        return 0;
    }
    const std::uint64_t number = mix(mix(10, status.st_dev), status.st_ino);
    return (number & ((std::uint64_t{1} << kWhatBit) - 1)) |
           static_cast<std::uint64_t>(is_fifo ? What::kFifo : What::kSocket) << kWhatBit;
}

bool identify(int descriptor, std::uint64_t object, ChannelEnd& end, bool& is_final) {
    is_final = true;
    if (static_cast<What>(object >> kWhatBit) == What::kFifo) {
        identify_pipe(descriptor, object, end);
        return true;
    }
    Name own;
    own.read(SYS_getsockname, descriptor);
    if (own.error != 0) {
        return false;
    }
    switch (own.any.ss_family) {
        case AF_UNIX:
            identify_unix(descriptor, object, own, end);
            return true;
        case AF_INET:
        case AF_INET6:
            return identify_internet(descriptor, own, end, is_final);
        default:
            return false;
    }
}

void identify_declared(const char* name, std::uint64_t number, bool is_shared, ChannelEnd& end) {
    constexpr std::uint64_t kSends = 11;
    constexpr std::uint64_t kReceives = 12;
    const std::uint64_t of_process = is_shared ? 0 : static_cast<std::uint64_t>(process.pid());
    const std::uint64_t channel = mix(mix(mix_bytes(13, name, __builtin_strlen(name)), number), of_process);
    end.kind = is_shared ? ChannelKind::kDeclaredShared : ChannelKind::kDeclared;
    end.numbers[0] = end.others[1] = finish(mix(kSends, channel));
    end.numbers[1] = end.others[0] = finish(mix(kReceives, channel));
    Text(end.name, sizeof end.name) << name;
}

void note_pair(int one, int other) {
    const Quiet quiet;
    const Pair pair{object_of(one), object_of(other)};
    const Locked locked(pairs_lock);
    pairs[pairs_made % kMostPairs] = pair;
    pairs_made = pairs_made == 2 * kMostPairs - 1 ? kMostPairs : pairs_made + 1;
}

std::uint64_t number_of(const ChannelEnd& end, bool receives) {
    const unsigned side = receives ? 1 : 0;
    const std::uint64_t key =
        finish(mix(mix(mix(14, end.numbers[side]), end.others[side]), end_direction(end.kind, receives)));
    const Locked locked(numbers_lock);
    if (numbered == nullptr) {
        numbered = static_cast<Numbered*>(image::map_pages(sizeof(Numbered) * kNumberSlots));
    }
    if (numbered == nullptr) {
        return kFirstEndNumber;
    }
    std::uint64_t at = key % kNumberSlots;
    while (numbered[at].key != 0 && numbered[at].key != key) {
        at = (at + 1) % kNumberSlots;
    }
    if (numbered[at].key == 0) {
        if (numbers_given == kMostNumbers) {
            return kFirstEndNumber + kMostNumbers;
        }
        numbered[at] = {key, numbers_given++};
    }
    return kFirstEndNumber + numbered[at].number;
}

void ends_after_fork() {
    pairs_lock.reset();
    numbers_lock.reset();
}

}  // namespace kymo::monitor
