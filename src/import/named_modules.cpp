#include "import/named_modules.h"

#include "image/build_id_path.h"
#include "recording/format.h"

#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace kymo::import {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnknown = "[unknown]";
constexpr std::string_view kOthers = "[others]";

std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace

std::uint32_t NamedModules::module_of(const named::Frame& frame) {
    std::string path(frame.module.empty() ? frame.is_kernel ? "[kernel.kallsyms]" : kUnknown : frame.module);
    if (modules_.size() >= kMostModules && !by_path_.contains(path)) {
        path = kOthers;
    }
    const auto [known, is_new] = by_path_.try_emplace(path, static_cast<std::uint32_t>(modules_.size()));
    if (is_new) {
        modules_.push_back(Module{.path = path});
    }
    return known->second;
}

std::uint32_t NamedModules::enter(std::span<const named::Frame> frames) {
    std::uint32_t path = 0;
    for (std::size_t i = frames.size(); i > 0; --i) {
        const named::Frame& frame = frames[i - 1];
        const std::uint32_t number = module_of(frame);
        Module& module = modules_[number];
        // Without a name each address is a function of its own.
        const auto offset =
            module.image.offset_of(!frame.function.empty() ? frame.function : fmt::format("{:#x}", frame.address));
        module.has_main = module.has_main || frame.function == "main" || frame.function.starts_with("main(");
        if (!offset || nodes_.size() >= kMostNodes) {
            continue;
        }
        const auto [known, is_new] =
            numbers_.try_emplace({path, number, *offset}, static_cast<std::uint32_t>(nodes_.size()));
        if (is_new) {
            nodes_.push_back(known->first);
        }
        path = known->second;
    }
    return path;
}

std::span<const Frame> NamedModules::frames_of(std::uint32_t path) {
    frames_.clear();
    for (; path != 0; path = nodes_[path].parent) {
        frames_.push_back({nodes_[path].module + std::uint64_t{1}, nodes_[path].offset});
    }
    return frames_;
}

std::string NamedModules::program(std::string_view thread) const {
    constexpr std::size_t kMostLetters = 15;  // of a thread's name
    const Module* found = nullptr;
    for (const Module& module : modules_) {
        const std::string_view name = file_name(module.path);
        if (!thread.empty() && name.substr(0, kMostLetters) == thread.substr(0, kMostLetters)) {
            return module.path;
        }
        found = found == nullptr && module.has_main ? &module : found;
    }
    return found != nullptr ? found->path : modules_.empty() ? std::string() : modules_.front().path;
}

Result<void> NamedModules::write(const recording::Folder& folder) {
    const fs::path images = folder.path() / recording::kImagesFolder;
    std::uint64_t begin = std::uint64_t{1} << 32U;
    for (std::size_t i = 0; i < modules_.size(); ++i) {
        Module& module = modules_[i];
        const NamedImage::Range range = module.image.range();
        recording::Image row;
        row.image = i + 1;
        row.bias = begin;
        row.begin = begin;
        row.end = begin + range.end;
        begin = (row.end / NamedImage::kFirstOffset + 1) * NamedImage::kFirstOffset;
        if (!module.image.empty()) {
            std::error_code failed;
            fs::create_directories(images, failed);
            const fs::path part = images / "part";
            const auto build_id = module.image.write(part);
            if (!build_id) {
                return build_id.error();
            }
            module.build_id = *build_id;
            const fs::path to = images / build_id_path(module.build_id);
            fs::create_directories(to.parent_path(), failed);
            fs::rename(part, to, failed);
            if (failed) {
                return Error{ErrorKind::kPermission, "cannot write " + to.string() + ": " + failed.message(),
                             "use -o with a directory that you may write to"};
            }
        }
        row.path = recording::RawText{module.path};
        row.build_id = module.build_id;
        rows_.push_back(row);
    }
    return {};
}

}  // namespace kymo::import
