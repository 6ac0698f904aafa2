#include "monitor/process/folder_file.h"

#include "events/session.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

int open_in_folder(const char* folder, const char* name, int flags) {
    constexpr std::size_t kMaxName = 32;
    char path[events::kPathBytes + kMaxName];
    const std::size_t folder_length = __builtin_strlen(folder);
    const std::size_t name_length = __builtin_strlen(name);
    if (folder_length >= events::kPathBytes || name_length + 1 >= kMaxName) {
        return -1;
    }
    __builtin_memcpy(path, folder, folder_length);
    path[folder_length] = '/';
    __builtin_memcpy(path + folder_length + 1, name, name_length + 1);
    return open(path, flags);
}

bool read_from_folder(const char* folder, const char* name, char* text, std::size_t capacity, std::size_t* size) {
    const int file = open_in_folder(folder, name, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    *size = 0;
    while (*size < capacity) {
        const ssize_t got = syscall(SYS_read, file, text + *size, capacity - *size);
        if (got <= 0) {
            break;
        }
        *size += static_cast<std::size_t>(got);
    }
    syscall(SYS_close, file);
    return true;
}

}  // namespace kymo::monitor
