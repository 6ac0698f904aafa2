// The functions of libkymo-ring.so that library.cpp looks up by name.
#include "ring/transport/curve_channels.h"
#include "ring/transport/z85.h"

#include <sodium.h>

extern "C" {

__attribute__((visibility("default"))) kymo::ring::Channels* kymo_ring_open_channels(
    const kymo::ring::ChannelSettings* settings, std::string* why) {
    if (sodium_init() < 0) {
        *why = "libsodium cannot begin";
        return nullptr;
    }
    return kymo::ring::open_curve_channels(*settings, *why);
}

__attribute__((visibility("default"))) bool kymo_ring_make_keys(kymo::ring::Keys* keys) {
    kymo::ring::Key public_key;
    kymo::ring::Key secret_key;
    if (sodium_init() < 0 || crypto_box_keypair(public_key.data(), secret_key.data()) != 0) {
        return false;
    }
    *keys = {kymo::ring::to_z85(public_key), kymo::ring::to_z85(secret_key)};
    sodium_memzero(secret_key.data(), secret_key.size());
    return true;
}
}
