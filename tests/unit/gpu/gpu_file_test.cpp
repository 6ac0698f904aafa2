#include "gpu/gpu_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kymo::gpu {
namespace {

using testing::HasSubstr;

TEST(GpuFile, AllBuiltInGpusAreWhole) {
    EXPECT_GE(built_in_gpus().size(), 4U);
    for (const BuiltInGpu& built_in : built_in_gpus()) {
        const auto gpu = load_gpu(built_in.name);
        ASSERT_TRUE(gpu) << gpu.error().what;
        EXPECT_EQ(gpu->name, built_in.name);
    }
    EXPECT_EQ(load_gpu("a100-pcie")->sms, 108);
    EXPECT_THAT(load_gpu("a101").error().next, HasSubstr("a100-pcie"));
}

std::string changed(const char* key, const char* field, const nlohmann::json& value) {
    auto json = nlohmann::json::parse(built_in_gpus()[0].json);
    json["parameters"][key][field] = value;
    return json.dump();
}

TEST(GpuFile, SaysWhichKeyIsWrong) {
    EXPECT_THAT(parse_gpu("[", "f").error().what, HasSubstr("not a JSON object"));
    EXPECT_THAT(parse_gpu(changed("l2.size", "value", -1), "f").error().what,
                HasSubstr("parameters[\"l2.size\"] = -1"));
    EXPECT_THAT(parse_gpu(changed("l2.size", "value", "big"), "f").error().what, HasSubstr("l2.size\"].value"));
    EXPECT_THAT(parse_gpu(changed("l2.size", "unit", "MB"), "f").error().what, HasSubstr(".unit must be \"bytes\""));
    EXPECT_THAT(parse_gpu(changed("l2.size", "source", "hearsay"), "f").error().what, HasSubstr(".source"));
    EXPECT_THAT(parse_gpu(changed("l2.colour", "value", 1), "f").error().what,
                HasSubstr("l2.colour\"] is not known"));
    auto json = nlohmann::json::parse(built_in_gpus()[0].json);
    json["parameters"].erase("dram.latency");
    EXPECT_THAT(parse_gpu(json.dump(), "f").error().what, HasSubstr("dram.latency\"] is missing"));
}

TEST(GpuFile, SetsAndMultiplies) {
    auto gpu = load_gpu("a100-pcie");
    ASSERT_TRUE(gpu);
    const double before = gpu->l2_size;
    ASSERT_TRUE(set_parameter(*gpu, "l2.size=2x"));
    EXPECT_EQ(gpu->l2_size, 2 * before);
    ASSERT_TRUE(set_parameter(*gpu, "sm.count=64"));
    EXPECT_EQ(gpu->sms, 64);
    EXPECT_THAT(set_parameter(*gpu, "l2.siez=2x").error().next, HasSubstr("l2.size"));
    EXPECT_FALSE(set_parameter(*gpu, "l2.size"));
    EXPECT_FALSE(set_parameter(*gpu, "l2.size=x"));
    EXPECT_FALSE(set_parameter(*gpu, "sm.count=0"));
    EXPECT_FALSE(set_parameter(*gpu, "l2.latency=100x"));  // longer than the DRAM's
}

}  // namespace
}  // namespace kymo::gpu
