// Keeps readers of a recording that is still written, and the condensing of its old rows, apart: a lock (flock) on
// the file `history.lock` of the recording's folder, which is there while `kymo record --max-size` runs.
#pragma once

#include "base/descriptor.h"
#include "recording/folder.h"

#include <memory>
#include <optional>

namespace kymo::recording {

inline constexpr const char* kHistoryLock = "history.lock";

// For a reader: until the last copy is gone, nothing is condensed. Waits while something is being condensed. Null:
// there is no such file, or waiting took 5 s: a process that was stopped must not stop others.
std::shared_ptr<const Descriptor> hold_history(const Folder& folder);

// For the one that condenses: until it is gone, no reader begins. None: a reader is there, or the file is not.
std::optional<Descriptor> take_history(const Folder& folder);

// Makes the file. False: it cannot be made, or the file system has no locks, so that nothing may be condensed.
bool make_history_lock(const Folder& folder);

}  // namespace kymo::recording
