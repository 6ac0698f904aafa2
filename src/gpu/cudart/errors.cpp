// The last error, and errors' names.
#include "gpu/cudart/device.h"

#include <array>

namespace kymo::gpu::cudart {
namespace {

struct Name {
    Status status;
    const char* name;
    const char* text;
};

constexpr std::array<Name, 29> kNames = {{
    {Status::kSuccess, "cudaSuccess", "no error"},
    {Status::kInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {Status::kMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {Status::kInitialization, "cudaErrorInitializationError", "initialization error"},
    {Status::kInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {Status::kInvalidPitch, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {Status::kInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {Status::kInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {Status::kInvalidDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {Status::kInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {Status::kNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {Status::kInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {Status::kInvalidKernelImage, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    {Status::kNoKernelImage, "cudaErrorNoKernelImageForDevice", "no kernel image is available for this device"},
    {Status::kInvalidPtx, "cudaErrorInvalidPtx", "a PTX compilation failed"},
    {Status::kInvalidHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {Status::kNotFound, "cudaErrorSymbolNotFound", "named symbol not found"},
    {Status::kNotReady, "cudaErrorNotReady", "device not ready"},
    {Status::kIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {Status::kOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {Status::kTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {Status::kPeerAccessNotEnabled, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {Status::kAssertion, "cudaErrorAssert", "device-side assert triggered"},
    {Status::kHostRegistered, "cudaErrorHostMemoryAlreadyRegistered", "this memory is registered already"},
    {Status::kHostNotRegistered, "cudaErrorHostMemoryNotRegistered", "this memory is not registered"},
    {Status::kMisaligned, "cudaErrorMisalignedAddress", "misaligned address"},
    {Status::kLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {Status::kNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {Status::kUnknown, "cudaErrorUnknown", "unknown error"},
}};

const Name* name_of(Status status) {
    for (const Name& name : kNames) {
        if (name.status == status) {
            return &name;
        }
    }
    return nullptr;
}

Status last(bool forget) {
    const std::lock_guard<std::recursive_mutex> guard(Device::lock());
    const Device* const device = Device::get();
    Status& remembered = Device::last_error();
    // A kernel's fault stays.
    const Status status = device != nullptr && device->failed != Status::kSuccess ? device->failed : remembered;
    if (forget) {
        remembered = Status::kSuccess;
    }
    return status;
}

}  // namespace

KYMO_CUDART Status cudaGetLastError() {
    return last(true);
}
KYMO_CUDART Status cudaPeekAtLastError() {
    return last(false);
}

KYMO_CUDART const char* cudaGetErrorName(Status status) {
    const Name* const name = name_of(status);
    return name != nullptr ? name->name : "unrecognized error code";
}

KYMO_CUDART const char* cudaGetErrorString(Status status) {
    const Name* const name = name_of(status);
    return name != nullptr ? name->text : "unrecognized error code";
}

}  // namespace kymo::gpu::cudart
