#include "live/request.h"

#include "ring/answers/answer.h"

namespace kymo::live {
namespace {

Asked make(Resource kind, ResourceLevel level, std::uint64_t number, std::string_view metric) {
    Asked asked{{kind, level, number, std::string(metric)}, {}};
    asked.entry.kind = static_cast<std::uint8_t>(kind);
    asked.entry.level = static_cast<std::uint8_t>(level);
    asked.entry.metric = ring::metric_code(asked.entry.kind, metric);
    asked.entry.number = number;
    return asked;
}

}  // namespace

std::vector<Asked> standard_request() {
    std::vector<Asked> all;
    const auto add = [&all](Resource kind, std::initializer_list<std::string_view> metrics) {
        for (const std::string_view metric : metrics) {
            all.push_back(make(kind, ResourceLevel::kSystem, 0, metric));
        }
    };
    add(Resource::kTask, {"user", "system", "lock-wait", "wait", "voluntary-switches", "involuntary-switches",
                          "minor-faults", "major-faults"});
    add(Resource::kProcessor, {"busy", "idle", "io-wait", "steal"});
    add(Resource::kChannel, {"messages", "bytes", "blocked", "service-sent", "service-received", "service-sent-bytes",
                             "service-received-bytes", "service-wait", "service-open"});
    return all;
}

Result<Asked> parse_asked(const std::string& text) {
    std::string numbered = text;
    const std::size_t star = text.find("/*/");
    if (star != std::string::npos) {
        numbered.replace(star + 1, 1, "0");
    }
    const auto address = parse_address(numbered);
    if (!address || (star != std::string::npos && text.substr(star + 3) != address->metric)) {
        return Error{ErrorKind::kUsage, "'" + text + "' is not a valid metric address",
                     "KIND/LEVEL/NUMBER/METRIC, for example task/host/*/user or processor/host/1/processor/0/busy"};
    }
    Asked asked = make(address->kind, address->level, star != std::string::npos ? ring::kEvery : address->number,
                       address->metric);
    if (address->host || address->process) {
        asked.address.host = address->host;
        asked.address.process = address->process;
        const ring::EntryNumber number{star != std::string::npos ? ring::EntryNumber::kAll : address->number,
                                       address->process.value_or(0), address->host.value_or(0)};
        if (!number.has_room()) {
            return Error{ErrorKind::kUsage, "'" + text + "' has a number that no host, process or object can have",
                         "hosts are below 2^20, all others below 2^22"};
        }
        asked.entry.of = static_cast<std::uint16_t>((address->host ? ring::kOfHost : 0) |
                                                    (address->process ? ring::kOfProcess : 0));
        asked.entry.number = number.packed();
    }
    return asked;
}

std::string to_text(const Asked& asked) {
    std::string text = to_text(asked.address);
    if (asked.address.number == ring::kEvery) {
        const std::string number = std::to_string(ring::kEvery);
        text.replace(text.find(number), number.size(), "*");
    }
    return text;
}

}  // namespace kymo::live
