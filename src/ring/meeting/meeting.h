// The common steps of agents and managers to enter the ring: the meeting place, channels.
#pragma once

#include "base/result.h"
#include "ring/transport/library.h"
#include "ring/transport/place.h"

#include <memory>
#include <string>

namespace kymo::ring {

struct MeetingOptions {
    std::string folder;   // the meeting place, or
    std::string job;      // the job's file; -: standard input
    std::string address;  // to listen at; empty: the job's, or the host's first that is not the loopback's
    bool plain = false;
    double heartbeat = 2;  // of a new job

    [[nodiscard]] bool are_given() const { return !folder.empty() || !job.empty(); }
    // As the user types it.
    [[nodiscard]] std::string text() const { return folder.empty() ? "--job " + job : "--rendezvous " + folder; }
};

struct Meeting {
    std::unique_ptr<Place> place;
    Claim claim;
    std::string name;
    std::unique_ptr<Channels> channels;
};

// An agent's place under that name (empty: this host's), and channels that the others know from then on.
Result<Meeting> meet_as_agent(const MeetingOptions& options, const std::string& name);
Result<Meeting> meet_as_manager(const MeetingOptions& options);

}  // namespace kymo::ring
