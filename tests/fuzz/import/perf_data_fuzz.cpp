// Any bytes as a perf.data file: it is refused, or its records come in time order and with no more than it has.
#include "base/descriptor.h"
#include "import/perf/perf_file.h"

#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace kymo::import::perf;

class Checker : public Visitor {
  public:
    kymo::Result<void> begin(const FileFacts&, std::span<const Attribute> all) override {
        events_ = all.size();
        return {};
    }
    void sample(const Sample& from) override {
        check(from);
        touch(from.reads);
        touch(from.callchain);
        touch(from.branches);
        touch(from.branch_counters);
        touch(from.user_registers.values);
        touch(from.interrupted_registers.values);
        touch(from.user_stack);
    }
    void mapping(const Mapping& from) override {
        check(from);
        touch(from.build_id);
        touch(std::span(from.path));
    }
    void comm(const Comm& from) override {
        check(from);
        touch(std::span(from.name));
    }
    void fork(const Fork& from) override { check(from); }
    void exit(const Exit& from) override { check(from); }
    void context_switch(const Switch& from) override { check(from); }
    void lost(const Lost& from) override { check(from); }
    void throttle(const Throttle& from) override { check(from); }
    void kernel_symbol(const KernelSymbol& from) override {
        check(from);
        touch(std::span(from.name));
    }
    void cgroup(const Cgroup& from) override {
        check(from);
        touch(std::span(from.path));
    }
    void namespaces(const Namespaces& from) override {
        check(from);
        touch(from.links);
    }

  private:
    void check(const Origin& from) {
        if (from.time < time_ || from.attribute >= events_) {
            std::abort();
        }
        time_ = from.time;
    }
    // Reads all bytes, which the address sanitizer watches.
    template <typename T>
    void touch(std::span<const T> part) {
        for (const std::uint8_t byte :
             std::span(reinterpret_cast<const std::uint8_t*>(part.data()), part.size_bytes())) {
            sum_ = sum_ + byte;
        }
    }

    std::size_t events_ = 0;
    std::uint64_t time_ = 0;
    volatile std::uint64_t sum_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const kymo::Descriptor file(::memfd_create("perf.data", MFD_CLOEXEC));
    if (::write(file.number(), data, size) != static_cast<ssize_t>(size)) {
        std::abort();
    }
    Checker checker;
    const auto facts = read_perf_data("/proc/self/fd/" + std::to_string(file.number()), checker);
    if (!facts && facts.error().what.empty()) {
        std::abort();
    }
    return 0;
}
