// Keeps what a reading delivers.
#pragma once

#include "base/descriptor.h"
#include "import/perf/perf_file.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace kymo::import::perf {

struct SeenSample {
    Sample sample;  // without its spans
    std::vector<CounterValue> reads;
    std::vector<std::uint64_t> callchain;
    std::vector<Branch> branches;
    std::vector<std::uint64_t> branch_counters;
    std::vector<std::uint64_t> user_registers;
    std::vector<std::uint64_t> interrupted_registers;
    std::vector<std::uint8_t> user_stack;
};

struct SeenMapping {
    Mapping mapping;
    std::string path;
    std::vector<std::uint8_t> build_id;
};

template <typename T>
struct Named {
    T record;
    std::string name;
};

struct SeenNamespaces {
    Namespaces record;
    std::vector<Namespace> links;
};

class Collector : public Visitor {
  public:
    FileFacts at_begin;
    std::vector<Attribute> attributes;
    std::vector<std::pair<std::string, std::uint64_t>> order;  // kinds and times
    std::vector<SeenSample> samples;
    std::vector<SeenMapping> mappings;
    std::vector<Named<Comm>> comms;
    std::vector<Fork> forks;
    std::vector<Exit> exits;
    std::vector<Switch> switches;
    std::vector<Lost> losts;
    std::vector<Throttle> throttles;
    std::vector<Named<KernelSymbol>> symbols;
    std::vector<Named<Cgroup>> cgroups;
    std::vector<SeenNamespaces> spaces;

    Result<void> begin(const FileFacts& facts, std::span<const Attribute> all) override {
        EXPECT_TRUE(order.empty());
        at_begin = facts;
        attributes.assign(all.begin(), all.end());
        return {};
    }
    void sample(const Sample& from) override {
        order.emplace_back("sample", from.time);
        samples.push_back({from, copy(from.reads), copy(from.callchain), copy(from.branches),
                           copy(from.branch_counters), copy(from.user_registers.values),
                           copy(from.interrupted_registers.values), copy(from.user_stack)});
    }
    void mapping(const Mapping& from) override {
        order.emplace_back("mapping", from.time);
        mappings.push_back({from, std::string(from.path), copy(from.build_id)});
    }
    void comm(const Comm& from) override {
        order.emplace_back("comm", from.time);
        comms.push_back({from, std::string(from.name)});
    }
    void fork(const Fork& from) override {
        order.emplace_back("fork", from.time);
        forks.push_back(from);
    }
    void exit(const Exit& from) override {
        order.emplace_back("exit", from.time);
        exits.push_back(from);
    }
    void context_switch(const Switch& from) override {
        order.emplace_back("switch", from.time);
        switches.push_back(from);
    }
    void lost(const Lost& from) override {
        order.emplace_back("lost", from.time);
        losts.push_back(from);
    }
    void throttle(const Throttle& from) override {
        order.emplace_back("throttle", from.time);
        throttles.push_back(from);
    }
    void kernel_symbol(const KernelSymbol& from) override {
        order.emplace_back("symbol", from.time);
        symbols.push_back({from, std::string(from.name)});
    }
    void cgroup(const Cgroup& from) override {
        order.emplace_back("cgroup", from.time);
        cgroups.push_back({from, std::string(from.path)});
    }
    void namespaces(const Namespaces& from) override {
        order.emplace_back("namespaces", from.time);
        spaces.push_back({from, copy(from.links)});
    }

  private:
    template <typename T>
    static std::vector<T> copy(std::span<const T> from) {
        return {from.begin(), from.end()};
    }
};

// A file in memory, gone with it.
class TestFile {
  public:
    explicit TestFile(const std::vector<std::uint8_t>& bytes) : file_(::memfd_create("perf.data", MFD_CLOEXEC)) {
        path_ = "/proc/self/fd/" + std::to_string(file_.number());
        std::ofstream(path_, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    Descriptor file_;
    std::filesystem::path path_;
};

inline Result<FileFacts> read_bytes(const std::vector<std::uint8_t>& bytes, Visitor& visitor) {
    const TestFile file(bytes);
    return read_perf_data(file.path(), visitor);
}

// Of a file that can be read.
inline FileFacts collect(const std::vector<std::uint8_t>& bytes, Collector& to) {
    auto facts = read_bytes(bytes, to);
    EXPECT_TRUE(facts.ok()) << (facts.ok() ? "" : facts.error().what);
    return facts.ok() ? std::move(*facts) : FileFacts();
}

}  // namespace kymo::import::perf
