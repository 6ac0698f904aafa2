#include "base/clean_text.h"
#include "recording/bundle.h"
#include "recording/history/history_lock.h"
#include "recording/reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

namespace kymo::recording {
namespace {

bool is_same(const File& one, const File& other) {
    if (one.bytes() != other.bytes()) {
        return false;
    }
    const File::Reading first(one);
    const File::Reading second(other);
    std::array<std::array<char, std::size_t{16} << 10U>, 2> bytes;
    for (std::uint64_t at = 0; at < one.bytes();) {
        const ssize_t got = first.read(bytes[0].data(), bytes[0].size(), at);
        if (got <= 0 || second.read(bytes[1].data(), static_cast<std::size_t>(got), at) != got ||
            std::memcmp(bytes[0].data(), bytes[1].data(), static_cast<std::size_t>(got)) != 0) {
            return false;
        }
        at += static_cast<std::uint64_t>(got);
    }
    return true;
}

// The files of a folder as they are found, and what went wrong.
class Opening {
  public:
    explicit Opening(std::shared_ptr<const Folder> folder) : folder_(std::move(folder)) {}

    void add_bundle(const std::string& name) {
        const std::filesystem::path path = folder_->path() / name;
        const auto bundle = std::make_shared<const Descriptor>(
            openat(folder_->descriptor(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW));
        if (bundle->number() < 0) {
            leave_out({ErrorKind::kMalformed, path.string() + " cannot be opened: " + std::strerror(errno),
                       "give a recording made by kymo record"});
            return;
        }
        auto found = read_members(bundle->number(), path);
        if (!found) {
            leave_out(found.error());
            return;
        }
        std::move(found->warnings.begin(), found->warnings.end(), std::back_inserter(warnings_));
        for (const Member& member : found->members) {
            auto file = File::open(bundle, folder_->path() / member.name, member.begin, member.bytes);
            if (!file) {
                leave_out(file.error());
                continue;
            }
            members_.emplace(member.name, files_.size());
            files_.push_back(std::move(file).value());
        }
    }

    void add_file(const std::string& name, bool is_held) {
        auto file = File::open(*folder_, name);
        const auto [first, last] = members_.equal_range(name);
        if (!file) {
            // Moved since the folder was listed.
            if (file.error().kind != ErrorKind::kNotFound || first == last) {
                leave_out(file.error());
            }
            return;
        }
        // One that was moved and not yet removed.
        if (std::any_of(first, last, [&](const auto& member) { return is_same(files_[member.second], *file); })) {
            return;
        }
        if (!is_held) {
            file->close_between_readings(folder_);
        }
        files_.push_back(std::move(file).value());
    }

    std::vector<File> files() && {
        // Files of one name, of several hosts: in the order in which they were found.
        std::stable_sort(files_.begin(), files_.end(), [](const File& one, const File& other) {
            return one.path().native() < other.path().native();
        });
        return std::move(files_);
    }
    std::vector<std::string> warnings() && { return std::move(warnings_); }
    const std::optional<Error>& first_error() const { return first_; }

  private:
    void leave_out(const Error& error) {
        warnings_.push_back(clean_text(error.what + ": left out"));
        if (!first_) {
            first_ = error;
        }
    }

    std::shared_ptr<const Folder> folder_;
    std::vector<File> files_;
    std::unordered_multimap<std::string, std::size_t> members_;  // in files_
    std::vector<std::string> warnings_;
    std::optional<Error> first_;
};

}  // namespace

Result<Recording> Recording::open(const std::filesystem::path& path) {
    Result<Folder> opened = Folder::open(path);
    if (!opened) {
        return opened.error();
    }
    const auto folder = std::make_shared<const Folder>(std::move(*opened));
    // In this order: what is moved meanwhile is seen once or twice, and never not at all.
    const auto names = folder->names(kFileSuffix);
    const auto bundles = folder->names(kBundleSuffix);
    if (!names || !bundles) {
        return names ? bundles.error() : names.error();
    }
    if (names->empty() && bundles->empty()) {
        return Error{ErrorKind::kMalformed, path.string() + " holds no recording (no file ends in .krec)",
                     "give the directory that kymo record made"};
    }
    Recording recording;
    recording.history_ = hold_history(*folder);
    Opening opening(folder);
    for (const std::string& name : *bundles) {
        opening.add_bundle(name);
    }
    for (const std::string& name : *names) {
        opening.add_file(name, names->size() <= kMostHeld);
    }
    const std::optional<Error> first = opening.first_error();
    recording.files_ = std::move(opening).files();
    recording.warnings_ = std::move(opening).warnings();  // NOLINT(bugprone-use-after-move): each takes its own part
    if (recording.files_.empty()) {
        return first ? *first
                     : Error{ErrorKind::kMalformed, path.string() + " holds no recording (its bundles are empty)",
                             "give the directory that kymo record made"};
    }
    return recording;
}

}  // namespace kymo::recording
