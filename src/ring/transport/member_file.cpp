#include "ring/transport/member_file.h"

#include "base/line_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace kymo::ring {
namespace {

constexpr std::string_view kFirstLine = "kymo-ring 1";
constexpr std::size_t kMaxLines = 16;
constexpr std::size_t kKeyLength = 40;

using Words = std::map<std::string_view, std::string_view>;

std::optional<Words> words_of(std::string_view text) {
    if (text.size() > kMaxMemberFile || take_until(text, '\n') != kFirstLine) {
        return std::nullopt;
    }
    Words words;
    while (!text.empty()) {
        std::string_view line = take_until(text, '\n');
        const std::string_view word = take_until(line, ' ');
        const bool printable = std::all_of(line.begin(), line.end(), [](char c) { return c > ' ' && c < 0x7F; });
        if (word.empty() || line.empty() || !printable || words.size() >= kMaxLines ||
            !words.emplace(word, line).second) {
            return std::nullopt;
        }
    }
    return words;
}

std::string_view get(const Words& words, std::string_view word) {
    const auto found = words.find(word);
    return found == words.end() ? std::string_view() : found->second;
}

}  // namespace

bool is_endpoint(std::string_view text) {
    constexpr std::string_view kScheme = "tcp://";
    const std::size_t colon = text.rfind(':');
    std::uint16_t port = 0;
    if (!text.starts_with(kScheme) || text.size() > 128 || colon <= kScheme.size() ||
        !parse_decimal(text.substr(colon + 1), port, 65535) || port == 0) {
        return false;
    }
    const std::string_view host = text.substr(kScheme.size(), colon - kScheme.size());
    return std::all_of(host.begin(), host.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

bool is_member_name(std::string_view name) {
    return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
               c == '_';
    });
}

std::string to_text(const JobFile& job) {
    if (job.plain) {
        return fmt::format("{}\njob {}\nheartbeat {}\nplain yes\n", kFirstLine, job.job, job.heartbeat_ms);
    }
    return fmt::format("{}\njob {}\nheartbeat {}\npublic {}\nsecret {}\n", kFirstLine, job.job, job.heartbeat_ms,
                       job.keys.public_key, job.keys.secret_key);
}

std::string to_text(const MemberFile& member) {
    return fmt::format("{}\nslot {}\nincarnation {}\nname {}\nendpoint {}\n", kFirstLine, member.slot,
                       member.incarnation, member.name, member.endpoint);
}

std::optional<JobFile> parse_job(std::string_view text) {
    const auto words = words_of(text);
    JobFile job;
    if (!words || !parse_decimal(get(*words, "job"), job.job) ||
        !parse_decimal(get(*words, "heartbeat"), job.heartbeat_ms, kMaxHeartbeatMs) ||
        job.heartbeat_ms < kMinHeartbeatMs) {
        return std::nullopt;
    }
    job.plain = get(*words, "plain") == "yes";
    job.keys = {std::string(get(*words, "public")), std::string(get(*words, "secret"))};
    const std::size_t due = job.plain ? 0 : kKeyLength;
    return job.keys.public_key.size() == due && job.keys.secret_key.size() == due ? std::optional(job) : std::nullopt;
}

std::optional<MemberFile> parse_member(std::string_view text) {
    const auto words = words_of(text);
    MemberFile member;
    if (!words || !parse_decimal(get(*words, "slot"), member.slot) ||
        (member.slot >= kMaxSlots && member.slot != kManager) ||
        !parse_decimal(get(*words, "incarnation"), member.incarnation)) {
        return std::nullopt;
    }
    member.name = get(*words, "name");
    member.endpoint = get(*words, "endpoint");
    return is_member_name(member.name) && is_endpoint(member.endpoint) ? std::optional(member) : std::nullopt;
}

}  // namespace kymo::ring
