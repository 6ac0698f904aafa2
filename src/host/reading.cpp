#include "host/reading.h"

#include "cells/reader/folder.h"

namespace kymo::host {

Reading read_host() {
    Reading reading;
    for (const auto& folder : cells::find_folders()) {
        for (const auto& segment : cells::segments_in(folder)) {
            auto snapshot = cells::read_segment(segment);
            if (snapshot) {
                reading.processes.push_back(std::move(*snapshot));
            } else if (snapshot.error().kind != ErrorKind::kNotFound) {
                ++reading.unreadable;
            }
        }
    }
    reading.time = monotonic_now().ns;
    return reading;
}

}  // namespace kymo::host
