// Running kernels in tests: device arrays, parameters in order, made-up values, comparison bit for bit.
#pragma once

#include "gpu/ptx/execute/execute.h"
#include "gpu/ptx/parse/parse.h"
#include "gpu/ptx/schedule/ptxas.h"
#include "gpu/trace/warp_code.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <random>
#include <span>

namespace kymo::gpu::ptx {

// Parameters one after another, each at a multiple of its size, as launches pass them.
class Parameters {
  public:
    template <typename T>
    Parameters& add(T value) {
        bytes_.resize((bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
        const auto* const from = reinterpret_cast<const std::uint8_t*>(&value);
        bytes_.insert(bytes_.end(), from, from + sizeof(T));
        return *this;
    }
    std::vector<std::uint8_t> bytes() const { return bytes_; }

  private:
    std::vector<std::uint8_t> bytes_;
};

// What ptxas makes of the module's file; null: there is no ptxas, or it is no file of this project's.
inline const sass::CubinCode* machine_code_of(LoadedModule& module) {
    static std::map<std::string, std::optional<sass::CubinCode>> known;
    const std::string name = std::filesystem::path(module.module().name).filename();
    const auto [at, is_new] = known.try_emplace(name);
    const auto path = std::filesystem::path(KYMO_GPU_KERNELS) / name;
    if (is_new && std::filesystem::is_regular_file(path) && !find_ptxas().empty()) {
        std::ifstream in(path, std::ios::binary);
        auto made = assemble({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()},
                             std::max(80U, module.module().target));
        EXPECT_TRUE(made.ok()) << (made ? "" : made.error().what);
        if (made) {
            at->second = std::move(*made);
        }
    }
    return at->second ? &*at->second : nullptr;
}

// A launch's accesses to global and shared memory, by warp, in no order.
struct Accesses {
    std::vector<std::string> writes;  // stores and atomics, their lanes and addresses
    std::vector<std::string> reads;   // words that a lane loads, each once
    std::size_t loads = 0;
};

inline Accesses accesses_of(LoadedModule& module, const char* kernel, const Launch& launch) {
    Accesses made;
    auto execution = module.launch(kernel, launch);
    EXPECT_TRUE(execution.ok()) << (execution ? "" : execution.error().what);
    while (execution) {
        const auto cta = (*execution)->next_cta();
        if (!cta || !*cta) {
            EXPECT_TRUE(cta.ok());
            break;
        }
        for (const WarpTrace& warp : (**cta).warps) {
            WarpCursor cursor((*execution)->program(), warp);
            const std::string who = std::to_string((**cta).index.x) + "," + std::to_string((**cta).index.y) +
                                    " warp " + std::to_string(warp.id);
            while (cursor.next()) {
                const gpu::Op& op = (*execution)->program()[cursor.index()].op;
                LaneAddresses lanes;
                if (!cursor.has_addresses() || !cursor.addresses(lanes) || op.space == Space::kConstant) {
                    continue;
                }
                std::string text = who + (op.atomic ? " atomic" : " store");
                for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
                    const bool is_on = (cursor.mask() >> lane & 1U) != 0;
                    text += is_on ? " " + std::to_string(lanes.of[lane]) : " -";
                    for (unsigned byte = 0; is_on && op.load && !op.atomic && byte < op.bytes; byte += 4) {
                        made.reads.push_back(who + " lane " + std::to_string(lane) + " at " +
                                             std::to_string(lanes.of[lane] + byte));
                    }
                }
                op.load && !op.atomic ? static_cast<void>(++made.loads) : made.writes.push_back(std::move(text));
            }
            EXPECT_FALSE(cursor.broken());
        }
    }
    std::sort(made.writes.begin(), made.writes.end());
    std::sort(made.reads.begin(), made.reads.end());
    made.reads.erase(std::unique(made.reads.begin(), made.reads.end()), made.reads.end());
    return made;
}

// How many of the one are not in the other, and the first of them; empty: none.
inline std::string only_in(const std::vector<std::string>& one, const std::vector<std::string>& other) {
    std::vector<std::string> missing;
    std::set_difference(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(missing));
    return missing.empty() ? ""
                           : std::to_string(missing.size()) + " of " + std::to_string(one.size()) + ": " + missing[0];
}

// Where the machine code can be joined, it writes what the PTX writes and reads what the PTX reads; ptxas may have
// made one load of several.
inline void expect_same_accesses(const std::string& kernel, const Accesses& ptx, const Accesses& code) {
    EXPECT_EQ(only_in(ptx.writes, code.writes), "") << kernel << ": only in the PTX";
    EXPECT_EQ(only_in(code.writes, ptx.writes), "") << kernel << ": only in the machine code";
    EXPECT_EQ(only_in(ptx.reads, code.reads), "") << kernel << ": only in the PTX";
    EXPECT_EQ(only_in(code.reads, ptx.reads), "") << kernel << ": only in the machine code";
    EXPECT_LE(code.loads, ptx.loads) << kernel;
}

// Kernels that the machine code of cannot be joined, and why.
inline bool is_refused(const std::string& kernel, const std::string& why) {
    const auto says = [&](std::string_view what) { return why.find(what) != std::string::npos; };
    return says("calls functions") || says("accesses a matrix") || says("bulk copies") ||
           (kernel == "bitonic_sort" && says("a store or atomic) is not in the machine code"));  // one of two merged
}

class Device {
  public:
    explicit Device(std::shared_ptr<const Module> module) {
        auto loaded = LoadedModule::load(std::move(module), memory);
        EXPECT_TRUE(loaded.ok()) << (loaded ? "" : loaded.error().what);
        if (loaded) {
            module_ = std::move(*loaded);
        }
    }
    LoadedModule& module() { return *module_; }

    template <typename T>
    std::span<T> array(std::size_t count) {
        auto at = memory.allocate(count * sizeof(T));
        EXPECT_TRUE(at.ok());
        arrays_.emplace_back(reinterpret_cast<std::byte*>(*at), count * sizeof(T));
        return {reinterpret_cast<T*>(*at), count};
    }
    template <typename T>
    std::span<T> array(const std::vector<T>& values) {
        const std::span<T> made = array<T>(values.size());
        std::copy(values.begin(), values.end(), made.begin());
        return made;
    }

    Totals run(const char* kernel, Dim3 grid, Dim3 block, const Parameters& parameters,
               std::uint32_t dynamic_shared = 0) {
        auto totals = execute(*module_, kernel, {grid, block, dynamic_shared, parameters.bytes()});
        EXPECT_TRUE(totals.ok()) << (totals ? "" : totals.error().what);
        return totals ? *totals : Totals();
    }
    // With everything watched first, which must see nothing, then as run() does.
    Totals run_checked(const char* kernel, Dim3 grid, Dim3 block, const Parameters& parameters,
                       std::uint32_t dynamic_shared = 0) {
        std::vector<std::vector<std::byte>> before;
        for (const auto& [at, bytes] : arrays_) {
            before.emplace_back(at, at + bytes);
        }
        for (const Defect& defect : defects(kernel, grid, block, parameters, dynamic_shared)) {
            ADD_FAILURE() << defect.what;
        }
        const auto restore = [&] {
            for (std::size_t i = 0; i < arrays_.size(); ++i) {
                std::copy(before[i].begin(), before[i].end(), arrays_[i].first);
            }
        };
        restore();
        if (const auto* const code = machine_code_of(*module_); code != nullptr && code->contains(kernel)) {
            const Launch launch{grid, block, dynamic_shared, parameters.bytes()};
            const auto from_ptx = accesses_of(*module_, kernel, launch);
            restore();
            if (const auto joined = module_->use_machine_code(kernel, code->at(kernel))) {
                const auto from_code = accesses_of(*module_, kernel, launch);
                expect_same_accesses(kernel, from_ptx, from_code);
            } else {
                EXPECT_TRUE(is_refused(kernel, joined.error().what)) << joined.error().what;
            }
            restore();
        }
        return run(kernel, grid, block, parameters, dynamic_shared);
    }
    std::vector<Defect> defects(const char* kernel, Dim3 grid, Dim3 block, const Parameters& parameters,
                                std::uint32_t dynamic_shared = 0, Checks checks = {true, true}) {
        ExecuteOptions options;
        options.trace = false;
        options.checks = checks;
        auto execution = module_->launch(kernel, {grid, block, dynamic_shared, parameters.bytes()}, options);
        EXPECT_TRUE(execution.ok()) << (execution ? "" : execution.error().what);
        if (!execution) {
            return {};
        }
        const auto done = (*execution)->finish();
        EXPECT_TRUE(done.ok()) << (done ? "" : done.error().what);
        return (*execution)->defects();
    }
    std::string fault(const char* kernel, Dim3 grid, Dim3 block, const Parameters& parameters) {
        auto totals = execute(*module_, kernel, {grid, block, 0, parameters.bytes()});
        return totals ? std::string() : totals.error().what;
    }

    DeviceMemory memory;

  private:
    std::unique_ptr<LoadedModule> module_;
    std::vector<std::pair<std::byte*, std::size_t>> arrays_;
};

inline std::shared_ptr<const Module> kernels(const std::string& file) {
    auto module = parse_file(std::filesystem::path(KYMO_GPU_KERNELS) / (file + ".ptx"));
    EXPECT_TRUE(module.ok()) << (module ? "" : module.error().what);
    return module ? *module : std::make_shared<const Module>();
}

inline std::vector<float> numbers(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> between(-1.0F, 1.0F);
    std::vector<float> values(count);
    std::generate(values.begin(), values.end(), [&] { return between(random); });
    return values;
}

inline std::vector<int> integers(std::size_t count, int least, int most, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> between(least, most);
    std::vector<int> values(count);
    std::generate(values.begin(), values.end(), [&] { return between(random); });
    return values;
}

template <typename T>
void expect_equal(std::span<const T> got, const std::vector<T>& wanted) {
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(0, std::memcmp(&got[i], &wanted[i], sizeof(T)))
            << "at " << i << ": " << +got[i] << " for " << +wanted[i];
    }
}

// A sum of products as the compiled loop makes it: each fused with the sum so far.
inline float dot(std::size_t count, float start, const std::function<std::pair<float, float>(std::size_t)>& factors) {
    for (std::size_t k = 0; k < count; ++k) {
        const auto [a, b] = factors(k);
        start = std::fma(a, b, start);
    }
    return start;
}

}  // namespace kymo::gpu::ptx
