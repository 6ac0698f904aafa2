#include "image/linked_object.h"

#include "base/own_memory.h"

#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <sys/auxv.h>

#ifdef DLFO_STRUCT_HAS_EH_DBASE  // the headers are those of glibc ≥ 2.35
// Weak: a library that is linked for older systems (cmake/Portable.cmake) is also loaded where it does not exist.
extern "C" __attribute__((weak)) decltype(_dl_find_object) _dl_find_object;
#endif

namespace kymo::image {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kMostImages = 1U << 16U;  // a list that is changing could lead in a circle

// Program headers at an address, a few copied at a time.
class CopiedHeaders {
  public:
    CopiedHeaders(std::uint64_t at, std::size_t count) : at_(at), count_(count) {}

    std::size_t size() const { return count_; }
    // nullptr: not readable.
    const Elf64_Phdr* get(std::size_t index) {
        const std::size_t first = index - index % kTogether;
        if (first != first_) {
            const std::size_t several = count_ - first < kTogether ? count_ - first : kTogether;
            if (!copy_own_memory(at_ + first * sizeof(Elf64_Phdr), copied_, several * sizeof(Elf64_Phdr))) {
                return nullptr;
            }
            first_ = first;
        }
        return &copied_[index - first];
    }

  private:
    static constexpr std::size_t kTogether = 8;
    std::uint64_t at_;
    std::size_t count_;
    std::size_t first_ = ~std::size_t{0};
    Elf64_Phdr copied_[kTogether];
};

// The place of an image with these headers, if `address` is in it. Room between the segments of a library belongs
// to it (the dynamic linker keeps it mapped), that of the program does not: the kernel maps its segments one by
// one.
bool place_of(CopiedHeaders& headers, bool is_program, std::uint64_t bias, std::uint64_t address,
              LinkedObject* found) {
    LinkedObject whole{~std::uint64_t{0}, 0, nullptr};
    LinkedObject one;
    bool has_room = false;
    for (std::size_t i = 0; i < headers.size(); ++i) {
        const Elf64_Phdr* load = headers.get(i);
        if (load == nullptr) {
            return false;
        }
        if (load->p_type != PT_LOAD) {
            continue;
        }
        const std::uint64_t begin = bias + load->p_vaddr;
        const std::uint64_t end = begin + load->p_memsz;
        const std::uint64_t page_behind = (end + kPage - 1) & ~(kPage - 1);
        has_room = has_room || (is_program && whole.end != 0 &&
                                (begin & ~(kPage - 1)) > ((whole.end + kPage - 1) & ~(kPage - 1)));
        whole.begin = (begin & ~(kPage - 1)) < whole.begin ? begin & ~(kPage - 1) : whole.begin;
        whole.end = end > whole.end ? end : whole.end;
        if (address >= (begin & ~(kPage - 1)) && address < page_behind) {
            one.begin = begin;
            one.end = end;
        }
    }
    if (one.end == 0 && (has_room || address < whole.begin || address >= whole.end)) {
        return false;
    }
    found->begin = has_room ? one.begin : whole.begin;
    found->end = has_room ? one.end : whole.end;
    return true;
}

// The program itself: its headers are where the kernel (or the loader, called as a program) reports them.
bool is_in_program(const link_map& map, std::uint64_t address, LinkedObject* found) {
    const std::uint64_t count = getauxval(AT_PHENT) == sizeof(Elf64_Phdr) ? getauxval(AT_PHNUM) : 0;
    CopiedHeaders headers(getauxval(AT_PHDR), count);
    return place_of(headers, true, map.l_addr, address, found);
}

bool is_in_library(std::uint64_t begin, std::uint64_t address, LinkedObject* found) {
    Elf64_Ehdr header;
    if (!copy_own_memory(begin, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
        return false;
    }
    CopiedHeaders headers(begin + header.e_phoff, header.e_phnum);
    return place_of(headers, false, begin, address, found);
}

}  // namespace

bool find_in_list(std::uint64_t address, LinkedObject* found) {
    // Images do not overlap, and the linker's l_addr is where their headers are: only the last one below can
    // contain the address.
    std::uint64_t below = 0;
    const link_map* candidate = nullptr;
    const link_map* at = _r_debug.r_map;
    for (std::size_t i = 0; at != nullptr && i < kMostImages; ++i) {
        link_map map;
        if (!copy_own_memory(reinterpret_cast<std::uint64_t>(at), &map, sizeof map)) {
            break;
        }
        if (i == 0 && is_in_program(map, address, found)) {
            found->map = at;
            return true;
        }
        if (i != 0 && map.l_addr <= address && map.l_addr > below) {
            below = map.l_addr;
            candidate = at;
        }
        at = map.l_next;
    }
    if (candidate == nullptr || !is_in_library(below, address, found)) {
        return false;
    }
    found->map = candidate;
    return true;
}

bool find_linked_object(std::uint64_t address, LinkedObject* found) {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
    if (&_dl_find_object != nullptr) {
        dl_find_object object{};
        if (_dl_find_object(reinterpret_cast<void*>(address), &object) != 0) {
            return false;
        }
        *found = {reinterpret_cast<std::uint64_t>(object.dlfo_map_start),
                  reinterpret_cast<std::uint64_t>(object.dlfo_map_end), object.dlfo_link_map};
        return true;
    }
#endif
    return find_in_list(address, found);
}

}  // namespace kymo::image
