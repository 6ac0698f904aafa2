// The small files of a rendezvous folder: lines of a word, a blank and a value. A process that may write there has
// the job's key anyway; a reader still refuses other contents. Bounded: 4 KiB, 16 lines.
#pragma once

#include "ring/transport/channels.h"

#include <optional>
#include <string>
#include <string_view>

namespace kymo::ring {

inline constexpr std::size_t kMaxMemberFile = 4096;
inline constexpr std::uint32_t kMinHeartbeatMs = 100;
inline constexpr std::uint32_t kMaxHeartbeatMs = 600'000;

struct JobFile {
    std::uint64_t job = 0;
    bool plain = false;
    std::uint32_t heartbeat_ms = 2000;
    Keys keys;

    [[nodiscard]] JobSettings settings() const {
        JobSettings settings;
        settings.job = job;
        settings.heartbeat = Time{heartbeat_ms} * 1'000'000;
        return settings;
    }
};

struct MemberFile {
    Slot slot = 0;                  // kManager: the manager's
    std::uint64_t incarnation = 0;  // of the manager: its epoch
    std::string name;               // of the host, or the value of --name
    std::string endpoint;           // tcp://ADDRESS:PORT
};

std::string to_text(const JobFile& job);
std::string to_text(const MemberFile& member);
std::optional<JobFile> parse_job(std::string_view text);
std::optional<MemberFile> parse_member(std::string_view text);

// A valid name in such a file: 1 to 64 letters, digits, dots, dashes and underscores.
bool is_member_name(std::string_view name);
// tcp://ADDRESS:PORT.
bool is_endpoint(std::string_view text);

}  // namespace kymo::ring
