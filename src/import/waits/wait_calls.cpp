#include "import/waits/wait_calls.h"

#include "base/descriptor.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <memory>
#include <string_view>
#include <utility>

namespace kymo::import {
namespace {

using recording::WaitKind;

struct Call {
    std::string_view name;
    WaitKind kind;
};

constexpr std::array<Call, 27> kCalls = {{
    {"pthread_mutex_lock", WaitKind::kMutex},
    {"pthread_mutex_timedlock", WaitKind::kMutex},
    {"pthread_mutex_clocklock", WaitKind::kMutex},
    {"mtx_lock", WaitKind::kMutex},
    {"mtx_timedlock", WaitKind::kMutex},
    {"pthread_rwlock_rdlock", WaitKind::kReadLock},
    {"pthread_rwlock_timedrdlock", WaitKind::kReadLock},
    {"pthread_rwlock_clockrdlock", WaitKind::kReadLock},
    {"pthread_rwlock_wrlock", WaitKind::kWriteLock},
    {"pthread_rwlock_timedwrlock", WaitKind::kWriteLock},
    {"pthread_rwlock_clockwrlock", WaitKind::kWriteLock},
    {"pthread_cond_wait", WaitKind::kCondition},
    {"pthread_cond_timedwait", WaitKind::kCondition},
    {"pthread_cond_clockwait", WaitKind::kCondition},
    {"cnd_wait", WaitKind::kCondition},
    {"cnd_timedwait", WaitKind::kCondition},
    {"pthread_barrier_wait", WaitKind::kBarrier},
    {"sem_wait", WaitKind::kSemaphore},
    {"sem_timedwait", WaitKind::kSemaphore},
    {"sem_clockwait", WaitKind::kSemaphore},
    {"pthread_join", WaitKind::kJoin},
    {"pthread_timedjoin_np", WaitKind::kJoin},
    {"pthread_clockjoin_np", WaitKind::kJoin},
    {"thrd_join", WaitKind::kJoin},
    {"pthread_once", WaitKind::kOnce},
    {"call_once", WaitKind::kOnce},
    {"cxa_guard_acquire", WaitKind::kOnce},
}};

// Without what C libraries put before the names of functions that they export: "___pthread_mutex_lock",
// "__GI_sem_wait".
std::string_view plain(std::string_view name) {
    constexpr std::string_view kInternal = "__GI_";
    name.remove_prefix(name.starts_with(kInternal) ? kInternal.size() : 0);
    name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
    return name;
}

std::optional<WaitKind> kind_of(std::string_view name) {
    const auto found =
        std::find_if(kCalls.begin(), kCalls.end(), [&](const Call& call) { return call.name == plain(name); });
    return found == kCalls.end() ? std::nullopt : std::optional(found->kind);
}

}  // namespace

WaitCalls::Functions WaitCalls::read(const std::filesystem::path& file) {
    Functions functions;
    const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!descriptor || elf_version(EV_CURRENT) == EV_NONE) {
        return functions;
    }
    const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(descriptor.number(), ELF_C_READ_MMAP, nullptr), elf_end);
    if (elf == nullptr || elf_kind(elf.get()) != ELF_K_ELF) {
        return functions;
    }
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
        GElf_Shdr header{};
        if (gelf_getshdr(section, &header) == nullptr ||
            (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB)) {
            continue;
        }
        Elf_Data* const data = elf_getdata(section, nullptr);
        const std::size_t each = gelf_fsize(elf.get(), ELF_T_SYM, 1, EV_CURRENT);
        const std::size_t count = data == nullptr || each == 0 ? 0 : data->d_size / each;
        for (std::size_t i = 0; i < count; ++i) {
            GElf_Sym symbol{};
            if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr || symbol.st_size == 0 ||
                symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) != STT_FUNC) {
                continue;
            }
            const char* const name = elf_strptr(elf.get(), header.sh_link, symbol.st_name);
            if (const auto kind = name == nullptr ? std::nullopt : kind_of(name)) {
                functions[symbol.st_value] = {symbol.st_value + symbol.st_size, *kind};
            }
        }
    }
    return functions;
}

std::optional<WaitKind> WaitCalls::at(const std::filesystem::path& file, std::uint64_t offset) {
    const auto [known, is_new] = files_.try_emplace(file);
    if (is_new) {
        known->second = read(file);
    }
    const Functions& functions = known->second;
    const auto next = functions.upper_bound(offset);
    if (next == functions.begin()) {
        return std::nullopt;
    }
    const Function& function = std::prev(next)->second;
    return offset < function.end ? std::optional(function.kind) : std::nullopt;
}

}  // namespace kymo::import
