#include "launch/image_copies.h"

#include "base/descriptor.h"
#include "image/build_id_path.h"
#include "image/elf.h"
#include "recording/format.h"

#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <filesystem>
#include <linux/openat2.h>
#include <span>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace kymo::launch {
namespace {

namespace fs = std::filesystem;

// As the process sees it: links in the path lead to files of its root, never of ours.
int open_inside(int root, const std::string& path) {
    open_how how{};
    how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
    return static_cast<int>(syscall(SYS_openat2, root, path.c_str(), &how, sizeof how));
}

bool is_elf(int file) {
    char magic[SELFMAG];
    return pread(file, magic, sizeof magic, 0) == sizeof magic && std::memcmp(magic, ELFMAG, SELFMAG) == 0;
}

// Of a file that no other process writes.
std::string build_id_of(const fs::path& path, std::size_t size) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    void* at = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (at == MAP_FAILED) {
        return {};
    }
    std::string build_id;
    image::ElfFile elf;
    if (image::ElfFile::parse({static_cast<const std::uint8_t*>(at), size}, &elf) == image::ElfError::kNone) {
        build_id.assign(reinterpret_cast<const char*>(elf.build_id().data()), elf.build_id().size());
    }
    munmap(at, size);
    return build_id;
}

}  // namespace

void ImageCopies::take(const KernelRecord& record) {
    constexpr std::string_view kDeleted = " (deleted)";
    if (record.change != KernelChange::kMap || !record.path.starts_with('/') || record.path.starts_with("//") ||
        record.path.ends_with(kDeleted)) {
        return;
    }
    const Descriptor root(
        ::open(("/proc/" + std::to_string(record.pid) + "/root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    struct stat inside{};
    struct stat here{};
    if (root.number() < 0 || fstatat(root.number(), record.path.c_str() + 1, &inside, 0) != 0 ||
        !S_ISREG(inside.st_mode) || inside.st_size <= 0) {
        return;
    }
    const bool is_same =
        stat(record.path.c_str(), &here) == 0 && here.st_dev == inside.st_dev && here.st_ino == inside.st_ino;
    if (is_same ||
        !known_.insert(std::to_string(inside.st_dev) + ' ' + std::to_string(inside.st_ino) + ' ' + record.path)
             .second) {
        return;
    }
    const Descriptor file(open_inside(root.number(), record.path));
    copy_once(file.number(), record.path);
}

void ImageCopies::keep(int file, const std::string& path) {
    struct stat facts{};
    if (fstat(file, &facts) == 0 &&
        known_.insert(std::to_string(facts.st_dev) + ' ' + std::to_string(facts.st_ino) + ' ' + path).second) {
        copy_once(file, path);
    }
}

void ImageCopies::copy_once(int file, const std::string& path) {
    struct stat facts{};
    if (file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0 &&
        static_cast<std::uint64_t>(facts.st_size) <= kMostBytes - bytes_) {
        copy(file, path);
    }
}

// Written under another name until complete, and examined only then: the process may shorten its own file at any
// time. If there is no space, or the folder was removed, no copy is made.
void ImageCopies::copy(int file, const std::string& path) {
    if (!is_elf(file)) {
        return;
    }
    const fs::path images = folder_.reach(recording::kImagesFolder);
    const fs::path part = images / "part";
    std::error_code error;
    fs::create_directories(images, error);
    fs::copy_file("/proc/self/fd/" + std::to_string(file), part, fs::copy_options::overwrite_existing, error);
    const std::uint64_t size = error ? 0 : fs::file_size(part, error);
    if (!error && size != 0) {
        const std::string by_id = build_id_path(build_id_of(part, size));
        const fs::path to =
            images / (by_id.empty() ? fs::path(path).lexically_normal().relative_path() : fs::path(by_id));
        fs::create_directories(to.parent_path(), error);
        fs::permissions(part, fs::perms::owner_read | fs::perms::owner_write, error);
        fs::rename(part, to, error);
        bytes_ += size;
    }
    fs::remove(part, error);
}

}  // namespace kymo::launch
