// A job's file: made from a list of hosts, written, read, and this host's name in it.
#pragma once

#include "base/result.h"
#include "ring/transport/host_list.h"

#include <string>

namespace kymo::ring {

// Ports of agents and the manager unless their entry names one: below those that systems give to clients.
inline constexpr std::uint16_t kAgentPort = 27800;
inline constexpr std::uint16_t kManagerPort = 27801;

// The hosts of `list`, and their endpoints: [NAME=]HOST[:PORT] with commas between, or a file with one a line (text
// behind a blank or # is ignored). Names are looked up here. kUsage, kNotFound.
Result<std::vector<ListedHost>> listed_hosts(const std::string& list);

// tcp://ADDRESS:PORT of HOST[:PORT]. kUsage, kNotFound.
Result<std::string> listed_endpoint(const std::string& host, std::uint16_t port);

// Writes `path`, 0600. kOutputExists: it exists; kPermission.
Result<void> write_job(const std::string& path, const ListedJob& job);

// Reads `path`, or standard input if it is -. kPermission: others may read it. kNotFound, kMalformed.
Result<ListedJob> read_job(const std::string& path);

// This host's entry in the list: by its name, or the first part of it, or one of its addresses; empty: none.
std::string own_name_in(const ListedJob& job, const std::string& host_name);

}  // namespace kymo::ring
