#include "program/module_file.h"

#include "base/clean_text.h"
#include "image/content.h"
#include "program/image_search.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <span>
#include <string_view>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::program {
namespace {

constexpr std::string_view kDeleted = " (deleted)";

// dwfl_standard_find_debuginfo: build id, debug link, .gnu_debugdata, and debuginfod, which does nothing unless
// DEBUGINFOD_URLS is set.
const Dwfl_Callbacks* callbacks() {
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = dwfl_offline_section_address,
        .debuginfo_path = debug_directories(),
    };
    return &callbacks;
}

}  // namespace

std::string module_name(std::string_view path) {
    if (path.ends_with(kDeleted)) {
        path.remove_suffix(kDeleted.size());
    }
    if (const std::size_t slash = path.rfind('/'); slash != std::string_view::npos && slash + 1 < path.size()) {
        path.remove_prefix(slash + 1);
    }
    return clean_text(path);
}

ModuleFile ModuleFile::open(const ImageName& image) {
    ModuleFile file;
    std::string path = image.path;
    if (path.ends_with(kDeleted)) {
        path.resize(path.size() - kDeleted.size());
    }
    if (file.open_in_directories(path, image)) {
        file.problem_.clear();
        return file;
    }
    if (image_search().only) {
        file.problem_ = path + ": in none of the directories of --images; functions are shown as offsets";
    } else {
        file.problem_ = image.path == "[vdso]" ? file.open_vdso(image) : file.open_file(path, image);
    }
    if (file.module_ == nullptr && file.open_debug_file(image)) {
        file.problem_.clear();
    }
    return file;
}

bool ModuleFile::open_in_directories(const std::string& path, const ImageName& image) {
    for (const std::string& directory : image_search().directories) {
        const std::string by_id = by_build_id(directory, image.build_id);
        if (!by_id.empty() && open_file(by_id, image).empty()) {
            return true;
        }
        if (path.starts_with('/') && open_file(directory + path, image).empty()) {
            return true;
        }
    }
    return false;
}

bool ModuleFile::open_debug_file(const ImageName& image) {
    const auto is_there = [&](const std::string& directory) {
        const std::string file = by_build_id(directory, image.build_id);
        return !file.empty() && open_file(file + ".debug", image).empty();
    };
    const ImageSearch& search = image_search();
    return std::any_of(search.directories.begin(), search.directories.end(), is_there) ||
           (!search.only && is_there("/usr/lib/debug"));
}

std::string ModuleFile::debug_path() const {
    Dwarf_Addr bias = 0;
    if (module_ == nullptr || dwfl_module_getdwarf(module_, &bias) == nullptr) {
        return {};
    }
    const char* main_file = nullptr;
    const char* debug_file = nullptr;
    dwfl_module_info(module_, nullptr, nullptr, nullptr, nullptr, nullptr, &main_file, &debug_file);
    return debug_file == nullptr || path_ == debug_file ? "" : debug_file;
}

std::string ModuleFile::open_file(const std::string& path, const ImageName& image) {
    // Not blocking: a path in a foreign recording may by now be a pipe.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        return path + ": " + (errno == ENOENT ? "the file is gone" : std::strerror(errno)) +
               "; functions are shown as offsets";
    }
    struct stat status{};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(descriptor);
        return path + ": not a regular file any more; functions are shown as offsets";
    }
    return open_descriptor(descriptor, path, image);
}

std::string ModuleFile::open_descriptor(int descriptor, const std::string& path, const ImageName& image) {
    session_.reset(dwfl_begin(callbacks()));
    module_ = nullptr;
    machine_ = 0;
    if (!session_) {
        ::close(descriptor);
        return path + ": " + dwfl_errmsg(-1);
    }
    dwfl_report_begin(session_.get());
    // Base 0: module addresses are the file's own, which is what image offsets are.
    Dwfl_Module* module =
        dwfl_report_elf(session_.get(), module_name(path).c_str(), path.c_str(), descriptor, 0, true);
    if (module == nullptr) {
        ::close(descriptor);
    }
    dwfl_report_end(session_.get(), nullptr, nullptr);
    GElf_Addr bias = 0;
    Elf* elf = module == nullptr ? nullptr : dwfl_module_getelf(module, &bias);
    GElf_Ehdr header{};
    if (elf == nullptr || gelf_getehdr(elf, &header) == nullptr) {
        return path + ": not an ELF file any more; functions are shown as offsets";
    }
    if (image.machine != 0 && header.e_machine != image.machine) {
        return path + ": made for another architecture than the recording; functions are shown as offsets";
    }
    if (!image.build_id.empty()) {
        const unsigned char* bits = nullptr;
        GElf_Addr address = 0;
        const int length = dwfl_module_build_id(module, &bits, &address);
        if (length <= 0 || std::string_view(reinterpret_cast<const char*>(bits), static_cast<std::size_t>(length)) !=
                               image.build_id) {
            return path + ": changed since it was recorded (another build id); functions are shown as offsets";
        }
    }
    if (image.build_id.empty() && image.content != 0) {
        std::size_t size = 0;
        const char* bytes = elf_rawfile(elf, &size);
        const std::span file(reinterpret_cast<const std::uint8_t*>(bytes), bytes == nullptr ? 0 : size);
        if (image::content_of(file) != image.content) {
            return path + ": changed since it was recorded; functions are shown as offsets";
        }
    }
    module_ = module;
    machine_ = header.e_machine;
    path_ = path;
    return {};
}

std::string ModuleFile::open_vdso(const ImageName& image) {
    const auto* base = reinterpret_cast<const char*>(::getauxval(AT_SYSINFO_EHDR));
    if (base == nullptr) {
        return "[vdso]: this kernel provides none; its functions are not named";
    }
    const auto* header = reinterpret_cast<const Elf64_Ehdr*>(base);
    const std::size_t size = header->e_shoff + std::size_t{header->e_shnum} * header->e_shentsize;
    const int descriptor = ::memfd_create("vdso", MFD_CLOEXEC);
    if (descriptor < 0) {
        return std::string("[vdso]: ") + std::strerror(errno);
    }
    if (::write(descriptor, base, size) != static_cast<ssize_t>(size)) {
        ::close(descriptor);
        return "[vdso]: its copy could not be written; its functions are not named";
    }
    if (!open_descriptor(descriptor, image.path, image).empty()) {
        return "[vdso]: recorded on another kernel; its functions are not named";
    }
    return {};
}

}  // namespace kymo::program
