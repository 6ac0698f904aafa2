#include "launch/image_copies.h"

#include "image/elf.h"
#include "recording/format.h"

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

class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) {
            close(number_);
        }
    }
    int number() const { return number_; }

  private:
    int number_;
};

// As the process sees it: links in the path lead to its files, never to ours.
int open_inside(int root, const std::string& path) {
    open_how how{};
    how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
    return static_cast<int>(syscall(SYS_openat2, root, path.c_str(), &how, sizeof how));
}

struct Content {
    bool is_elf = false;
    std::string build_id;  // hexadecimal
};

Content content_of(int file, std::size_t size) {
    Content content;
    void* at = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (at == MAP_FAILED) {
        return content;
    }
    image::ElfFile elf;
    if (image::ElfFile::parse({static_cast<const std::uint8_t*>(at), size}, &elf) == image::ElfError::kNone) {
        content.is_elf = true;
        for (const std::uint8_t byte : elf.build_id()) {
            constexpr const char* kDigits = "0123456789abcdef";
            content.build_id += kDigits[byte >> 4U];
            content.build_id += kDigits[byte & 0xFU];
        }
    }
    munmap(at, size);
    return content;
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
    if (file.number() >= 0 && fstat(file.number(), &inside) == 0 && S_ISREG(inside.st_mode) && inside.st_size > 0 &&
        static_cast<std::uint64_t>(inside.st_size) <= kMostBytes - bytes_) {
        copy(file.number(), record.path);
    }
}

// Under another name until it is whole. Without room, or in a folder that is gone, there is no copy.
void ImageCopies::copy(int file, const std::string& path) {
    struct stat status{};
    const Content content =
        fstat(file, &status) == 0 ? content_of(file, static_cast<std::size_t>(status.st_size)) : Content{};
    if (!content.is_elf) {
        return;
    }
    const fs::path images = folder_.reach(recording::kImagesFolder);
    const fs::path to =
        images / (content.build_id.size() < 4
                      ? fs::path(path).lexically_normal().relative_path()
                      : fs::path(".build-id") / content.build_id.substr(0, 2) / content.build_id.substr(2));
    const fs::path part = to.string() + ".part";
    std::error_code error;
    fs::create_directories(to.parent_path(), error);
    if (error || fs::exists(to, error)) {
        return;
    }
    fs::copy_file("/proc/self/fd/" + std::to_string(file), part, error);
    if (!error) {
        fs::permissions(part, fs::perms::owner_read | fs::perms::owner_write, error);
        fs::rename(part, to, error);
        bytes_ += static_cast<std::uint64_t>(status.st_size);
    } else {
        fs::remove(part, error);
    }
}

}  // namespace kymo::launch
