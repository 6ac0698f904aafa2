// Gives streams a buffer of 1 MiB: those that the C library opens (fopen and its kin), its standard input and output,
// and C++'s file streams. KYMO_LARGER_BUFFERS=1. Buffers that the program sets itself take their place.
//
// The C library's are 4 KiB, C++'s 8 KiB. At most 64 streams at a time; the others keep their own.
#include "confirm/settings/buffer_slots.h"
#include "confirm/settings/next.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace kymo::settings {
namespace {

constexpr const char* kC = "libc.so.6";
constexpr const char* kCpp = "libstdc++.so.6";
constexpr std::size_t kBytes = std::size_t{1} << 20U;
constexpr std::size_t kStreams = 64;

BufferSlots<kBytes, kStreams> g_slots;  // NOLINT: lives as long as the program's streams

bool is_wanted() {
    static const bool kWanted = std::getenv("KYMO_LARGER_BUFFERS") != nullptr;
    return kWanted;
}

FILE* with_buffer(FILE* file) {
    char* const buffer = file != nullptr && is_wanted() ? g_slots.take(file) : nullptr;
    if (buffer != nullptr) {
        setvbuf(file, buffer, _IOFBF, kBytes);
    }
    return file;
}

// Before the program uses them. To a terminal, lines go at once.
__attribute__((constructor)) void begin() {
    for (FILE* const file : {stdin, stdout}) {
        if (isatty(fileno(file)) == 0) {
            with_buffer(file);
        }
    }
}

}  // namespace
}  // namespace kymo::settings

using kymo::settings::g_slots;
using kymo::settings::is_wanted;
using kymo::settings::kC;
using kymo::settings::kCpp;
using kymo::settings::next;
using kymo::settings::with_buffer;

#define KYMO_EXPORT __attribute__((visibility("default")))

extern "C" {

KYMO_EXPORT FILE* fopen(const char* path, const char* mode) {
    static const auto kNext = next<decltype(&fopen)>("fopen", kC);
    return with_buffer(kNext(path, mode));
}

KYMO_EXPORT FILE* fopen64(const char* path, const char* mode) {
    static const auto kNext = next<decltype(&fopen)>("fopen64", kC);
    return with_buffer(kNext(path, mode));
}

KYMO_EXPORT FILE* fdopen(int descriptor, const char* mode) {
    static const auto kNext = next<decltype(&fdopen)>("fdopen", kC);
    return with_buffer(kNext(descriptor, mode));
}

KYMO_EXPORT int fclose(FILE* file) {
    static const auto kNext = next<decltype(&fclose)>("fclose", kC);
    const int result = kNext(file);
    g_slots.give_back(file);
    return result;
}

// std::filebuf::open(char const*, std::ios_base::openmode), and close(): Itanium C++ ABI.
KYMO_EXPORT void* _ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode(void* self, const char* path,
                                                                                      int mode) {
    using Open = void* (*)(void*, const char*, int);
    using SetBuffer = void* (*)(void*, char*, long);
    static const auto kOpen = next<Open>("_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode", kCpp);
    static const auto kSetBuffer = next<SetBuffer>("_ZNSt13basic_filebufIcSt11char_traitsIcEE6setbufEPcl", kCpp);
    char* const buffer = is_wanted() && kSetBuffer != nullptr ? g_slots.take(self) : nullptr;
    if (buffer != nullptr) {
        kSetBuffer(self, buffer, kymo::settings::kBytes);
    }
    return kOpen(self, path, mode);
}

KYMO_EXPORT void* _ZNSt13basic_filebufIcSt11char_traitsIcEE5closeEv(void* self) {
    using Close = void* (*)(void*);
    static const auto kClose = next<Close>("_ZNSt13basic_filebufIcSt11char_traitsIcEE5closeEv", kCpp);
    void* const result = kClose(self);
    g_slots.give_back(self);
    return result;
}

}  // extern "C"
