// The endpoint in the text format of prometheus-cpp, over an HTTP server of Kymo (http_server.h): the server of
// prometheus-cpp keeps a thread for each request that never ends, and then serves no further requests.
// libkymo-prometheus.so.
#include "net/http_server.h"
#include "net/sockets.h"
#include "ring/scrape/endpoint.h"

#include <cerrno>
#include <cstring>
#include <exception>
#include <mutex>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace kymo::ring {
namespace {

class Told {
  public:
    void set(std::vector<Family> families) {
        const std::lock_guard lock(mutex_);
        families_ = std::move(families);
        text_ = nullptr;
    }

    // Made once for all requests between two publications.
    std::shared_ptr<const std::string> text() {
        const std::lock_guard lock(mutex_);
        if (text_ == nullptr) {
            std::vector<prometheus::MetricFamily> all;
            all.reserve(families_.size());
            for (const Family& family : families_) {
                if (!family.figures.empty()) {
                    all.push_back(convert(family));
                }
            }
            text_ = std::make_shared<const std::string>(all.empty() ? "# No host has answered yet.\n"
                                                                    : prometheus::TextSerializer().Serialize(all));
        }
        return text_;
    }

  private:
    static prometheus::MetricFamily convert(const Family& family) {
        const bool is_counter = family.type == FamilyType::kCounter;
        prometheus::MetricFamily made{family.name,
                                      family.help,
                                      is_counter                            ? prometheus::MetricType::Counter
                                      : family.type == FamilyType::kUntyped ? prometheus::MetricType::Untyped
                                                                            : prometheus::MetricType::Gauge,
                                      {}};
        made.metric.reserve(family.figures.size());
        for (const Figure& figure : family.figures) {
            prometheus::ClientMetric& one = made.metric.emplace_back();
            for (const auto& [name, value] : figure.labels) {
                one.label.push_back({name, value});
            }
            (is_counter                            ? one.counter.value
             : family.type == FamilyType::kUntyped ? one.untyped.value
                                                   : one.gauge.value) = figure.value;
        }
        return made;
    }

    std::mutex mutex_;
    std::vector<Family> families_;
    std::shared_ptr<const std::string> text_;
};

class PrometheusEndpoint : public Endpoint {
  public:
    explicit PrometheusEndpoint(Descriptor listener)
        : server_(std::move(listener), [this](const net::HttpRequest& request) { return answer(request); }) {}
    void publish(std::vector<Family> families) override { told_.set(std::move(families)); }
    [[nodiscard]] int port() const override { return server_.port(); }

  private:
    net::HttpReply answer(const net::HttpRequest& request) {
        if (request.path() != "/metrics") {
            return net::not_found();
        }
        return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = told_.text()};
    }

    Told told_;
    net::HttpServer server_;
};

}  // namespace
}  // namespace kymo::ring

extern "C" __attribute__((visibility("default"))) kymo::ring::Endpoint* kymo_open_endpoint(const std::string* address,
                                                                                           std::string* why) {
    using namespace kymo::ring;
    const auto place = kymo::net::parse_socket_address(*address);
    kymo::Descriptor listener = place ? kymo::net::listen_at(*place) : kymo::Descriptor();
    if (!listener) {
        *why = place ? std::strerror(errno) : "it is not an IPv4 address";
        return nullptr;
    }
    try {
        return new PrometheusEndpoint(std::move(listener));
    } catch (const std::exception& error) {
        *why = error.what();
        return nullptr;
    }
}
