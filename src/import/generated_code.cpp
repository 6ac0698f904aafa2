#include "import/generated_code.h"

#include "image/build_id_path.h"
#include "import/named/input.h"
#include "import/named/perf_map.h"
#include "import/names/named_image.h"
#include "recording/format.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <utility>

namespace kymo::import {
namespace {

// As the kernel and perf call memory without a file, or with one that has no name in the file system.
constexpr std::array<std::string_view, 6> kMemory = {
    "//anon", "[anon", "/memfd:", "/dev/zero", "/anon_hugepage", "/SYSV"};

}  // namespace

bool is_generated_code(std::string_view path) {
    return path.empty() || path == "[heap]" || path.starts_with("[stack") ||
           std::any_of(kMemory.begin(), kMemory.end(), [&](std::string_view name) { return path.starts_with(name); });
}

std::string perf_map_name(std::uint32_t number) {
    return fmt::format("perf-{}.map", number);
}

Descriptor open_perf_map(int directory, std::uint32_t number, std::optional<uid_t> owner) {
    // A name in a directory that everybody may write to may be that of a pipe, which must not be waited for, or of a
    // file of another user.
    Descriptor file(::openat(directory, perf_map_name(number).c_str(),
                             O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
    struct stat facts{};
    const bool is_fit = file && ::fstat(file.number(), &facts) == 0 && S_ISREG(facts.st_mode) &&
                        (!owner || facts.st_uid == *owner || facts.st_uid == 0);
    return is_fit ? std::move(file) : Descriptor();
}

Result<std::optional<GeneratedImage>> write_generated_image(std::vector<std::uint64_t> addresses, Descriptor map,
                                                            std::uint16_t machine, const recording::Folder& folder) {
    namespace fs = std::filesystem;
    std::sort(addresses.begin(), addresses.end());
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    named::PerfMap names(std::move(addresses));
    auto input = named::Input::of(std::move(map), "perf-PID.map", named::PerfMap::kMostBytes);
    static_cast<void>(names.read(input));
    NamedImage image(machine);
    for (const named::GeneratedFunction& function : names.functions()) {
        image.add(function.name, function.begin, function.end - function.begin);
    }
    if (image.empty()) {
        return std::optional<GeneratedImage>();
    }
    const fs::path images = folder.path() / recording::kImagesFolder;
    std::error_code failed;
    fs::create_directories(images, failed);
    const fs::path part = images / "part";
    const auto build_id = image.write(part);
    if (!build_id) {
        return build_id.error();
    }
    const fs::path to = images / build_id_path(*build_id);
    fs::create_directories(to.parent_path(), failed);
    fs::rename(part, to, failed);
    if (failed) {
        return Error{ErrorKind::kPermission, "cannot write " + to.string() + ": " + failed.message(),
                     "use -o with a directory that you may write to"};
    }
    GeneratedImage made;
    made.build_id = *build_id;
    made.row.begin = image.range().begin;
    made.row.end = image.range().end;
    made.row.path = recording::RawText{kGeneratedPath};
    return std::optional(std::move(made));
}

}  // namespace kymo::import
