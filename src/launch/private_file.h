// Files of a recording folder that the monitors read: readable by this user alone, complete or absent.
#pragma once

#include "base/result.h"
#include "recording/folder.h"

#include <cstdint>
#include <string>

namespace kymo::launch {

// A new file of mode 0600. Error: it exists already, or cannot be written.
Result<void> write_private(const recording::Folder& folder, const std::string& name, const std::string& text);

// All ranks of a job write the same text: readers never see a part of it, and no rank fails because of another's.
Result<void> write_shared(const recording::Folder& folder, const std::string& name, const std::string& text,
                          std::uint64_t rank);

}  // namespace kymo::launch
