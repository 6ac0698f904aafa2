// The profile of pprof: profile.proto, compressed by gzip (github.com/google/pprof, proto/profile.proto, 2024).
//
// Three values a sample: ns on a processor, ns off it, and samples taken there. Labels divide a call path by
// thread, state, what the thread waited for, and the thread that held it.
#include "view/exports/gzip.h"
#include "view/exports/run.h"

#include <array>
#include <fmt/format.h>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <unordered_map>

namespace kymo::view {
namespace {

using namespace spacetime;

// Field numbers of the messages.
enum class ProfileField : std::uint32_t {
    kSampleType = 1,
    kSample = 2,
    kMapping = 3,
    kLocation = 4,
    kFunction = 5,
    kString = 6,
    kTime = 9,
    kDuration = 10,
    kPeriodType = 11,
    kPeriod = 12,
    kComment = 13,
    kDefaultSampleType = 14
};
enum class TypeField : std::uint32_t { kType = 1, kUnit = 2 };
enum class SampleField : std::uint32_t { kLocation = 1, kValue = 2, kLabel = 3 };
enum class LabelField : std::uint32_t { kKey = 1, kText = 2, kNumber = 3 };
enum class MappingField : std::uint32_t {
    kId = 1,
    kFile = 5,
    kHasFunctions = 7,
    kHasFiles = 8,
    kHasLines = 9,
    kHasInlined = 10
};
enum class LocationField : std::uint32_t { kId = 1, kMapping = 2, kLine = 4 };
enum class LineField : std::uint32_t { kFunction = 1, kLine = 2 };
enum class FunctionField : std::uint32_t { kId = 1, kName = 2, kSystemName = 3, kFile = 4, kLine = 5 };

template <typename Field>
protozero::pbf_tag_type tag(Field field) {
    return static_cast<protozero::pbf_tag_type>(field);
}

// The key that separates samples of one call path.
struct SampleKey {
    CallNodeIndex node;
    std::uint32_t thread = 0;
    ThreadState state = ThreadState::kOff;
    recording::WaitKind wait{};
    std::uint64_t holder = 0;
    auto operator<=>(const SampleKey&) const = default;
};

struct Values {
    std::int64_t processor = 0;
    std::int64_t off = 0;
    std::int64_t samples = 0;
};

class PprofWriter {
  public:
    PprofWriter(const ExportRun& run, Output& out) : run_(run), out_(out) { (void)text(""); }

    void write(const std::map<SampleKey, Values>& samples) {
        types();
        locations();
        for (const auto& [key, values] : samples) {
            sample(key, values);
        }
        out_.finish();
    }

  private:
    // Messages are written as they are made: their order in a file has no meaning.
    template <typename Fill>
    void message(ProfileField field, Fill&& fill) {
        std::string bytes;
        protozero::pbf_writer writer(bytes);
        {
            protozero::pbf_writer inner(writer, tag(field));
            fill(inner);
        }
        out_.write(bytes);
    }
    void number(ProfileField field, std::int64_t value) {
        std::string bytes;
        protozero::pbf_writer(bytes).add_int64(tag(field), value);
        out_.write(bytes);
    }

    // The number of a text in the table, which is written as it grows.
    std::int64_t text(const std::string& of) {
        const auto [at, is_new] = texts_.try_emplace(of, static_cast<std::int64_t>(texts_.size()));
        if (is_new) {
            std::string bytes;
            protozero::pbf_writer(bytes).add_string(tag(ProfileField::kString), of);
            out_.write(bytes);
        }
        return at->second;
    }

    void value_type(ProfileField field, const char* type, const char* unit) {
        const std::int64_t type_text = text(type);
        const std::int64_t unit_text = text(unit);
        message(field, [&](protozero::pbf_writer& to) {
            to.add_int64(tag(TypeField::kType), type_text);
            to.add_int64(tag(TypeField::kUnit), unit_text);
        });
    }

    void types() {
        value_type(ProfileField::kSampleType, "cpu", "nanoseconds");
        value_type(ProfileField::kSampleType, "off-cpu", "nanoseconds");
        value_type(ProfileField::kSampleType, "samples", "count");
        number(ProfileField::kDefaultSampleType, text("cpu"));
        const Profile& profile = run_.profile;
        number(ProfileField::kTime, static_cast<std::int64_t>(profile.started_realtime_ns));
        number(ProfileField::kDuration, static_cast<std::int64_t>(run_.duration));
        if (const std::uint64_t period = clock_period(profile); period != 0) {
            value_type(ProfileField::kPeriodType, "cpu", "nanoseconds");
            number(ProfileField::kPeriod, static_cast<std::int64_t>(period));
        }
        number(ProfileField::kComment, text("kymo export --to pprof"));
    }

    std::uint64_t mapping(const std::string& module) {
        const auto [at, is_new] = mappings_.try_emplace(module, mappings_.size() + 1);
        if (is_new) {
            const std::int64_t name = text(module);
            message(ProfileField::kMapping, [&](protozero::pbf_writer& to) {
                to.add_uint64(tag(MappingField::kId), at->second);
                to.add_int64(tag(MappingField::kFile), name);
                for (const auto has : {MappingField::kHasFunctions, MappingField::kHasFiles, MappingField::kHasLines,
                                       MappingField::kHasInlined}) {
                    to.add_bool(tag(has), true);
                }
            });
        }
        return at->second;
    }

    void function(std::uint32_t number, const program::Function& of) {
        const std::int64_t name = text(of.name);
        const std::int64_t file = text(run_.tree.symbols.files[of.file]);
        message(ProfileField::kFunction, [&](protozero::pbf_writer& to) {
            to.add_uint64(tag(FunctionField::kId), number);
            to.add_int64(tag(FunctionField::kName), name);
            to.add_int64(tag(FunctionField::kSystemName), name);
            to.add_int64(tag(FunctionField::kFile), file);
            to.add_int64(tag(FunctionField::kLine), of.line);
        });
    }

    // A location is a function at a line; call nodes share them.
    void locations() {
        const CallTree& tree = run_.tree;
        std::vector<bool> known(tree.symbols.functions.size());
        std::map<std::array<std::uint32_t, 2>, std::uint64_t> numbers;
        location_of_.resize(tree.nodes.size());
        for (CallNodeIndex node(1); raw(node) < tree.nodes.size(); node = CallNodeIndex(raw(node) + 1)) {
            const std::uint32_t function_number = node.in(tree.nodes).function;
            const std::uint32_t line = run_.line_of(node);
            const auto [at, is_new] = numbers.try_emplace({function_number, line}, numbers.size() + 1);
            const std::uint64_t number = at->second;
            location_of_[raw(node)] = number;
            if (!is_new) {
                continue;
            }
            const program::Function& of = run_.function_of(node);
            if (!known[function_number]) {
                known[function_number] = true;
                function(function_number + 1, of);
            }
            const std::uint64_t module = mapping(of.module);
            message(ProfileField::kLocation, [&](protozero::pbf_writer& to) {
                to.add_uint64(tag(LocationField::kId), number);
                to.add_uint64(tag(LocationField::kMapping), module);
                protozero::pbf_writer inner(to, tag(LocationField::kLine));
                inner.add_uint64(tag(LineField::kFunction), function_number + 1);
                inner.add_int64(tag(LineField::kLine), line);
            });
        }
    }

    void label(protozero::pbf_writer& to, std::int64_t key, std::int64_t value, LabelField kind) {
        protozero::pbf_writer inner(to, tag(SampleField::kLabel));
        inner.add_int64(tag(LabelField::kKey), key);
        inner.add_int64(tag(kind), value);
    }

    void sample(const SampleKey& key, const Values& values) {
        std::vector<std::uint64_t> path;  // innermost first
        for (CallNodeIndex at = key.node; at != CallNodeIndex(0); at = at.in(run_.tree.nodes).parent) {
            path.push_back(location_of_[raw(at)]);
        }
        const std::uint32_t process = run_.threads()[key.thread].process;
        std::vector<std::pair<std::int64_t, std::int64_t>> texts = {
            {text("thread"), text(run_.thread_name(key.thread))},
            {text("process"), text(run_.process_name(process))},
            {text("state"), text(std::string(state_word(key.state)))}};
        if (key.wait != recording::WaitKind{}) {
            texts.emplace_back(text("wait"), text(wait_kind_key(key.wait)));
        }
        const std::int64_t tid = text("tid");
        const std::int64_t holder = key.holder == 0 ? 0 : text("holder-tid");
        const std::array<std::int64_t, 3> all = {values.processor, values.off, values.samples};
        message(ProfileField::kSample, [&](protozero::pbf_writer& to) {
            to.add_packed_uint64(tag(SampleField::kLocation), path.begin(), path.end());
            to.add_packed_int64(tag(SampleField::kValue), all.begin(), all.end());
            for (const auto& [name, value] : texts) {
                label(to, name, value, LabelField::kText);
            }
            label(to, tid, static_cast<std::int64_t>(run_.threads()[key.thread].tid), LabelField::kNumber);
            if (holder != 0) {
                label(to, holder, static_cast<std::int64_t>(key.holder), LabelField::kNumber);
            }
        });
    }

    const ExportRun& run_;
    GzipOutput out_;
    std::unordered_map<std::string, std::int64_t> texts_;
    std::map<std::string, std::uint64_t> mappings_;
    std::vector<std::uint64_t> location_of_;
};

Result<void> write_pprof(const recording::Recording& recording, const ExportOptions& options, Output& out) {
    const auto run = load_export_run(recording, options, Findings::kNone);
    if (!run) {
        return run.error();
    }
    std::map<SampleKey, Values> samples;
    struct Last {
        SampleKey key;
        Values* values = nullptr;
    };
    std::vector<Last> last(run->threads().size());  // a thread stays where it is for many pieces
    const auto key_of = [&](const Piece& piece) {
        const ThreadWait* const wait = wait_of(*run, piece);
        return SampleKey{run->call_node(piece.node), piece.thread, piece.state,
                         wait == nullptr ? recording::WaitKind{} : wait->kind,
                         wait == nullptr ? 0 : wait->holder_tid};
    };
    const auto walked = walk_run(
        *run, {},
        [&](const Piece& piece) {
            const SampleKey key = key_of(piece);
            Last& before = last[piece.thread];
            if (before.values == nullptr || before.key != key) {
                before = {key, &samples[key]};
            }
            (is_on_processor(piece.state) ? before.values->processor : before.values->off) +=
                static_cast<std::int64_t>(piece.end - piece.begin);
        },
        [&](const PieceSample& sample) {
            if (!sample.is_own_work) {
                const SampleKey key{run->call_node(sample.node), sample.thread, ThreadState::kUser, {}, 0};
                ++samples[key].samples;
            }
        });
    if (!walked) {
        return walked.error();
    }
    PprofWriter(*run, out).write(samples);
    return {};
}

}  // namespace

extern const Export kPprof{
    .name = "pprof",
    .what = "processor time, time off it and samples, by thread, state and wait: go tool pprof, pprof, Polar Signals",
    .is_binary = true,
    .write = write_pprof,
};

}  // namespace kymo::view
