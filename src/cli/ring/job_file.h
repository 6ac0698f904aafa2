// A job's file as the command line has it: made from --hosts, read from --job, and what this host is called in it.
#pragma once

#include "base/result.h"
#include "ring/transport/host_list.h"

#include <string>

namespace kymo::cli {

// Where agents and the manager listen unless their entry says otherwise: below what systems give to clients.
inline constexpr std::uint16_t kAgentPort = 27800;
inline constexpr std::uint16_t kManagerPort = 27801;

// The hosts of `list`, and where they listen: [NAME=]HOST[:PORT] with commas between, or a file of one a line (what
// stands behind a blank or # counts for nothing). Names are looked up here. kUsage, kNotFound.
Result<std::vector<ring::ListedHost>> listed_hosts(const std::string& list);

// tcp://ADDRESS:PORT of HOST[:PORT]. kUsage, kNotFound.
Result<std::string> listed_endpoint(const std::string& host, std::uint16_t port);

// Writes `path`, 0600. kOutputExists: it is there; kPermission.
Result<void> write_job(const std::string& path, const ring::ListedJob& job);

// Of `path`, or standard input where it is -. kPermission: others may read it. kNotFound, kMalformed.
Result<ring::ListedJob> read_job(const std::string& path);

// Which of the list's this host is: by its name, or the first part of it, or one of its addresses; empty: none.
std::string own_name_in(const ring::ListedJob& job, const std::string& host_name);

}  // namespace kymo::cli
