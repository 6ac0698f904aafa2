#include "view/counted_table.h"

#include "view/counted_occurrences.h"
#include "view/spaces/space_sheet.h"
#include "view/spaces/space_words.h"

#include <array>
#include <fmt/format.h>

namespace kymo::view {

using namespace spacetime;

namespace {

struct TermColumn {
    const char* heading;
    std::int64_t TimeTerms::* term;
};
constexpr std::array<TermColumn, 6> kTermColumns = {{{"user", &TimeTerms::user},
                                                     {"spinning", &TimeTerms::spinning},
                                                     {"system", &TimeTerms::system},
                                                     {"ready", &TimeTerms::run_queue},
                                                     {"waiting", &TimeTerms::waiting},
                                                     {"off", &TimeTerms::other}}};
constexpr std::int64_t kLeastShown = 1000;  // ns

class CountedTable {
  public:
    CountedTable(SpaceSheet& sheet, const findings::Finding& finding)
        : sheet_(sheet), occurrences_(counted_occurrences(sheet.evidence, finding)) {}

    void add() {
        if (occurrences_.kind == CountedKind::kNone) {
            return;
        }
        const std::vector<std::size_t> counted = longest_counted(sheet_.evidence, occurrences_, sheet_.options.top);
        const std::vector<std::size_t> others = some_others(occurrences_, counted.size());
        choose_terms(counted, others);
        const std::string name = telling_name(sheet_.evidence, occurrences_.node);
        sheet_.heading(occurrences_.kind == CountedKind::kAll ? "Occurrences" : "What it counted", title(name));
        rows(counted);
        sheet_.more(counted.size(), occurrences_.counted.size());
        if (!others.empty()) {
            sheet_.heading("For comparison", fmt::format("{} of the {} other {} of {}", others.size(),
                                                         count(static_cast<std::int64_t>(occurrences_.others.size())),
                                                         is_gaps() ? "gaps" : "occurrences", name));
            rows(others);
        }
    }

  private:
    bool is_gaps() const { return occurrences_.kind == CountedKind::kGaps; }

    std::string title(const std::string& name) const {
        const std::size_t number = occurrences_.counted.size();
        const std::string of = (is_gaps() ? quantity(number, "gap") : quantity(number, "occurrence")) + " of " + name;
        switch (occurrences_.kind) {
            case CountedKind::kAround:
                return of + " in or behind which it happened";
            case CountedKind::kAll:
                return "it is about all " + of;
            default:
                return of;
        }
    }

    // Terms that no row has would only take room.
    void choose_terms(const std::vector<std::size_t>& counted, const std::vector<std::size_t>& others) {
        for (const TermColumn& column : kTermColumns) {
            const auto has = [&](std::size_t row) {
                return counted_row(sheet_.evidence, occurrences_, row).terms.*column.term >= kLeastShown;
            };
            if (std::any_of(counted.begin(), counted.end(), has) || std::any_of(others.begin(), others.end(), has)) {
                terms_.push_back(column);
            }
        }
        fit_terms(counted);
    }

    // If not all have room: those with most of the time.
    void fit_terms(const std::vector<std::size_t>& counted) {
        constexpr std::size_t kOthers = 42;  // columns: indent, number, at, takes, thread
        constexpr std::size_t kTerm = 10;
        const std::size_t room = (sheet_.style.width - kOthers) / kTerm;
        while (terms_.size() > room) {
            const auto sum = [&](const TermColumn& column) {
                double all = 0;
                for (const std::size_t row : counted) {
                    all += static_cast<double>(counted_row(sheet_.evidence, occurrences_, row).terms.*column.term);
                }
                return all;
            };
            const auto least = std::min_element(terms_.begin(), terms_.end(),
                                                [&](const auto& a, const auto& b) { return sum(a) < sum(b); });
            left_out_ += (left_out_.empty() ? "" : ", ") + std::string(least->heading);
            terms_.erase(least);
        }
    }

    void rows(const std::vector<std::size_t>& list) {
        Table table;
        table.headings = {"number", "at", "takes"};
        for (const TermColumn& column : terms_) {
            table.headings.emplace_back(column.heading);
        }
        table.headings.emplace_back("thread");
        for (const std::size_t row : list) {
            const CountedRow one = counted_row(sheet_.evidence, occurrences_, row);
            std::vector<Cell> cells = {{count(static_cast<std::int64_t>(one.number))},
                                       {fmt::format("{:.3f} s", seconds(one.begin - sheet_.evidence.run.begin))},
                                       {sheet_.time(one.end - one.begin)}};
            for (const TermColumn& column : terms_) {
                cells.push_back({duration(sheet_.style, one.terms.*column.term)});
            }
            cells.push_back({sheet_.thread_name(one.thread), Ink::kName});
            table.rows.push_back(std::move(cells));
            table.notes.push_back(below(one));
        }
        sheet_.out += render(sheet_.style, table);
        if (!left_out_.empty()) {
            sheet_.out += wrap(sheet_.style, "  (no room here for " + left_out_ + ")", 0, 2);
        }
    }

    std::vector<std::string> below(const CountedRow& row) const {
        const auto name = [&](std::uint32_t neighbour, bool is_before) {
            return neighbour_name(sheet_.evidence, neighbour, occurrences_.node, is_before);
        };
        std::vector<std::string> between = {(is_gaps() ? "begins with " : "after ") + name(row.before, !is_gaps()),
                                            (is_gaps() ? "ends with " : "before ") + name(row.after, is_gaps())};
        std::vector<std::string> events;
        const std::vector<std::string>& counters = sheet_.evidence.run.counters;
        for (std::size_t i = 0; i < row.deltas.size() && i < counters.size(); ++i) {
            // The clocks' counts are in the terms already.
            if (row.deltas[i] != 0 && counters[i] != "task-clock" && counters[i] != "cpu-clock") {
                events.push_back(counters[i] + " " + count(row.deltas[i]));
            }
        }
        punctuate(between);
        punctuate(events);
        return join_phrases(std::move(between), std::move(events));
    }

    SpaceSheet& sheet_;
    CountedOccurrences occurrences_;
    std::vector<TermColumn> terms_;
    std::string left_out_;  // headings
};

}  // namespace

std::string terminal_counted(const Style& style, const Evidence& evidence, const findings::Finding& finding,
                             std::size_t top) {
    const ReportOptions options{.style = style, .top = top};
    SpaceSheet sheet{.evidence = evidence, .options = options, .style = options.style, .filter = {}};
    CountedTable(sheet, finding).add();
    return std::move(sheet.out);
}

}  // namespace kymo::view
