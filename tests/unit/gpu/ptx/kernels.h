// Running kernels in tests: device arrays, parameters in order, made-up values, comparison bit for bit.
#pragma once

#include "gpu/ptx/execute.h"
#include "gpu/ptx/parse.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
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
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            std::copy(before[i].begin(), before[i].end(), arrays_[i].first);
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
