// The tables of a pprof profile, by which its samples name their frames (profile.proto of github.com/google/pprof).
//
// Texts and messages stay where they are in the profile's bytes, which must outlive the tables. Any bytes are safe: a
// number that no entry has leads to an empty one.
#pragma once

#include "import/named/facts.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace kymo::import::named {

// What a label of a sample says; labels of other kinds are passed over.
enum class LabelKind : std::uint8_t { kOther, kProcess, kThread, kThreadName, kProcessor, kEndTime };

struct PprofMapping {
    std::uint64_t id = 0;
    std::string_view file;
    bool is_kernel = false;
};

struct PprofFunction {
    std::uint64_t id = 0;
    std::string_view name;
    std::string_view file;
};

struct PprofLine {
    std::uint64_t function = 0;  // id
    std::uint32_t line = 0;
};

struct PprofLocation {
    std::uint64_t id = 0;
    std::uint64_t mapping = 0;  // id
    std::uint64_t address = 0;
    std::uint32_t first_line = 0;  // of lines(), innermost first
    std::uint32_t line_count = 0;
};

class PprofTables {
  public:
    static constexpr std::size_t kMostEntries = std::size_t{1} << 22;  // of each table
    static constexpr std::size_t kMostLines = 1'024;                   // of a location
    static constexpr std::size_t kMostTypes = 64;                      // values of a sample
    static constexpr std::size_t kMostTextBytes = 4'096;               // of what becomes a fact

    // Reads all but the samples. Cost: one pass over the bytes, and sorting. Memory: at most 64 bytes an entry.
    explicit PprofTables(std::span<const std::uint8_t> profile);

    // Adds events, period and times.
    void describe(Facts& to) const;

    [[nodiscard]] std::size_t type_count() const { return types_.size(); }
    // Of the label whose key is this text.
    [[nodiscard]] LabelKind label_kind(std::int64_t key) const;
    [[nodiscard]] std::string_view text(std::int64_t index) const;
    [[nodiscard]] const PprofLocation& location(std::uint64_t id) const;
    [[nodiscard]] const PprofMapping& mapping(std::uint64_t id) const;
    [[nodiscard]] const PprofFunction& function(std::uint64_t id) const;
    [[nodiscard]] std::span<const PprofLine> lines(const PprofLocation& of) const {
        return std::span(lines_).subspan(of.first_line, of.line_count);
    }

    [[nodiscard]] bool is_cut() const { return is_cut_; }  // the bytes end, or are damaged, in a message
    [[nodiscard]] std::uint64_t malformed() const { return malformed_; }  // entries
    [[nodiscard]] bool is_full() const { return is_full_; }               // a limit was reached

  private:
    struct Type {
        std::int64_t name = 0;
        std::int64_t unit = 0;
    };
    // Entries as they come, before the texts are known.
    struct Texts {
        std::int64_t name = 0;
        std::int64_t system_name = 0;
        std::int64_t file = 0;
    };

    void read(std::span<const std::uint8_t> profile);
    Type read_type(std::span<const std::uint8_t> message);
    void add_mapping(std::span<const std::uint8_t> message);
    void add_function(std::span<const std::uint8_t> message);
    // each_field(); counts a message that is damaged.
    template <typename Take>
    void read_fields(std::span<const std::uint8_t> message, Take&& take);
    void add_location(std::span<const std::uint8_t> message);
    void resolve_texts();
    [[nodiscard]] Event event(const Type& type) const;

    std::vector<std::string_view> texts_;
    std::vector<LabelKind> label_kinds_;  // of each text as a label's key
    std::vector<Type> types_;
    std::vector<PprofMapping> mappings_;
    std::vector<std::int64_t> mapping_texts_;
    std::vector<PprofFunction> functions_;
    std::vector<Texts> function_texts_;
    std::vector<PprofLocation> locations_;
    std::vector<PprofLine> lines_;
    Type period_type_;
    std::int64_t period_ = 0;
    std::int64_t wall_ns_ = 0;
    std::int64_t duration_ns_ = 0;
    std::int64_t default_type_ = 0;
    bool has_end_times_ = false;
    bool is_cut_ = false;
    bool is_full_ = false;
    std::uint64_t malformed_ = 0;
};

}  // namespace kymo::import::named
