#include "monitor/waits/streams.h"

#include "image/linked_object.h"
#include "monitor/channels/counting.h"
#include "monitor/waits/waits.h"

#include <algorithm>
#include <cstdint>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

constinit Streams streams;

namespace {

constexpr std::uintptr_t kPage = 4096;

using Read = ssize_t (*)(FILE*, void*, ssize_t);
using Write = ssize_t (*)(FILE*, const void*, ssize_t);

Real<Read> real_read{"_IO_file_read"};
Real<Write> real_write{"_IO_file_write"};

ssize_t read_stream(FILE* file, void* to, ssize_t bytes) {
    const Read real = real_read.get();
    return waited_at_end(
        WaitKind::kRead, fileno(file), true, -1, [&] { return real(file, to, bytes); },
        [](ssize_t result) { return moved_bytes(result); });
}

// It writes until everything is written, or an error stops it: one message.
ssize_t write_stream(FILE* file, const void* from, ssize_t bytes) {
    const Write real = real_write.get();
    return waited_at_end(
        WaitKind::kWrite, fileno(file), false, -1, [&] { return real(file, from, bytes); },
        [bytes](ssize_t result) {
            Moved moved = moved_bytes(result);
            moved.has_failed = result < bytes && has_failed(-1);
            return moved;
        });
}

struct Range {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
};

// The range that is read-only after relocation, of the library that contains `address`.
Range relocated_range(std::uintptr_t address) {
    image::LinkedObject library;
    if (!image::find_linked_object(address, &library)) {
        return {};
    }
    const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(library.begin);
    const auto* const parts = reinterpret_cast<const ElfW(Phdr)*>(library.begin + header->e_phoff);
    Range range;
    std::uintptr_t first = ~std::uintptr_t{0};  // the link-time begin
    for (unsigned i = 0; i < header->e_phnum; ++i) {
        if (parts[i].p_type == PT_LOAD) {
            first = std::min<std::uintptr_t>(first, parts[i].p_vaddr & ~(kPage - 1));
        } else if (parts[i].p_type == PT_GNU_RELRO) {
            range = {parts[i].p_vaddr, parts[i].p_vaddr + parts[i].p_memsz};
        }
    }
    const std::uintptr_t moved = library.begin - first;
    return {range.begin + moved, range.end + moved};
}

}  // namespace

bool Streams::begin() {
    constexpr std::uintptr_t kMost = std::uintptr_t{1} << 20U;
    const auto own_read = reinterpret_cast<std::uintptr_t>(real_read.get());
    const auto own_write = reinterpret_cast<std::uintptr_t>(real_write.get());
    if (own_read == 0 || own_write == 0) {
        return true;
    }
    const Range range = relocated_range(own_read);
    // Rounded down, as the loader did: the part beyond its last whole page was never made read-only.
    const std::uintptr_t begin = range.begin & ~(kPage - 1);
    const std::uintptr_t end = range.end & ~(kPage - 1);
    if (begin >= end || end - begin > kMost ||
        syscall(SYS_mprotect, begin, end - begin, PROT_READ | PROT_WRITE) != 0) {
        return true;
    }
    for (std::uintptr_t at = (range.begin + sizeof at - 1) & ~(sizeof at - 1); at + sizeof at <= end;
         at += sizeof at) {
        auto& word = *reinterpret_cast<std::uintptr_t*>(at);
        if (word == own_read) {
            __atomic_store_n(&word, reinterpret_cast<std::uintptr_t>(&read_stream), __ATOMIC_RELAXED);
        } else if (word == own_write) {
            __atomic_store_n(&word, reinterpret_cast<std::uintptr_t>(&write_stream), __ATOMIC_RELAXED);
        }
    }
    syscall(SYS_mprotect, begin, end - begin, PROT_READ);
    return true;
}

}  // namespace kymo::monitor
