#include "base/clean_text.h"
#include "recording/reader.h"

#include <memory>
#include <optional>
#include <utility>

namespace kymo::recording {

Result<Recording> Recording::open(const std::filesystem::path& path) {
    Result<Folder> opened = Folder::open(path);
    if (!opened) {
        return opened.error();
    }
    const auto folder = std::make_shared<const Folder>(std::move(*opened));
    const auto names = folder->names(kFileSuffix);
    if (!names) {
        return names.error();
    }
    if (names->empty()) {
        return Error{ErrorKind::kMalformed, path.string() + " holds no recording (no file ends in .krec)",
                     "give the directory that kymo record made"};
    }
    Recording recording;
    std::optional<Error> first;
    for (const std::string& name : *names) {
        Result<File> file = File::open(*folder, name);
        if (file) {
            if (names->size() > kMostHeld) {
                file->close_between_readings(folder);
            }
            recording.files_.push_back(std::move(file).value());
            continue;
        }
        recording.warnings_.push_back(clean_text(file.error().what + ": left out"));
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
