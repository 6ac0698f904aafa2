#include "view/page/cells.h"

#include <algorithm>

namespace kymo::view {

ThreadCells::Open& ThreadCells::cell(std::uint64_t bin, std::uint32_t key) {
    for (Open& open : open_) {
        if (open.key == key && open.bin == bin) {
            return open;
        }
    }
    open_.push_back({bin, key, 0, std::vector<std::uint64_t>(level_.events.size())});
    return open_.back();
}

void ThreadCells::flush_before(std::uint64_t bin) {
    const bool nothing = std::none_of(open_.begin(), open_.end(), [&](const Open& open) { return open.bin < bin; });
    if (nothing) {
        return;
    }
    std::sort(open_.begin(), open_.end(),
              [](const Open& a, const Open& b) { return a.bin != b.bin ? a.bin < b.bin : a.key < b.key; });
    std::size_t done = 0;
    for (; done < open_.size() && open_[done].bin < bin; ++done) {
        const Open& open = open_[done];
        level_.bin.push_back(open.bin);
        level_.key.push_back(open.key);
        level_.ns.push_back(open.ns);
        for (std::size_t event = 0; event < open.values.size(); ++event) {
            level_.events[event].push_back(open.values[event]);
        }
    }
    open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(done));
}

void ThreadCells::add(std::uint64_t begin, std::uint64_t end, std::uint32_t key) {
    flush_before(begin / level_.width);
    while (begin < end) {
        const std::uint64_t bin = begin / level_.width;
        const std::uint64_t until = std::min(end, (bin + 1) * level_.width);
        cell(bin, key).ns += until - begin;
        begin = until;
        if (begin < end) {
            flush_before(bin);  // a long piece leaves full bins behind it
        }
    }
}

void ThreadCells::count(std::uint64_t begin, std::uint64_t end, std::uint32_t key,
                        std::span<const std::uint64_t> values) {
    const std::uint64_t first = begin / level_.width;
    const std::uint64_t last = end > begin ? (end - 1) / level_.width : first;
    flush_before(first);
    for (std::size_t event = 0; event < values.size(); ++event) {
        if (values[event] == 0) {
            continue;
        }
        const double per_ns = end > begin ? static_cast<double>(values[event]) / static_cast<double>(end - begin) : 0;
        std::uint64_t given = 0;
        for (std::uint64_t bin = first; bin <= last; ++bin) {
            const std::uint64_t until = std::min(end, (bin + 1) * level_.width);
            const auto due = bin == last
                                 ? values[event]
                                 : std::min(values[event],
                                            static_cast<std::uint64_t>(per_ns * static_cast<double>(until - begin)));
            cell(bin, key).values[event] += due - std::min(given, due);
            given = std::max(given, due);
        }
    }
}

CellLevel ThreadCells::finish() {
    flush_before(~std::uint64_t{0});
    level_.first = {0, level_.size()};
    return std::move(level_);
}

CellLevel join(std::span<const CellLevel> threads, std::uint64_t width, std::size_t events) {
    CellLevel out(width, events);
    out.first.push_back(0);
    for (const CellLevel& thread : threads) {
        out.bin.insert(out.bin.end(), thread.bin.begin(), thread.bin.end());
        out.key.insert(out.key.end(), thread.key.begin(), thread.key.end());
        out.ns.insert(out.ns.end(), thread.ns.begin(), thread.ns.end());
        for (std::size_t event = 0; event < events && event < thread.events.size(); ++event) {
            out.events[event].insert(out.events[event].end(), thread.events[event].begin(),
                                     thread.events[event].end());
        }
        out.first.push_back(out.size());
    }
    return out;
}

namespace {

// The cells of one bin of a thread.
struct BinCells {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint64_t known = 0;  // ns
    std::uint64_t all = 0;
};

BinCells bin_at(const CellLevel& level, std::size_t begin, std::size_t end, std::uint32_t unknown) {
    BinCells bin{.begin = begin, .end = begin};
    for (; bin.end < end && level.bin[bin.end] == level.bin[begin]; ++bin.end) {
        bin.all += level.ns[bin.end];
        bin.known += state_of(level.key[bin.end]) == unknown ? 0 : level.ns[bin.end];
    }
    return bin;
}

// `share` of what is known as the cells of bin number `bin`, `all` ns together.
void put_stretched(const CellLevel& level, const BinCells& share, std::uint64_t bin, std::uint64_t all,
                   std::uint32_t unknown, CellLevel* out) {
    const double factor = static_cast<double>(all) / static_cast<double>(share.known);
    std::uint64_t passed = 0;
    std::uint64_t given = 0;
    for (std::size_t cell = share.begin; cell < share.end; ++cell) {
        if (state_of(level.key[cell]) == unknown) {
            continue;
        }
        passed += level.ns[cell];
        const std::uint64_t due =
            passed == share.known ? all : static_cast<std::uint64_t>(static_cast<double>(passed) * factor);
        out->bin.push_back(bin);
        out->key.push_back(level.key[cell]);
        out->ns.push_back(due - given);
        given = due;
        for (std::size_t event = 0; event < level.events.size(); ++event) {
            out->events[event].push_back(
                static_cast<std::uint64_t>(static_cast<double>(level.events[event][cell]) * factor));
        }
    }
}

}  // namespace

CellLevel fill_unknown(const CellLevel& level, std::uint32_t unknown) {
    CellLevel out(level.width, level.events.size());
    out.first.push_back(0);
    for (std::size_t thread = 0; thread + 1 < level.first.size(); ++thread) {
        BinCells last;
        for (std::size_t begin = level.first[thread]; begin < level.first[thread + 1];) {
            BinCells bin = bin_at(level, begin, level.first[thread + 1], unknown);
            last = bin.known != 0 ? bin : last;
            if (last.known != 0) {
                put_stretched(level, last, level.bin[begin], bin.all, unknown, &out);
            } else {
                bin.known = bin.all;
                put_stretched(level, bin, level.bin[begin], bin.all, kNoState, &out);
            }
            begin = bin.end;
        }
        out.first.push_back(out.size());
    }
    return out;
}

CellLevel coarser(const CellLevel& level, std::uint64_t factor) {
    CellLevel out(level.width * factor, level.events.size());
    out.first.push_back(0);
    std::vector<std::uint32_t> order;
    for (std::size_t thread = 0; thread + 1 < level.first.size(); ++thread) {
        for (std::size_t begin = level.first[thread], end = begin; begin < level.first[thread + 1]; begin = end) {
            const std::uint64_t bin = level.bin[begin] / factor;
            order.clear();
            for (; end < level.first[thread + 1] && level.bin[end] / factor == bin; ++end) {
                order.push_back(static_cast<std::uint32_t>(end - begin));
            }
            std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
                return level.key[begin + a] < level.key[begin + b];
            });
            const std::size_t row = out.size();
            for (const std::uint32_t at : order) {
                const std::size_t cell = begin + at;
                if (out.size() == row || out.key.back() != level.key[cell]) {
                    out.bin.push_back(bin);
                    out.key.push_back(level.key[cell]);
                    out.ns.push_back(0);
                    for (auto& column : out.events) {
                        column.push_back(0);
                    }
                }
                out.ns.back() += level.ns[cell];
                for (std::size_t event = 0; event < out.events.size(); ++event) {
                    out.events[event].back() += level.events[event][cell];
                }
            }
        }
        out.first.push_back(out.size());
    }
    return out;
}

}  // namespace kymo::view
