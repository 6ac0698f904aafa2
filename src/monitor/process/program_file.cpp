#include "monitor/process/program_file.h"

#include "base/native.h"
#include "image/glibc_loader.h"
#include "image/record_locks.h"
#include "monitor/interpose/seccomp.h"
#include "monitor/process/process.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

namespace {

constexpr int kMaxInterpreters = 5;  // as the kernel's own limit on scripts naming scripts
constexpr std::size_t kNameBytes = 256;

// System calls themselves: the C library's are cancellation points.
class OpenFile {
  public:
    OpenFile(int folder, const char* path)
        : descriptor_(static_cast<int>(syscall(SYS_openat, folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK))) {}
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile() {
        if (descriptor_ >= 0) {
            syscall(SYS_close, descriptor_);
        }
    }
    // Bytes read; 0 at the end, where the file could not be opened, and on an error.
    std::size_t read(void* to, std::size_t bytes, std::uint64_t at) const {
        const long got = descriptor_ < 0 ? 0 : syscall(SYS_pread64, descriptor_, to, bytes, at);
        return got < 0 ? 0 : static_cast<std::size_t>(got);
    }

  private:
    int descriptor_;
};

// Its tools are static programs that load the program they run by themselves, LD_PRELOAD included, and emulate the
// processor: there is nothing to measure in it, and Valgrind would report errors in the monitor.
bool is_valgrind(const char* path) {
    return strstr(path, "/valgrind/") != nullptr;
}

bool has_own_loader(const OpenFile& file, const Elf64_Ehdr& header, const char* path) {
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != processor::kMachine) {
        return false;
    }
    if (header.e_phentsize != sizeof(Elf64_Phdr)) {
        return true;
    }
    constexpr unsigned kMostSegments = 64;
    for (unsigned i = 0; i < header.e_phnum && i < kMostSegments; ++i) {
        Elf64_Phdr segment;
        if (file.read(&segment, sizeof segment, header.e_phoff + i * sizeof segment) != sizeof segment) {
            return true;
        }
        if (segment.p_type != PT_INTERP) {
            continue;
        }
        char loader[kNameBytes];
        const std::size_t most = segment.p_filesz < sizeof loader ? segment.p_filesz : sizeof loader - 1;
        loader[file.read(loader, most, segment.p_offset)] = 0;
        return image::is_glibc_loader(loader);
    }
    return !is_valgrind(path);  // no loader: it ignores the variable, and programs that it starts may be fit
}

Fit fit_of_elf(const OpenFile& file, const Elf64_Ehdr& header, const char* path) {
    Fit fit;
    fit.is_fit = has_own_loader(file, header, path);
    if (fit.is_fit) {
        const auto read = [](const void* from, void* to, std::size_t bytes, std::uint64_t at) {
            return static_cast<const OpenFile*>(from)->read(to, bytes, at);
        };
        const image::Sanitizer sanitizer = image::find_sanitizer({read, &file});
        fit.is_fit = !image::bars_libraries(sanitizer.kind);
        memcpy(fit.first, sanitizer.library, sizeof fit.first);
    }
    return fit;
}

// "#! /bin/sh -e" → "/bin/sh", in place. False: no name there.
bool cut_interpreter(char* line, char** name) {
    char* at = line + 2;
    at += strspn(at, " \t");
    *name = at;
    at[strcspn(at, " \t\r\n")] = 0;
    return **name != 0;
}

}  // namespace

Fit fit_of_program(int folder, const char* path) {
    if (is_barred_by_filter()) {
        return {false};  // and it must not be examined
    }
    const int error = errno;
    Fit fit;
    char line[kNameBytes + 2];
    for (int depth = 0; path != nullptr && depth <= kMaxInterpreters; ++depth) {
        // A vfork child has none of its parent's.
        if (process.is_this_process() && image::holds_record_lock(folder, path)) {
            break;
        }
        const OpenFile file(folder, path);
        const std::size_t got = file.read(line, sizeof line - 1, 0);
        line[got] = 0;
        if (got >= sizeof(Elf64_Ehdr) && memcmp(line, ELFMAG, SELFMAG) == 0) {
            Elf64_Ehdr header;
            memcpy(&header, line, sizeof header);
            fit = fit_of_elf(file, header, path);
            break;
        }
        char* interpreter = nullptr;
        if (got < 3 || line[0] != '#' || line[1] != '!' || !cut_interpreter(line, &interpreter)) {
            break;
        }
        memmove(line, interpreter, strlen(interpreter) + 1);
        path = line;  // opened before it is overwritten
    }
    errno = error;
    return fit;
}

Fit fit_of_program(int descriptor) {
    char path[32] = "/proc/self/fd/";
    char digits[12];
    std::size_t count = 0;
    for (auto left = static_cast<unsigned>(descriptor < 0 ? 0 : descriptor); count == 0 || left != 0; left /= 10) {
        digits[count++] = static_cast<char>('0' + left % 10);
    }
    char* at = path + strlen(path);
    while (count != 0) {
        *at++ = digits[--count];
    }
    *at = 0;
    return fit_of_program(AT_FDCWD, path);
}

Fit fit_of_found_program(const char* file) {
    if (is_barred_by_filter()) {
        return {false};
    }
    if (file == nullptr || *file == 0 || strchr(file, '/') != nullptr) {
        return fit_of_program(AT_FDCWD, file);
    }
    const int error = errno;
    const char* folders = getenv("PATH");
    folders = folders == nullptr ? "/bin:/usr/bin" : folders;
    const std::size_t length = strlen(file);
    char path[1024];
    Fit fit;
    while (*folders != 0) {
        const std::size_t bytes = strcspn(folders, ":");
        if (bytes + length + 2 <= sizeof path) {
            memcpy(path, folders, bytes);
            path[bytes] = bytes == 0 ? '.' : '/';
            const std::size_t begin = bytes == 0 ? 2 : bytes + 1;
            path[1] = bytes == 0 ? '/' : path[1];
            memcpy(path + begin, file, length + 1);
            if (syscall(SYS_faccessat, AT_FDCWD, path, X_OK) == 0) {
                fit = fit_of_program(AT_FDCWD, path);
                break;
            }
        }
        folders += bytes + (folders[bytes] == ':' ? 1 : 0);
    }
    errno = error;
    return fit;
}

}  // namespace kymo::monitor
