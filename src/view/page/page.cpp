#include "view/page/page.h"

#include "recording/tables/memory.h"
#include "view/channels.h"
#include "view/hunt_results.h"
#include "view/page/address_map.h"
#include "view/page/blob.h"
#include "view/page/code.h"
#include "view/page/findings.h"
#include "view/page/flows.h"
#include "view/page/leaves.h"
#include "view/page/levels.h"
#include "view/page/memory_tracks.h"
#include "view/page/occurrences.h"
#include "view/page/own_lines.h"
#include "view/page/series.h"
#include "view/page/tables.h"
#include "view/page/waits.h"
#include "view/sections/shown_account.h"
#include "view/verdict.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;

constexpr std::string_view kDataMark = "<!--KYMO-DATA-->";
constexpr std::string_view kMoreMark = "<!--KYMO-MORE-->";
constexpr std::size_t kMostWaits = 50'000;
constexpr std::size_t kMostAreas = 5000;  // of a process
constexpr std::size_t kFewestOccurrences = 1000;
constexpr std::size_t kMostAccountRows = 12;
constexpr std::uint64_t kFewestBins = 2048;
constexpr std::uint64_t kMostBins = 65536;
constexpr std::uint64_t kExcerptBins = 1024;  // no more than pixels: each is known from some of its samples
// An excerpt's page queries its server for the whole recording; all other pages fetch nothing.
constexpr std::string_view kAsksNobody = "default-src 'none'";
constexpr std::string_view kAsksServer = "default-src 'none'; connect-src 'self'";

// Events that the page can tint by: those that counted anything, except the clocks, which time itself shows.
std::vector<std::size_t> counted_events(const Profile& profile, const CallTree& tree) {
    std::vector<std::size_t> events;
    for (std::size_t event = 0; event < profile.events.size(); ++event) {
        const std::string& name = profile.events[event].name;
        if (profile.events[event].unit != "ns" && name != "task-clock" && name != "cpu-clock" &&
            tree.total[0][kFirstEvent + event] != 0) {
            events.push_back(event);
        }
    }
    return events;
}

std::string element(std::string_view id, const std::string& deflated) {
    // Neither base64 nor our ids contain markup.
    return fmt::format("<script type=\"application/x-kymo\" id=\"{}\">{}</script>\n", id, base64(deflated));
}

// The page's blobs but `head`, in their order.
struct Elements {
    std::vector<std::string> ids;
    std::string first;
    std::string others;

    void add(std::string id, const std::string& deflated) {
        (ids.empty() ? first : others) += element(id, deflated);
        ids.push_back(std::move(id));
    }
};

// The page's script lies between `before` and `behind`, so that it runs before the browser has parsed the latter.
std::optional<std::string> fill_shell(std::string_view shell, const std::string& before, const std::string& behind) {
    const std::size_t data = shell.find(kDataMark);
    const std::size_t more = shell.find(kMoreMark);
    if (data == std::string_view::npos || more == std::string_view::npos || more < data) {
        return std::nullopt;
    }
    std::string page(shell.substr(0, data));
    page += before;
    page += shell.substr(data + kDataMark.size(), more - data - kDataMark.size());
    page += behind;
    page += shell.substr(more + kMoreMark.size());
    return page;
}

Json page_account(const Account& account) {
    Json rows = Json::array();
    for (const ShownAccountRow& row : shown_account(account, kMostAccountRows)) {
        rows.push_back({{"what", shown_text(row.what)},
                        {"where", shown_text(row.where)},
                        {"held_by", shown_text(row.held_by)},
                        {"ns", row.ns},
                        {"shorter_ns", row.shorter_ns}});
    }
    return {{"ns", account.total_ns}, {"rows", std::move(rows)}};
}

// Marks the page of an excerpt. Counts of samples, or views of single ones, are not in it.
void write_excerpt(const Profile& profile, Blob& head) {
    head.json["excerpt"] = {{"read", profile.quality.samples}, {"of", profile.excerpt_of}};
    head.json["verdict"] = "";
    for (const char* const none : {"alarms", "sentences", "notes"}) {
        head.json[none] = Json::array();
    }
    head.json["account"] = page_account({});
    head.json["waits"]["all"] = 0;
    head.json["run"].erase("asked_hz");
    head.json["run"].erase("delivered_hz");
}

// Fewer of them if they would take more bytes than allowed.
std::string occurrences_within(const analysis::Analysis& analysis, const Leaves& leaves, const TimeRange& range,
                               const PageOptions& options) {
    for (std::size_t most = options.most_occurrences;; most = most * 2 / 3) {
        std::string deflated =
            make_occurrences(analysis.evidence, analysis.profile, analysis.named.tree, leaves, range, most)
                .deflated();
        if (deflated.size() <= options.occurrence_bytes || most < kFewestOccurrences) {
            return deflated;
        }
    }
}

bool has_unavailable(const Profile& profile, std::string_view what) {
    return std::any_of(profile.unavailable.begin(), profile.unavailable.end(),
                       [what](const UnavailableInfo& info) { return info.what == what; });
}

}  // namespace

Result<std::string> make_page(const analysis::Analysis& analysis, std::string_view shell,
                              const PageOptions& options) {
    const Profile& profile = analysis.profile;
    const std::uint64_t duration = std::max<std::uint64_t>(profile.end - profile.begin, 1);
    TimeRange range{0, duration};
    if (options.range) {
        range = {std::min(options.range->begin, duration - 1),
                 std::clamp<std::uint64_t>(options.range->end, 1, duration)};
        range.end = std::max(range.end, range.begin + 1);
    }
    const std::uint64_t span = range.end - range.begin;
    Leaves leaves = make_leaves(profile, analysis.named.tree, analysis.named.requests, options.most_nodes);
    const std::vector<OwnLine> own = own_lines(profile, analysis.named.tree, analysis.named.requests, leaves);
    const std::vector<std::size_t> events = counted_events(profile, analysis.named.tree);
    const std::uint64_t samples = profile.quality.samples;
    const bool is_excerpt = profile.excerpt_of != 0;
    const std::uint64_t bins =
        is_excerpt
            ? kExcerptBins
            : std::clamp(samples / std::max<std::uint64_t>(profile.threads.size(), 1) * 4, kFewestBins, kMostBins);
    TimePassOptions asked{.range = range, .width = std::max<std::uint64_t>(span / bins, 1), .events = events};
    // The share of the samples in the range is not known before; twice the even share is allowed.
    const double share = static_cast<double>(span) / static_cast<double>(duration);
    asked.single_pieces =
        !is_excerpt && share * static_cast<double>(samples) <= static_cast<double>(options.most_pieces);
    auto pass = run_time_pass(*analysis.recording, profile, leaves, asked);
    if (!pass) {
        return pass.error();
    }

    Blob head;
    write_run(profile, analysis.named.tree, head);
    head.json["verdict"] = shown_text(verdict(analysis.judgement, analysis.evidence.account));
    head.json["account"] = page_account(analysis.evidence.account);
    head.json["alarms"] = alarms(profile, analysis.judgement);
    write_threads(profile, analysis.named.tree, analysis.named.names(), head);
    NameTable names(analysis.named.tree, profile);
    write_tree(analysis.named.tree, leaves, names, head);
    write_own_lines(own, head);
    write_waits(profile, leaves, range, is_excerpt ? 0 : kMostWaits, head);
    write_flows(profile, analysis.flows.arrows, range, is_excerpt ? 0 : kMostWaits, head);
    head.json["range"] = {range.begin, range.end};
    if (options.served) {
        head.json["served"] = {{"look", options.served->look}, {"is_growing", options.served->is_growing}};
    }
    head.json["states"] = {"user", "system", "ready", "waiting", "off", "paused", "spinning"};
    head.json["counted"] = events;
    head.json["metrics"] = page_series(analysis.metrics, profile.begin);
    head.json["memory"] = page_memory(profile, analysis.memory);
    if (!analysis.memory.why_not.empty() && !has_unavailable(profile, recording::kMemoryOverTime)) {
        head.json["unavailable"].push_back({recording::kMemoryOverTime, analysis.memory.why_not, ""});
    }
    head.json["channels"] = page_channels(analysis.metrics);
    head.json["editor_link"] = options.editor_link;
    head.json["hosts"] = page_hosts(analysis.metrics, profile.begin);

    Elements elements;
    const auto levels = pack_pass(
        std::move(*pass), {.most_cells = options.most_cells, .most_bytes = options.level_bytes, .duration = span});
    nlohmann::ordered_json& listed = head.json["levels"] = nlohmann::ordered_json::array();
    for (std::size_t level = 0; level < levels.size(); ++level) {
        const std::string id = "level-" + std::to_string(level);
        listed.push_back({{"id", id}, {"width", levels[level].width}, {"cells", levels[level].cells}});
        elements.add(id, levels[level].deflated);
    }
    head.json["findings"] = page_findings(analysis.evidence, analysis.judgement, profile,
                                          page_nodes(analysis.evidence, analysis.named.tree, leaves));
    head.json["hunt"] = json_hunt(analysis.hunt_results);
    head.json["finds"] = json_hunt_results(analysis.hunt_results);
    elements.add("occurrences", occurrences_within(analysis, leaves, range, options));
    const auto memory = load_address_map(*analysis.recording);
    if (memory && !memory->processes.empty()) {
        Blob blob;
        write_address_map(*memory, profile, kMostAreas, blob);
        elements.add("address_map", blob.deflated());
    }
    if (options.sources) {
        elements.add("code", make_code(profile, analysis.named.tree, leaves, own, names,
                                       {.bytes = options.source_bytes,
                                        .whole_file_bytes = options.whole_sources ? options.whole_source_bytes : 0})
                                 .deflated());
    }
    names.write(head);
    if (is_excerpt) {
        write_excerpt(profile, head);
    }
    head.json["blobs"] = elements.ids;
    // The first picture needs the head and the coarsest level alone.
    std::optional<std::string> page =
        fill_shell(shell, element("head", head.deflated()) + elements.first, elements.others);
    if (!page) {
        return Error{ErrorKind::kMalformed, "this build's page has no place for data", "build Kymo again"};
    }
    if (const std::size_t policy = page->find(kAsksNobody); is_excerpt && policy != std::string::npos) {
        page->replace(policy, kAsksNobody.size(), kAsksServer);
    }
    return std::move(*page);
}

}  // namespace kymo::view
