#include "import/process_images.h"

#include "import/generated_code.h"
#include "import/kernel_code.h"

#include <algorithm>
#include <string_view>

namespace kymo::import {
namespace {

constexpr std::size_t kMostMissing = 1000;      // paths that are kept for the report
constexpr std::size_t kMostImages = 1U << 20U;  // of a process, against absurd files

// The kernel adds it to the path of a file that has been removed.
std::string_view without_deleted(std::string_view path) {
    constexpr std::string_view kDeleted = " (deleted)";
    return path.ends_with(kDeleted) ? path.substr(0, path.size() - kDeleted.size()) : path;
}

}  // namespace

std::uint64_t ProcessImages::kernel(const std::string& build_id) {
    if (kernel_ == 0) {
        LoadedImage made;
        kernel_ = made.image = images.size() + 1;
        made.path = kKernelPath;
        made.build_id = build_id;
        made.bias = KernelCode::kBegin;
        made.row.image = made.image;
        made.row.begin = KernelCode::kBegin;
        made.row.end = KernelCode::kEnd;
        made.row.bias = KernelCode::kBegin;
        images.push_back(std::move(made));
    }
    return kernel_;
}

void ImageFiles::know(std::span<const perf::BuildId> build_ids) {
    for (const perf::BuildId& id : build_ids) {
        build_ids_[id.path] = std::string(id.bytes.begin(), id.bytes.end());
    }
}

void ImageFiles::note_missing(const std::string& path) {
    if (path.starts_with('/') && !is_generated_code(path) && missing_.size() < kMostMissing) {
        missing_.insert(path);
    }
}

const std::optional<ImageFile>& ImageFiles::file_of(const perf::Mapping& row, const std::string& path,
                                                    const std::string& build_id) {
    const std::filesystem::path place = locate_ ? locate_(row) : std::filesystem::path(path);
    const auto [known, is_new] = image_files_.try_emplace({place.empty() ? path : place.string(), build_id});
    if (!is_new) {
        return known->second;
    }
    if (!locate_) {
        known->second = finder_.find(path, build_id);
    } else if (!place.empty()) {
        known->second = read_image_file(place);
        mapped(place);  // it may not be there any more when the process has ended
    }
    if (!known->second) {
        note_missing(path);
    } else if (!locate_ && known->second->path != path) {
        elsewhere_[path] = known->second->path;
    }
    return known->second;
}

MappedImage ImageFiles::load(ProcessImages& process, std::uint64_t process_begin, const perf::Mapping& row) {
    // Code that was made while the program ran, and the kernel's own in its address space but for the vDSO.
    const bool has_file = row.path.starts_with('/') && !row.path.starts_with("//");
    if ((!has_file && row.path != "[vdso]") || process.images.size() >= kMostImages) {
        return {.is_generated = !has_file && is_generated_code(row.path)};
    }
    LoadedImage made;
    made.path = without_deleted(row.path);
    made.build_id.assign(row.build_id.begin(), row.build_id.end());
    if (const auto known = build_ids_.find(std::string(row.path));
        made.build_id.empty() && known != build_ids_.end()) {
        made.build_id = known->second;
    }
    made.bias = row.begin - row.file_offset;
    std::uint64_t begin = row.begin;
    std::uint64_t end = row.begin + row.length;
    std::uint64_t entry = 0;
    if (has_file) {
        const std::optional<ImageFile>& file = file_of(row, made.path, made.build_id);
        const auto moved = file ? file->moved_by(row.file_offset) : std::nullopt;
        if (moved) {
            made.bias -= *moved;
            made.build_id = file->build_id;
            begin = std::min(begin, made.bias + file->begin());
            end = std::max(end, made.bias + file->end());
            entry = file->entry == 0 ? 0 : made.bias + file->entry;
            made.file = file->path;
        } else if (!file && is_generated_code(made.path)) {
            return {.is_generated = true};  // memory with a name, as of memfd_create(): not a program's file
        } else {
            // Where its code lies in the file is not known: nothing may look for names there.
            made.path = "[" + made.path + "]";
            made.build_id.clear();
        }
    }
    const auto same = std::find_if(process.images.begin(), process.images.end(), [&](const LoadedImage& image) {
        return image.path == made.path && image.bias == made.bias;
    });
    if (same != process.images.end()) {
        return {same->image, same->bias};
    }
    made.image = process.images.size() + 1;
    made.row.time = std::max(row.time, process_begin);
    made.row.image = made.image;
    made.row.begin = begin;
    made.row.end = end;
    made.row.bias = made.bias;
    if (process.executable.empty() && has_file) {
        process.executable = without_deleted(row.path);
        process.entry = entry;
    }
    process.images.push_back(std::move(made));
    return {process.images.back().image, process.images.back().bias};
}

const MappedFile* ImageFiles::mapped(const std::filesystem::path& file) {
    const auto [known, is_new] = mapped_files_.try_emplace(file);
    if (is_new) {
        known->second = MappedFile::open(file);
    }
    return known->second.get();
}

}  // namespace kymo::import
