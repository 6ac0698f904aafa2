// Who gets the records of a perf.data file.
#pragma once

#include "base/result.h"
#include "import/perf/attribute.h"
#include "import/perf/facts.h"
#include "import/perf/records.h"

#include <span>

namespace kymo::import::perf {

// What is not overridden is passed over.
class Visitor {
  public:
    virtual ~Visitor() = default;

    // Once, before the file is read for the first time, with what its header says; not of files that were piped.
    virtual void header(const FileFacts&, std::span<const Attribute>) {}
    // Once, before all records. An error ends the reading and becomes its result. Both live as long as the reading.
    virtual Result<void> begin(const FileFacts&, std::span<const Attribute>) { return {}; }
    virtual void sample(const Sample&) {}
    virtual void mapping(const Mapping&) {}
    virtual void comm(const Comm&) {}
    virtual void fork(const Fork&) {}
    virtual void exit(const Exit&) {}
    virtual void context_switch(const Switch&) {}
    virtual void lost(const Lost&) {}
    virtual void throttle(const Throttle&) {}
    virtual void kernel_symbol(const KernelSymbol&) {}
    virtual void cgroup(const Cgroup&) {}
    virtual void namespaces(const Namespaces&) {}

    // Asked now and then; true ends the reading without an error.
    virtual bool enough() const { return false; }
};

}  // namespace kymo::import::perf
