#include "ring/transport/library.h"

#include "ring/transport/loaded_library.h"

namespace kymo::ring {
namespace {

Result<void*> load() {
    return load_own_library(
        "libkymo-ring.so",
        {ErrorKind::kUnsupported, "Kymo was built without libsodium, which the service ring encrypts by",
         "apt-get install libsodium-dev, then build Kymo again"});
}

}  // namespace

bool is_loopback(const std::string& address) {
    return address.starts_with("127.");
}

Result<Keys> make_keys() {
    const auto library = load();
    if (!library) {
        return library.error();
    }
    using Make = bool (*)(Keys*);
    const auto make = reinterpret_cast<Make>(function_of(*library, "kymo_ring_make_keys"));
    Keys keys;
    if (make == nullptr || !make(&keys)) {
        return Error{ErrorKind::kUnsupported, "the installed libkymo-ring.so cannot make keys",
                     "install Kymo again: its parts are not of one version"};
    }
    return keys;
}

Result<std::unique_ptr<Channels>> open_channels(const ChannelSettings& settings) {
    if (settings.keys.public_key.empty() && !is_loopback(settings.address)) {
        return Error{ErrorKind::kUsage, "without encryption only the loopback may be used, not " + settings.address,
                     "leave --plain out, or listen at 127.0.0.1"};
    }
    const auto library = load();
    if (!library) {
        return library.error();
    }
    using Open = Channels* (*)(const ChannelSettings*, std::string*);
    const auto open = reinterpret_cast<Open>(function_of(*library, "kymo_ring_open_channels"));
    std::string why = "it lacks what this version needs";
    Channels* const channels = open == nullptr ? nullptr : open(&settings, &why);
    if (channels == nullptr) {
        return Error{ErrorKind::kPermission, "cannot listen at " + settings.address + ": " + why,
                     "--address names one of this host's addresses (ip addr shows them)"};
    }
    return std::unique_ptr<Channels>(channels);
}

}  // namespace kymo::ring
