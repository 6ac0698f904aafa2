// A model's result as `kymo gpu run --json` prints it (docs/gpu-model.md).
#pragma once

#include "gpu/model/result.h"
#include "gpu/report/findings.h"

#include <nlohmann/json.hpp>

namespace kymo::gpu {

nlohmann::ordered_json to_json(const KernelResult& result);
nlohmann::ordered_json to_json(const Finding& finding, const KernelResult& result);

}  // namespace kymo::gpu
