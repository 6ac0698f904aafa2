#include "recording/reader.h"

#include <algorithm>
#include <optional>
#include <system_error>

namespace kymo::recording {

namespace {

Error folder_error(const std::filesystem::path& folder, const std::error_code& code) {
    if (code == std::errc::permission_denied || code == std::errc::operation_not_permitted) {
        return {ErrorKind::kPermission, folder.string() + " may not be read by this user",
                "recordings are private to who made them: run as that user, or ask for a copy"};
    }
    return {ErrorKind::kNotFound, folder.string() + " cannot be read: " + code.message(), "check the name"};
}

}  // namespace

Result<Recording> Recording::open(const std::filesystem::path& folder) {
    std::error_code code;
    const auto status = std::filesystem::status(folder, code);
    if (!std::filesystem::exists(status)) {
        if (code && code != std::errc::no_such_file_or_directory) {
            return folder_error(folder, code);
        }
        return Error{ErrorKind::kNotFound, "no recording " + folder.string(),
                     "check the name, or make one: kymo record -o " + folder.string() + " -- PROGRAM"};
    }
    if (!std::filesystem::is_directory(status)) {
        const bool part = folder.extension() == ".krec";
        return Error{ErrorKind::kMalformed, folder.string() + " is not a recording: recordings are folders",
                     part ? "give the folder that holds it" : "give the folder that kymo record made"};
    }
    std::vector<std::filesystem::path> paths;
    std::filesystem::directory_iterator entry(folder, code);
    for (; !code && entry != std::filesystem::directory_iterator(); entry.increment(code)) {
        if (entry->path().extension() == ".krec") {
            paths.push_back(entry->path());
        }
    }
    if (code) {
        return folder_error(folder, code);
    }
    if (paths.empty()) {
        return Error{ErrorKind::kMalformed, folder.string() + " holds no recording (no file ends in .krec)",
                     "give the folder that kymo record made"};
    }
    std::sort(paths.begin(), paths.end());
    Recording recording;
    std::optional<Error> first;
    for (const auto& path : paths) {
        Result<File> file = File::open(path);
        if (file) {
            recording.files_.push_back(std::move(file).value());
            continue;
        }
        recording.warnings_.push_back(file.error().what + ": left out");
        if (!first) {
            first = file.error();
        }
    }
    if (recording.files_.empty()) {
        return *first;
    }
    return recording;
}

}  // namespace kymo::recording
