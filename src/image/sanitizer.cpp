#include "image/sanitizer.h"

#include <cstring>
#include <elf.h>

namespace kymo::image {

namespace {

constexpr unsigned kMostSegments = 64;
constexpr unsigned kMostLoads = 8;
constexpr unsigned kMostDynamic = 512;
constexpr unsigned kMostLibraries = 48;
constexpr unsigned kMostInBucket = 64;

bool is_address_library(std::string_view name) {
    return name.starts_with("libasan.so") || name.starts_with("libclang_rt.asan");
}

bool is_thread_library(std::string_view name) {
    return name.starts_with("libtsan.so") || name.starts_with("libclang_rt.tsan");
}

std::uint32_t gnu_hash(const char* name) {
    std::uint32_t hash = 5381;
    for (; *name != 0; ++name) {
        hash = hash * 33 + static_cast<unsigned char>(*name);
    }
    return hash;
}

class Dynamic {
  public:
    explicit Dynamic(const FileBytes& file) : file_(file) {}

    bool read() {
        Elf64_Ehdr header;
        if (!get(header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
            header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
            return false;
        }
        Elf64_Phdr dynamic{};
        for (unsigned i = 0; i < header.e_phnum && i < kMostSegments; ++i) {
            Elf64_Phdr segment;
            if (!get(segment, header.e_phoff + i * sizeof segment)) {
                return false;
            }
            if (segment.p_type == PT_DYNAMIC) {
                dynamic = segment;
            } else if (segment.p_type == PT_LOAD && loads_ < kMostLoads) {
                load_[loads_++] = {segment.p_vaddr, segment.p_filesz, segment.p_offset};
            }
        }
        entries_at_ = dynamic.p_offset;
        entries_ = dynamic.p_filesz / sizeof(Elf64_Dyn);
        each_entry([this](const Elf64_Dyn& entry) {
            if (entry.d_tag == DT_STRTAB) {
                strings_ = offset_of(entry.d_un.d_ptr);
            } else if (entry.d_tag == DT_SYMTAB) {
                symbols_ = offset_of(entry.d_un.d_ptr);
            } else if (entry.d_tag == DT_GNU_HASH) {
                hashes_ = offset_of(entry.d_un.d_ptr);
            }
        });
        return strings_ != 0;
    }

    Sanitizer library() const {
        Sanitizer found;
        unsigned libraries = 0;
        each_entry([&](const Elf64_Dyn& entry) {
            if (entry.d_tag != DT_NEEDED || found.kind == SanitizerKind::kThread || ++libraries > kMostLibraries) {
                return;
            }
            char name[Sanitizer::kLibraryBytes];
            name[bytes(name, sizeof name - 1, strings_ + entry.d_un.d_val)] = 0;
            if (is_thread_library(name)) {
                found.kind = SanitizerKind::kThread;
                found.library[0] = 0;
            } else if (is_address_library(name) && strlen(name) < sizeof name - 1) {
                found.kind = SanitizerKind::kMustComeFirst;
                memcpy(found.library, name, sizeof name);
            }
        });
        return found;
    }

    // In the dynamic linker's symbol table (DT_GNU_HASH).
    bool defines(const char* name) const {
        struct {
            std::uint32_t buckets, first, words, shift;
        } head{};
        if (hashes_ == 0 || !get(head, hashes_) || head.buckets == 0 || head.words == 0) {
            return false;
        }
        const std::uint32_t hash = gnu_hash(name);
        std::uint64_t word = 0;
        std::uint32_t symbol = 0;
        const std::uint64_t words_at = hashes_ + sizeof head;
        const std::uint64_t buckets_at = words_at + std::uint64_t{8} * head.words;
        const std::uint64_t chains_at = buckets_at + std::uint64_t{4} * head.buckets;
        if (!get(word, words_at + std::uint64_t{8} * (hash / 64 % head.words)) || (word >> (hash % 64) & 1U) == 0 ||
            (word >> ((hash >> (head.shift % 32)) % 64) & 1U) == 0 ||
            !get(symbol, buckets_at + std::uint64_t{4} * (hash % head.buckets)) || symbol < head.first) {
            return false;
        }
        for (unsigned i = 0; i < kMostInBucket; ++i, ++symbol) {
            std::uint32_t chain = 0;
            if (!get(chain, chains_at + std::uint64_t{4} * (symbol - head.first))) {
                return false;
            }
            if ((chain | 1U) == (hash | 1U) && is_named(symbol, name)) {
                return true;
            }
            if ((chain & 1U) != 0) {
                return false;
            }
        }
        return false;
    }

  private:
    struct Load {
        std::uint64_t address, bytes, offset;
    };

    std::size_t bytes(void* to, std::size_t size, std::uint64_t at) const {
        const std::size_t got = file_.read(file_.file, to, size, at);
        return got < size ? got : size;
    }
    template <typename What>
    bool get(What& what, std::uint64_t at) const {
        return bytes(&what, sizeof what, at) == sizeof what;
    }

    // 0: not in the file.
    std::uint64_t offset_of(std::uint64_t address) const {
        for (unsigned i = 0; i < loads_; ++i) {
            if (address - load_[i].address < load_[i].bytes) {
                return address - load_[i].address + load_[i].offset;
            }
        }
        return 0;
    }

    template <typename Take>
    void each_entry(const Take& take) const {
        constexpr unsigned kAtOnce = 8;
        for (std::uint64_t i = 0; i < entries_ && i < kMostDynamic; i += kAtOnce) {
            Elf64_Dyn entries[kAtOnce];
            const std::size_t got =
                bytes(entries, sizeof entries, entries_at_ + i * sizeof *entries) / sizeof *entries;
            for (std::size_t k = 0; k < got; ++k) {
                if (entries[k].d_tag == DT_NULL) {
                    return;
                }
                take(entries[k]);
            }
            if (got < kAtOnce) {
                return;
            }
        }
    }

    bool is_named(std::uint32_t symbol, const char* name) const {
        Elf64_Sym entry;
        char text[32] = {};
        const std::size_t length = strlen(name) + 1;
        return symbols_ != 0 && length <= sizeof text && get(entry, symbols_ + symbol * sizeof(Elf64_Sym)) &&
               bytes(text, length, strings_ + entry.st_name) == length && memcmp(text, name, length) == 0;
    }

    const FileBytes& file_;
    Load load_[kMostLoads] = {};
    unsigned loads_ = 0;
    std::uint64_t entries_at_ = 0;
    std::uint64_t entries_ = 0;
    std::uint64_t strings_ = 0;
    std::uint64_t symbols_ = 0;
    std::uint64_t hashes_ = 0;
};

}  // namespace

Sanitizer find_sanitizer(const FileBytes& file) {
    Dynamic dynamic(file);
    if (!dynamic.read()) {
        return {};
    }
    Sanitizer found = dynamic.library();
    // Linked into the program: clang exports the run time's entry; of gcc's only its interceptors of C library
    // functions are visible, and only it has this one.
    if (found.kind == SanitizerKind::kNone) {
        const bool is_thread = dynamic.defines("__tsan_init") || dynamic.defines("__res_iclose");
        found.kind = is_thread                        ? SanitizerKind::kThread
                     : dynamic.defines("__msan_init") ? SanitizerKind::kMemory
                                                      : SanitizerKind::kNone;
    }
    return found;
}

bool is_sanitizer_library(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    path.remove_prefix(slash == std::string_view::npos ? 0 : slash + 1);
    return is_address_library(path) || is_thread_library(path);
}

}  // namespace kymo::image
