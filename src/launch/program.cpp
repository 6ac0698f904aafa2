#include "launch/program.h"

#include "base/native.h"
#include "events/suggest.h"
#include "image/glibc_loader.h"
#include "image/program_facts.h"
#include "image/sanitizer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <span>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <vector>

namespace kymo::launch {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxInterpreters = 5;  // as the kernel's own limit on scripts naming scripts

Error not_runnable(std::string what, std::string next) {
    return {ErrorKind::kNotRunnable, std::move(what), std::move(next)};
}

// A file's bytes, mapped; empty for an empty file.
class MappedFile {
  public:
    static std::unique_ptr<MappedFile> open(const fs::path& path) {
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) {
            return nullptr;
        }
        struct stat facts{};
        auto mapped = std::make_unique<MappedFile>();
        if (fstat(file, &facts) == 0 && facts.st_size > 0) {
            const auto size = static_cast<std::size_t>(facts.st_size);
            void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
            if (data != MAP_FAILED) {
                mapped->bytes_ = {static_cast<const std::uint8_t*>(data), size};
            }
        }
        close(file);
        return mapped;
    }
    MappedFile() = default;
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile() {
        if (!bytes_.empty()) {
            munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
        }
    }
    [[nodiscard]] std::span<const std::uint8_t> bytes() const { return bytes_; }

  private:
    std::span<const std::uint8_t> bytes_;
};

std::vector<fs::path> split_path(std::string_view search_path) {
    std::vector<fs::path> folders;
    while (true) {
        const std::size_t colon = std::min(search_path.find(':'), search_path.size());
        const std::string_view folder = search_path.substr(0, colon);
        folders.emplace_back(folder.empty() ? std::string_view(".") : folder);
        if (colon == search_path.size()) {
            return folders;
        }
        search_path.remove_prefix(colon + 1);
    }
}

bool is_runnable_file(const fs::path& path) {
    struct stat facts{};
    return stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::string similar_programs(const std::string& name, const std::vector<fs::path>& folders) {
    std::vector<std::string> known;
    for (const fs::path& folder : folders) {
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(folder, ignored)) {
            known.push_back(entry.path().filename());
        }
    }
    std::string text;
    for (const std::string& near : events::nearest(name, known, 2)) {
        text += (text.empty() ? "did you mean " : " or ") + near;
    }
    return text.empty() ? text : text + "?";
}

Result<fs::path> search(const std::string& name, std::string_view search_path) {
    if (name.find('/') != std::string::npos) {
        return fs::path(name);
    }
    const std::vector<fs::path> folders = split_path(search_path);
    std::optional<fs::path> not_executable;
    for (const fs::path& folder : folders) {
        const fs::path candidate = folder / name;
        if (is_runnable_file(candidate)) {
            return candidate;
        }
        if (access(candidate.c_str(), F_OK) == 0 && !not_executable) {
            not_executable = candidate;
        }
    }
    if (not_executable) {
        return *not_executable;
    }
    std::string next = "give the program's path, or add its directory to PATH";
    if (is_runnable_file(fs::path(".") / name)) {
        next = "it is in this directory: use ./" + name;
    } else if (const std::string similar = similar_programs(name, folders); !similar.empty()) {
        next = similar;
    }
    return Error{ErrorKind::kNotFound, "no such program: " + name, next};
}

// The loader ignores LD_PRELOAD if running the file gives this user other rights.
Result<void> check_rights(const fs::path& path, const struct stat& facts) {
    const bool setuid = (facts.st_mode & S_ISUID) != 0 && facts.st_uid != getuid();
    const bool setgid = (facts.st_mode & S_ISGID) != 0 && (facts.st_mode & S_IXGRP) != 0 && facts.st_gid != getgid();
    const bool capable = getuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
    if (!setuid && !setgid && !capable) {
        return {};
    }
    const std::string kind = setuid ? "is setuid" : setgid ? "is setgid" : "has file capabilities";
    return not_runnable(
        path.string() + " " + kind + ": the system lets no monitor into a program that changes its rights",
        setuid ? "record it as the user it runs as, or record a copy without the bit: cp " + path.string() + " ."
               : "record a copy without them: cp " + path.string() + " .");
}

std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

Result<void> check_dynamic(const std::string& name, const image::ProgramFacts& facts) {
    if (facts.machine != processor::kMachine) {
        return not_runnable(name + " is a program for " + image::machine_name(facts.machine) + ", this is " +
                                image::machine_name(processor::kMachine),
                            std::string("build it for ") + image::machine_name(processor::kMachine));
    }
    if (const std::string loader(facts.interpreter); !image::is_glibc_loader(loader.c_str())) {
        return not_runnable(name + " uses another C library than the monitor's (its loader is " + loader + ")",
                            "build it against glibc");
    }
    return {};
}

image::Sanitizer sanitizer_of(std::span<const std::uint8_t> bytes) {
    const auto read = [](const void* file, void* to, std::size_t size, std::uint64_t at) -> std::size_t {
        const auto& all = *static_cast<const std::span<const std::uint8_t>*>(file);
        const std::size_t got = at < all.size() ? std::min<std::size_t>(size, all.size() - at) : 0;
        std::memcpy(to, all.data() + (got == 0 ? 0 : at), got);
        return got;
    };
    return image::find_sanitizer({read, &bytes});
}

Result<void> check_sanitizer(const std::string& name, const image::Sanitizer& sanitizer) {
    if (!image::bars_libraries(sanitizer.kind)) {
        return {};
    }
    if (sanitizer.kind == image::SanitizerKind::kMemory) {
        return not_runnable(name +
                                " is built with MemorySanitizer, which would take what the monitor writes for "
                                "uninitialised memory",
                            "record a build of it without -fsanitize=memory");
    }
    return not_runnable(name +
                            " is built with ThreadSanitizer, which would hold back the sampling signals and take "
                            "the monitor's work for races",
                        "record a build of it without -fsanitize=thread");
}

Result<void> check_contents(const std::string& name, const image::ProgramFacts& facts) {
    switch (facts.kind) {
        case image::ProgramKind::kDynamic:
            return check_dynamic(name, facts);
        case image::ProgramKind::kStatic:
            return not_runnable(name + " is statically linked: the monitor cannot be loaded into it",
                                "link it dynamically (without -static)");
        case image::ProgramKind::kLibrary:
            // The dynamic loader itself can be run as a program.
            if (file_name(name).starts_with("ld-") || file_name(name).starts_with("ld.so")) {
                return {};
            }
            return not_runnable(name + " is a shared library, not a program", "name the program that uses it");
        case image::ProgramKind::kScript:
            if (facts.interpreter.empty()) {
                return not_runnable(name + " has a #! line without an interpreter",
                                    "write one, for example #!/bin/sh");
            }
            return {};
        case image::ProgramKind::kOther:
            break;
    }
    if (facts.machine != 0 && facts.machine != processor::kMachine) {
        return check_dynamic(name, facts);
    }
    if (facts.error == image::ElfError::kNotElf || facts.error == image::ElfError::kTooShort) {
        return not_runnable(name + " is neither a program nor a script with a #! line",
                            "for a shell script without it: kymo record -- sh " + name);
    }
    return not_runnable(name + " " + image::describe(facts.error), "rebuild it, or name another program");
}

bool has_go_runtime(std::span<const std::uint8_t> bytes) {
    image::ElfFile file;
    Elf64_Shdr section{};
    return image::ElfFile::parse(bytes, &file) == image::ElfError::kNone &&
           file.find_section(".go.buildinfo", &section);
}

// A program that Go's linker made without the system's linker (no cgo, or none that needs it) begins in Go's run
// time: the C library's __libc_start_main, in which the monitor starts, is never called.
Result<void> check_beginning(const std::string& name, std::span<const std::uint8_t> bytes) {
    constexpr std::string_view kStart("__libc_start_main", sizeof("__libc_start_main"));  // with its end
    image::ElfFile file;
    Elf64_Shdr section{};
    if (!has_go_runtime(bytes) || image::ElfFile::parse(bytes, &file) != image::ElfError::kNone ||
        !file.find_section(".dynstr", &section)) {
        return {};
    }
    const auto names = file.contents(section);
    if (std::search(names.begin(), names.end(), kStart.begin(), kStart.end()) != names.end()) {
        return {};
    }
    return not_runnable(
        name + " is linked by Go alone and does not begin in the C library: the monitor would not start",
        "link it with the system's linker (go build -ldflags=-linkmode=external)");
}

std::string build_id_of(std::span<const std::uint8_t> bytes) {
    image::ElfFile file;
    if (image::ElfFile::parse(bytes, &file) != image::ElfError::kNone) {
        return {};
    }
    const std::span<const std::uint8_t> id = file.build_id();
    return {reinterpret_cast<const char*>(id.data()), id.size()};
}

// A program of this machine into which nothing can be preloaded, whatever the reason.
bool is_runnable_here(const image::ProgramFacts& facts) {
    return facts.machine == processor::kMachine &&
           (facts.kind == image::ProgramKind::kStatic || facts.kind == image::ProgramKind::kDynamic);
}

// Checks one file; a script's interpreter is returned to be checked next.
Result<std::string> check_file(const fs::path& path, Program& program, Fitness fitness) {
    const std::string name = path.string();
    struct stat facts{};
    if (stat(path.c_str(), &facts) != 0) {
        const int error = errno;
        if (error == EACCES) {
            return Error{ErrorKind::kPermission, name + ": not permitted to enter its directory",
                         "check: namei -l " + name};
        }
        return Error{ErrorKind::kNotFound, "no such program: " + name + (error == ELOOP ? " (a loop of links)" : ""),
                     "check the path"};
    }
    if (S_ISDIR(facts.st_mode)) {
        return not_runnable(name + " is a directory", "name a program in it");
    }
    if (!S_ISREG(facts.st_mode)) {
        return not_runnable(name + " is not a regular file", "name a program");
    }
    if (access(path.c_str(), X_OK) != 0) {
        return not_runnable(name + " is not executable", "chmod +x " + name);
    }
    if (auto rights = check_rights(path, facts); !rights) {
        if (fitness == Fitness::kForMonitor) {
            return rights.error();
        }
        program.obstacle = rights.error();
        program.gains_rights = true;
    }
    const auto file = MappedFile::open(path);
    if (file == nullptr) {
        return Error{ErrorKind::kPermission, name + " can be run but not read, so it cannot be measured",
                     "chmod +r " + name};
    }
    const image::ProgramFacts contents = image::describe_program(file->bytes());
    if (auto checked = check_contents(name, contents); !checked) {
        if (fitness == Fitness::kForMonitor || !is_runnable_here(contents)) {
            return checked.error();
        }
        program.obstacle = checked.error();
    }
    if (contents.kind == image::ProgramKind::kDynamic) {
        if (auto checked = check_beginning(name, file->bytes()); !checked) {
            if (fitness == Fitness::kForMonitor) {
                return checked.error();
            }
            program.obstacle = checked.error();
        }
    }
    const image::Sanitizer sanitizer = sanitizer_of(file->bytes());
    if (auto checked = check_sanitizer(name, sanitizer); !checked) {
        if (fitness == Fitness::kForMonitor) {
            return checked.error();
        }
        program.obstacle = checked.error();
    }
    program.first_library = sanitizer.library;
    program.file = path;
    program.go_runtime = contents.kind == image::ProgramKind::kDynamic && has_go_runtime(file->bytes());
    program.build_id = build_id_of(file->bytes());
    return contents.kind == image::ProgramKind::kScript ? std::string(contents.interpreter) : std::string();
}

}  // namespace

Result<Program> find_program(std::string_view name, std::string_view search_path, Fitness fitness) {
    if (name.empty()) {
        return Error{ErrorKind::kUsage, "no program given", "kymo record [OPTIONS] -- PROGRAM ARGUMENTS…"};
    }
    const auto found = search(std::string(name), search_path);
    if (!found) {
        return found.error();
    }
    Program program{*found};
    fs::path file = *found;
    for (int depth = 0; depth <= kMaxInterpreters; ++depth) {
        auto interpreter = check_file(file, program, fitness);
        if (!interpreter) {
            if (depth == 0) {
                return interpreter.error();
            }
            Error error = interpreter.error();
            error.kind = ErrorKind::kNotRunnable;
            error.what = found->string() + " is a script whose interpreter cannot be recorded: " + error.what;
            return error;
        }
        if (interpreter->empty()) {
            return program;
        }
        file = *interpreter;
    }
    return not_runnable(found->string() + " is a script whose interpreters are scripts without end",
                        "check its #! line");
}

std::string monitoring_obstacle(const fs::path& file) {
    Program unused;
    const auto checked = check_file(file, unused, Fitness::kForMonitor);
    if (checked || checked.error().kind == ErrorKind::kNotFound) {
        return {};
    }
    const std::string text = checked.error().what;
    const std::string name = file.string() + " ";
    return text.starts_with(name) ? text.substr(name.size()) : text;
}

}  // namespace kymo::launch
