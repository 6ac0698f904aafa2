#include "program/module_file.h"

#include "base/clean_text.h"
#include "image/content.h"

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

// dwfl_standard_find_debuginfo: build id, debug link, .gnu_debugdata, and debuginfod, which asks nobody
// unless DEBUGINFOD_URLS is set.
const Dwfl_Callbacks kCallbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

std::string debug_file_of(std::string_view build_id) {
    if (build_id.size() < 2) {
        return {};
    }
    const std::string digits = hex(build_id);
    return "/usr/lib/debug/.build-id/" + digits.substr(0, 2) + "/" + digits.substr(2) + ".debug";
}

}  // namespace

std::string hex(std::string_view bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text += kDigits[byte >> 4U];
        text += kDigits[byte & 0xFU];
    }
    return text;
}

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
    if (image.path == "[vdso]") {
        file.problem_ = file.open_vdso(image);
        return file;
    }
    std::string path = image.path;
    if (path.ends_with(kDeleted)) {
        path.resize(path.size() - kDeleted.size());
    }
    file.problem_ = file.open_file(path, image);
    if (file.module_ == nullptr) {
        const std::string debug_file = debug_file_of(image.build_id);
        if (!debug_file.empty() && file.open_file(debug_file, image).empty()) {
            file.problem_.clear();
        }
    }
    return file;
}

std::string ModuleFile::open_file(const std::string& path, const ImageName& image) {
    // Not blocking: a path in a foreign recording may by now be a pipe.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        return path + ": " + (errno == ENOENT ? "the file is gone" : std::strerror(errno)) +
               "; its functions are shown as offsets";
    }
    struct stat status{};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(descriptor);
        return path + ": not a regular file any more; its functions are shown as offsets";
    }
    return open_descriptor(descriptor, path, image);
}

std::string ModuleFile::open_descriptor(int descriptor, const std::string& path, const ImageName& image) {
    session_.reset(dwfl_begin(&kCallbacks));
    module_ = nullptr;
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
        return path + ": not an ELF file any more; its functions are shown as offsets";
    }
    if (image.machine != 0 && header.e_machine != image.machine) {
        return path + ": made for another architecture than the recording; its functions are shown as offsets";
    }
    if (!image.build_id.empty()) {
        const unsigned char* bits = nullptr;
        GElf_Addr address = 0;
        const int length = dwfl_module_build_id(module, &bits, &address);
        if (length <= 0 || std::string_view(reinterpret_cast<const char*>(bits), static_cast<std::size_t>(length)) !=
                               image.build_id) {
            return path + ": changed since it was recorded (another build id); its functions are shown as offsets";
        }
    }
    if (image.build_id.empty() && image.content != 0) {
        std::size_t size = 0;
        const char* bytes = elf_rawfile(elf, &size);
        const std::span file(reinterpret_cast<const std::uint8_t*>(bytes), bytes == nullptr ? 0 : size);
        if (image::content_of(file) != image.content) {
            return path + ": changed since it was recorded; its functions are shown as offsets";
        }
    }
    module_ = module;
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
