// The user's cache of names: what symbolize() found in an image, by build id, so that gigabytes of debug information
// are read for the first report alone.
//
// One file an image below names/ in $KYMO_CACHE, or $XDG_CACHE_HOME/kymo, or ~/.cache/kymo: a directory of this user
// that no other may write to; KYMO_CACHE=off: none. A file is replaced as a whole, so that several processes may use
// it at once: one that loses what another has added looks it up again. What cannot be read, is damaged or of another
// version counts as not there. All files together have at most kMostBytes; those used longest ago go first.
//
// Values; const members may be called from several threads.
#pragma once

#include "program/code_names.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::program {

class NameCache {
  public:
    static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30U;
    static constexpr std::uint64_t kMostFileBytes = kMostBytes / 4;

    // Of this user, by the environment. Cost: a look at the directory.
    static NameCache of_user();
    // None.
    NameCache() = default;
    // In this directory, which is made when something is stored.
    explicit NameCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

    const std::filesystem::path& folder() const { return folder_; }  // empty: none

    // What is known of one image; offsets ascend, each has frames.
    struct Image {
        CodeNames names;
        std::vector<Wanted> known;
    };
    // `module`: what the image is called in the recording at hand. Cost: reads the file.
    std::optional<Image> read(const std::string& build_id, std::string_view module) const;
    // Replaces what is stored, if it fits kMostFileBytes. Never fails: a cache that cannot be written is none.
    void write(const std::string& build_id, const Image& image) const;

    struct Contents {
        std::size_t images = 0;
        std::uint64_t bytes = 0;
    };
    Contents contents() const;
    // Removes all of it. False: something is left.
    bool clear() const;

    // The file's bytes, and back; none: damaged, or of another build or version. `KYMONAME`, the version, the CRC-32C
    // of what follows (32 bits each); then as varints, and texts behind their length: the build id; the number of
    // files, their names; that of functions, each name, file, line and source; that of offsets, each as the
    // difference to the one before, with the number of its frames, each function, file, line and whether it is
    // inlined.
    static std::string encode(const std::string& build_id, const Image& image);
    static std::optional<Image> decode(std::string_view bytes, const std::string& build_id, std::string_view module);

  private:
    std::filesystem::path file_of(const std::string& build_id) const;
    void keep_bound() const;

    std::filesystem::path folder_;
};

}  // namespace kymo::program
