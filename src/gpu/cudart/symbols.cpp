// Device variables that the host addresses by its own shadow variables: __device__, __constant__, __managed__.
#include "gpu/cudart/copies.h"
#include "gpu/cudart/registry.h"

namespace kymo::gpu::cudart {
namespace {

// Where the variable lies on the device, and its bytes.
Status find_symbol(Device& device, const void* host, ptx::LoadedModule::Symbol& found) {
    const Symbol* symbol = Registry::get().symbol(host);
    if (symbol == nullptr) {
        return Status::kInvalidSymbol;
    }
    Status why = Status::kSuccess;
    const ptx::LoadedModule* module = load(device, *symbol->binary, why);
    if (module == nullptr) {
        return why;
    }
    const auto place = module->symbol(symbol->name);
    if (!place) {
        return Status::kInvalidSymbol;
    }
    found = *place;
    return Status::kSuccess;
}

Status copy_part(Device& device, const void* symbol, std::size_t bytes, std::size_t offset, void* to,
                 const void* from, Direction direction) {
    ptx::LoadedModule::Symbol place;
    if (const Status status = find_symbol(device, symbol, place); status != Status::kSuccess) {
        return status;
    }
    if (offset > place.bytes || bytes > place.bytes - offset) {
        return Status::kInvalidValue;
    }
    void* const there = reinterpret_cast<void*>(place.address + offset);
    return to == nullptr ? copy(device, there, from, bytes, direction) : copy(device, to, there, bytes, direction);
}

}  // namespace

KYMO_CUDART Status cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                      Direction direction) {
    return call([&](Device& device) {
        return from == nullptr ? Status::kInvalidValue
                               : copy_part(device, symbol, bytes, offset, nullptr, from, direction);
    });
}
KYMO_CUDART_ALSO(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);

KYMO_CUDART Status cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, Direction direction, Stream*) {
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, direction);
}
KYMO_CUDART_ALSO(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);

KYMO_CUDART Status cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                        Direction direction) {
    return call([&](Device& device) {
        return to == nullptr ? Status::kInvalidValue
                             : copy_part(device, symbol, bytes, offset, to, nullptr, direction);
    });
}
KYMO_CUDART_ALSO(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);

KYMO_CUDART Status cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                             Direction direction, Stream*) {
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, direction);
}
KYMO_CUDART_ALSO(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);

KYMO_CUDART Status cudaGetSymbolAddress(void** address, const void* symbol) {
    return call([&](Device& device) {
        ptx::LoadedModule::Symbol place;
        const Status status = find_symbol(device, symbol, place);
        if (status == Status::kSuccess && address != nullptr) {
            *address = reinterpret_cast<void*>(place.address);
        }
        return address == nullptr ? Status::kInvalidValue : status;
    });
}

KYMO_CUDART Status cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
    return call([&](Device& device) {
        ptx::LoadedModule::Symbol place;
        const Status status = find_symbol(device, symbol, place);
        if (status == Status::kSuccess && bytes != nullptr) {
            *bytes = place.bytes;
        }
        return bytes == nullptr ? Status::kInvalidValue : status;
    });
}

}  // namespace kymo::gpu::cudart
