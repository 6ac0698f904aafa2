// Streams and events. Everything runs at its call and in the order of the calls, so waiting is never needed. An
// event contains the modelled clock at its record, and the time between two events is what the GPU would take for
// the launches between them.
#include "gpu/cudart/device.h"

#include <memory>
#include <unordered_map>

namespace kymo::gpu::cudart {

struct Stream {
    unsigned flags = 0;
    int priority = 0;
};

struct Event {
    unsigned flags = 0;
    bool recorded = false;
    double at_us = 0;
};

namespace {

constexpr unsigned kNoTiming = 2;  // cudaEventDisableTiming
constexpr int kGreatestPriority = -5;

template <typename Object>
std::unordered_map<const Object*, std::unique_ptr<Object>>& all() {
    static auto* const objects = new std::unordered_map<const Object*, std::unique_ptr<Object>>;
    return *objects;
}

template <typename Object>
Status make(Object** made, Object value) {
    if (made == nullptr) {
        return Status::kInvalidValue;
    }
    auto object = std::make_unique<Object>(value);
    *made = object.get();
    all<Object>().emplace(*made, std::move(object));
    return Status::kSuccess;
}

template <typename Object>
Object* find(const Object* handle) {
    const auto found = all<Object>().find(handle);
    return found != all<Object>().end() ? found->second.get() : nullptr;
}

// 0, 1 and 2 are the default streams: of the device, of the old kind, of the thread.
bool is_stream(const Stream* stream) {
    return reinterpret_cast<std::uintptr_t>(stream) <= 2 || find(stream) != nullptr;
}

Status of_stream(const Stream* stream) {
    return call([&](Device&) { return is_stream(stream) ? Status::kSuccess : Status::kInvalidHandle; });
}

Status of_event(const Event* event) {
    return call([&](Device&) { return find(event) != nullptr ? Status::kSuccess : Status::kInvalidHandle; });
}

template <typename Value>
Status of_stream(const Stream* stream, Value* told, Value Stream::* member) {
    return call([&](Device&) {
        if (told == nullptr || !is_stream(stream)) {
            return told == nullptr ? Status::kInvalidValue : Status::kInvalidHandle;
        }
        const Stream* const made = find(stream);
        *told = made != nullptr ? made->*member : Value{};
        return Status::kSuccess;
    });
}

}  // namespace

KYMO_CUDART Status cudaStreamCreateWithPriority(Stream** stream, unsigned flags, int priority) {
    return call([&](Device&) { return make(stream, Stream{flags, priority}); });
}

KYMO_CUDART Status cudaStreamCreateWithFlags(Stream** stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

KYMO_CUDART Status cudaStreamCreate(Stream** stream) {
    return cudaStreamCreateWithPriority(stream, 0, 0);
}

KYMO_CUDART Status cudaStreamDestroy(Stream* stream) {
    return call(
        [&](Device&) { return all<Stream>().erase(stream) != 0 ? Status::kSuccess : Status::kInvalidHandle; });
}

KYMO_CUDART Status cudaStreamSynchronize(Stream* stream) {
    return of_stream(stream);
}
KYMO_CUDART_ALSO(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);

KYMO_CUDART Status cudaStreamQuery(Stream* stream) {
    return of_stream(stream);
}
KYMO_CUDART_ALSO(cudaStreamQuery_ptsz, cudaStreamQuery);

KYMO_CUDART Status cudaStreamWaitEvent(Stream* stream, Event* event, unsigned) {
    const Status status = of_stream(stream);
    return status == Status::kSuccess ? of_event(event) : status;
}
KYMO_CUDART_ALSO(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);

KYMO_CUDART Status cudaStreamGetFlags(Stream* stream, unsigned* flags) {
    return of_stream(stream, flags, &Stream::flags);
}
KYMO_CUDART_ALSO(cudaStreamGetFlags_ptsz, cudaStreamGetFlags);

KYMO_CUDART Status cudaStreamGetPriority(Stream* stream, int* priority) {
    return of_stream(stream, priority, &Stream::priority);
}
KYMO_CUDART_ALSO(cudaStreamGetPriority_ptsz, cudaStreamGetPriority);

KYMO_CUDART Status cudaStreamIsCapturing(Stream* stream, int* status) {
    const Status known = of_stream(stream);
    if (known == Status::kSuccess && status != nullptr) {
        *status = 0;
    }
    return known;
}
KYMO_CUDART_ALSO(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);

KYMO_CUDART Status cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return call([&](Device&) {
        if (least != nullptr) {
            *least = 0;
        }
        if (greatest != nullptr) {
            *greatest = kGreatestPriority;
        }
        return Status::kSuccess;
    });
}

// What the host does between launches: now, since everything before has ended. Outside the lock, as it may wait for
// another thread that calls CUDA.
KYMO_CUDART Status cudaLaunchHostFunc(Stream* stream, void (*function)(void*), void* data) {
    const Status status = function == nullptr ? Status::kInvalidValue : of_stream(stream);
    if (status == Status::kSuccess) {
        function(data);
    }
    return status;
}
KYMO_CUDART_ALSO(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);

KYMO_CUDART Status cudaStreamAddCallback(Stream* stream, void (*function)(Stream*, Status, void*), void* data,
                                         unsigned) {
    const Status status = function == nullptr ? Status::kInvalidValue : of_stream(stream);
    if (status == Status::kSuccess) {
        function(stream, Status::kSuccess, data);
    }
    return status;
}
KYMO_CUDART_ALSO(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);

KYMO_CUDART Status cudaEventCreateWithFlags(Event** event, unsigned flags) {
    return call([&](Device&) { return make(event, Event{flags, false, 0}); });
}

KYMO_CUDART Status cudaEventCreate(Event** event) {
    return cudaEventCreateWithFlags(event, 0);
}

KYMO_CUDART Status cudaEventDestroy(Event* event) {
    return call([&](Device&) { return all<Event>().erase(event) != 0 ? Status::kSuccess : Status::kInvalidHandle; });
}

KYMO_CUDART Status cudaEventRecord(Event* event, Stream* stream) {
    return call([&](Device& device) {
        Event* const made = find(event);
        if (made == nullptr || !is_stream(stream)) {
            return Status::kInvalidHandle;
        }
        made->recorded = true;
        made->at_us = device.now_us;
        return Status::kSuccess;
    });
}
KYMO_CUDART_ALSO(cudaEventRecord_ptsz, cudaEventRecord);

KYMO_CUDART Status cudaEventRecordWithFlags(Event* event, Stream* stream, unsigned) {
    return cudaEventRecord(event, stream);
}
KYMO_CUDART_ALSO(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);

KYMO_CUDART Status cudaEventQuery(Event* event) {
    return of_event(event);
}

KYMO_CUDART Status cudaEventSynchronize(Event* event) {
    return of_event(event);
}

KYMO_CUDART Status cudaEventElapsedTime(float* milliseconds, Event* from, Event* to) {
    return call([&](Device&) {
        const Event* const first = find(from);
        const Event* const second = find(to);
        if (milliseconds == nullptr) {
            return Status::kInvalidValue;
        }
        if (first == nullptr || second == nullptr || !first->recorded || !second->recorded ||
            ((first->flags | second->flags) & kNoTiming) != 0) {
            return Status::kInvalidHandle;
        }
        *milliseconds = static_cast<float>((second->at_us - first->at_us) * 1e-3);
        return Status::kSuccess;
    });
}
KYMO_CUDART_ALSO(cudaEventElapsedTime_v2, cudaEventElapsedTime);

}  // namespace kymo::gpu::cudart
