#include "ring/scrape/endpoint.h"

#include "base/line_words.h"
#include "ring/transport/loaded_library.h"

#include <arpa/inet.h>

namespace kymo::ring {

std::string endpoint_address(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    const std::string host = colon == std::string::npos ? "127.0.0.1" : text.substr(0, colon);
    const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
    std::uint32_t number = 0;
    in_addr address{};
    if (!parse_decimal(port, number, 65'535U) || inet_pton(AF_INET, host.c_str(), &address) != 1) {
        return {};
    }
    return host + ":" + std::to_string(number);
}

Result<std::unique_ptr<Endpoint>> open_endpoint(const std::string& address) {
    const auto library =
        load_own_library("libkymo-prometheus.so",
                         {ErrorKind::kUnsupported, "Kymo was built without prometheus-cpp, which serves --prometheus",
                          "apt-get install prometheus-cpp-dev, then build Kymo again"});
    if (!library) {
        return library.error();
    }
    using Open = Endpoint* (*)(const std::string*, std::string*);
    const auto open = reinterpret_cast<Open>(function_of(*library, "kymo_open_endpoint"));
    std::string why = "it lacks what this version needs";
    Endpoint* const endpoint = open == nullptr ? nullptr : open(&address, &why);
    if (endpoint == nullptr) {
        return Error{ErrorKind::kPermission, "cannot serve metrics at " + address + ": " + why,
                     "name another port, or an address of this host: --prometheus 127.0.0.1:9464"};
    }
    return std::unique_ptr<Endpoint>(endpoint);
}

}  // namespace kymo::ring
