// This host's cells. Its processors and a member's service channels are filled in here, so that they are shown even
// if no program runs.
#pragma once

#include "cells/reader/folder.h"
#include "host/reading.h"
#include "metrics/processors.h"
#include "ring/transport/service_cells.h"

#include <unistd.h>

namespace kymo::cli {

class HostCells {
  public:
    // If no segment can be made for the processors their cells are missing, unless a launcher fills its own.
    explicit HostCells(const char* segment) : folder_(cells::Folder::make()) {
        if (folder_) {
            // Without it the processors of other launchers are shown, if any.
            static_cast<void>(processors_.open(folder_->path() / segment));
        }
    }
    // The member's service channels are also cells of this host.
    void open_service(std::string_view program, std::uint32_t channels, std::uint64_t job) {
        if (folder_) {
            static_cast<void>(service_.open(folder_->path() / "service.cells", program, channels, job));
        }
    }
    void fill_service(std::span<const ring::ChannelState> states, std::span<const ring::Trips> trips) {
        if (service_.is_open()) {
            service_.fill(states, trips, monotonic_now().ns);
        }
    }
    host::Reading read() {
        if (processors_.is_open()) {
            processors_.fill();
        }
        host::Reading reading = host::read_host();
        reading.reader = static_cast<std::uint32_t>(getpid());
        return reading;
    }

  private:
    Result<cells::Folder> folder_;
    metrics::Processors processors_;
    ring::ServiceCells service_;
};

}  // namespace kymo::cli
