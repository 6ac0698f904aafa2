// What programs are told of the GPU, and the job that the parent gives them. The calls themselves are tested by
// programs (tests/programs/gpu/host).
#include "gpu/cudart/job.h"
#include "gpu/cudart/properties.h"

#include <array>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::gpu::cudart {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kRoom = 2048;
using Structure = std::array<std::uint8_t, kRoom>;

Structure properties(const Gpu& gpu, PropertiesLayout layout) {
    Structure bytes;
    bytes.fill(0xAA);
    const std::size_t end = write_properties(gpu, layout, bytes);
    EXPECT_GT(end, 600U);
    for (std::size_t i = end; i < kRoom; ++i) {
        EXPECT_EQ(bytes[i], 0xAA) << "behind the fields, at " << i;
    }
    return bytes;
}

template <typename T>
T at(const Structure& bytes, std::size_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

// Offsets of CUDA 13's structure as the compiler lays it out (cuda_runtime_api.h of 13.0).
TEST(Properties, LieWhereCuda13HasThem) {
    const auto gpu = load_gpu("h100-pcie");
    ASSERT_TRUE(gpu);
    const Structure told = properties(*gpu, PropertiesLayout::kVersion13);
    EXPECT_STREQ(reinterpret_cast<const char*>(told.data()), "NVIDIA H100 PCIe");
    EXPECT_EQ(at<std::uint64_t>(told, 288), 80ULL << 30U);  // totalGlobalMem
    EXPECT_EQ(at<std::uint64_t>(told, 296), 48U * 1024);    // sharedMemPerBlock
    EXPECT_EQ(at<int>(told, 308), 32);                      // warpSize
    EXPECT_EQ(at<int>(told, 320), 1024);                    // maxThreadsPerBlock
    EXPECT_EQ(at<int>(told, 336), 0x7FFF'FFFF);             // maxGridSize
    EXPECT_EQ(at<std::uint64_t>(told, 352), 65536U);        // totalConstMem
    EXPECT_EQ(at<int>(told, 360), 9);                       // major
    EXPECT_EQ(at<int>(told, 364), 0);                       // minor
    EXPECT_EQ(at<int>(told, 384), 114);                     // multiProcessorCount
    EXPECT_EQ(at<int>(told, 392), 1);                       // canMapHostMemory
    EXPECT_EQ(at<std::uint64_t>(told, 552), 512U);          // surfaceAlignment
    EXPECT_EQ(at<int>(told, 560), 1);                       // concurrentKernels
    EXPECT_EQ(at<int>(told, 588), 1);                       // unifiedAddressing
    EXPECT_EQ(at<int>(told, 596), 50 << 20);                // l2CacheSize
    EXPECT_EQ(at<int>(told, 604), 2048);                    // maxThreadsPerMultiProcessor
    EXPECT_EQ(at<std::uint64_t>(told, 624), 228U * 1024);   // sharedMemPerMultiprocessor
    EXPECT_EQ(at<int>(told, 632), 65536);                   // regsPerMultiprocessor
    EXPECT_EQ(at<int>(told, 636), 1);                       // managedMemory
    EXPECT_EQ(at<std::uint64_t>(told, 672), 227U * 1024);   // sharedMemPerBlockOptin
    EXPECT_EQ(at<int>(told, 688), 32);                      // maxBlocksPerMultiProcessor
    EXPECT_EQ(at<std::uint64_t>(told, 696), 1024U);         // reservedSharedMemPerBlock
    EXPECT_EQ(at<int>(told, 704), 1);                       // hostRegisterSupported
}

// CUDA 12's has the clock between the grid and the constants, and the SMs behind deviceOverlap.
TEST(Properties, LieWhereCuda12HasThem) {
    const auto gpu = load_gpu("a100-pcie");
    ASSERT_TRUE(gpu);
    for (const auto layout : {PropertiesLayout::kVersion11, PropertiesLayout::kVersion12}) {
        const Structure told = properties(*gpu, layout);
        EXPECT_EQ(at<int>(told, 348), static_cast<int>(gpu->boost.mhz * 1000));  // clockRate, kHz
        EXPECT_EQ(at<std::uint64_t>(told, 352), 65536U);                         // totalConstMem
        EXPECT_EQ(at<int>(told, 360), 8);                                        // major
        EXPECT_EQ(at<int>(told, 388), 108);                                      // multiProcessorCount
        EXPECT_EQ(at<int>(told, 616), 40 << 20);                                 // l2CacheSize
        EXPECT_EQ(at<int>(told, 624), 2048);                                     // maxThreadsPerMultiProcessor
    }
}

TEST(Properties, ClockAndWidthOfTheMemoryMakeItsBandwidth) {
    const auto gpu = load_gpu("h100-pcie");
    ASSERT_TRUE(gpu);
    const double khz = *device_attribute(*gpu, 36);
    const double bits = *device_attribute(*gpu, 37);
    EXPECT_NEAR(2 * khz * 1e3 * bits / 8 * 1e-9, gpu->dram_bandwidth, 0.001 * gpu->dram_bandwidth);
}

TEST(Properties, AttributesAgreeWithTheStructure) {
    const auto gpu = load_gpu("rtx2080ti");
    ASSERT_TRUE(gpu);
    EXPECT_EQ(device_attribute(*gpu, 75), 7);
    EXPECT_EQ(device_attribute(*gpu, 76), 5);
    EXPECT_EQ(device_attribute(*gpu, 16), 68);
    EXPECT_EQ(device_attribute(*gpu, 10), 32);
    EXPECT_EQ(device_attribute(*gpu, 95), 0);  // cooperative launches are not served
    EXPECT_EQ(device_attribute(*gpu, 0), std::nullopt);
    EXPECT_EQ(device_attribute(*gpu, 100000), std::nullopt);
}

TEST(Job, IsReadAsItWasWritten) {
    JobOptions options;
    options.gpu = "h100-sxm";
    options.settings = {"l2.size=2x", "sm.count=4"};
    options.profiled = true;
    options.exact = true;
    options.period = 64;
    options.recording = "/somewhere/out.kymo";
    options.traces = "/somewhere/traces";
    options.text_traces = true;
    options.machine_code = true;
    const auto back = job_options(to_json(options).dump());
    ASSERT_TRUE(back) << back.error().what;
    EXPECT_EQ(to_json(*back), to_json(options));
}

TEST(Job, SaysWhatIsWrongWithIt) {
    EXPECT_FALSE(job_options(""));
    EXPECT_FALSE(job_options("[]"));
    const auto missing = job_options("{\"gpu\": 3}");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().what, HasSubstr("job.json"));
}

}  // namespace
}  // namespace kymo::gpu::cudart
