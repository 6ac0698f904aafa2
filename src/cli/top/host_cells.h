// This host's cells, its processors among them: filled in here, so that they show whatever runs.
#pragma once

#include "cells/reader/folder.h"
#include "metrics/processors.h"
#include "ring/live/host_reading.h"

namespace kymo::cli {

class HostCells {
  public:
    // Where no segment can be made for the processors there are none to be seen, unless a launcher fills its own.
    explicit HostCells(const char* segment) : folder_(cells::Folder::make()) {
        if (folder_) {
            // Without it the processors of other launchers are shown, if there are any.
            static_cast<void>(processors_.open(folder_->path() / segment));
        }
    }
    ring::HostReading read() {
        if (processors_.is_open()) {
            processors_.fill();
        }
        return ring::read_host();
    }

  private:
    Result<cells::Folder> folder_;
    metrics::Processors processors_;
};

}  // namespace kymo::cli
