// The perf-PID.map of a process that another tool recorded: which file can be believed to be of that process.
//
// Numbers of processes come again, and everybody may write to /tmp. So the file there counts only if it is of this
// user or root, the recording was begun on this host since it was started, and the file was written after that.
#pragma once

#include "base/descriptor.h"

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kymo::import {

class RecordedNames {
  public:
    // `file`: the recording, "-" for one that comes now. `symfs`: then the map of any user in its tmp counts, and
    // no other; empty: that in /tmp. `tmp`: instead of /tmp.
    RecordedNames(const std::filesystem::path& file, const std::filesystem::path& symfs,
                  const std::filesystem::path& tmp = "/tmp");

    // Where the recording was made, as far as it says.
    void set_host(std::string_view host);

    // Empty: there is none, or none that can be believed.
    Descriptor open(std::uint32_t pid);

    // Of those that were not opened, why the first was not: after "the names … are not known: ".
    const std::string& why() const { return why_; }

  private:
    std::string refusal(const Descriptor& map) const;

    std::filesystem::path directory_;
    bool is_chosen_ = false;         // by the user
    std::optional<timespec> begun_;  // on the system's clock; none: not known, or before this boot
    bool is_other_host_ = false;
    std::string why_;
};

}  // namespace kymo::import
