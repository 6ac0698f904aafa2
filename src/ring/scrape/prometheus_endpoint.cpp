// The endpoint over prometheus-cpp: libkymo-prometheus.so.
#include "ring/scrape/endpoint.h"

#include <exception>
#include <mutex>
#include <prometheus/collectable.h>
#include <prometheus/exposer.h>
#include <prometheus/metric_family.h>

namespace kymo::ring {
namespace {

class Told : public prometheus::Collectable {
  public:
    void set(std::vector<Family> families) {
        const std::lock_guard lock(mutex_);
        families_ = std::move(families);
    }

    [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override {
        const std::lock_guard lock(mutex_);
        std::vector<prometheus::MetricFamily> all;
        all.reserve(families_.size());
        for (const Family& family : families_) {
            if (!family.figures.empty()) {
                all.push_back(convert(family));
            }
        }
        return all;
    }

  private:
    static prometheus::MetricFamily convert(const Family& family) {
        const bool is_counter = family.type == FamilyType::kCounter;
        prometheus::MetricFamily made{family.name,
                                      family.help,
                                      is_counter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge,
                                      {}};
        made.metric.reserve(family.figures.size());
        for (const Figure& figure : family.figures) {
            prometheus::ClientMetric& one = made.metric.emplace_back();
            for (const auto& [name, value] : figure.labels) {
                one.label.push_back({name, value});
            }
            (is_counter ? one.counter.value : one.gauge.value) = figure.value;
        }
        return made;
    }

    mutable std::mutex mutex_;
    std::vector<Family> families_;
};

class PrometheusEndpoint : public Endpoint {
  public:
    explicit PrometheusEndpoint(const std::string& address) : told_(std::make_shared<Told>()), exposer_(address, 2) {
        exposer_.RegisterCollectable(told_);
    }
    void publish(std::vector<Family> families) override { told_->set(std::move(families)); }
    [[nodiscard]] int port() const override {
        const std::vector<int> ports = exposer_.GetListeningPorts();
        return ports.empty() ? 0 : ports.front();
    }

  private:
    std::shared_ptr<Told> told_;  // the exposer holds it weakly
    prometheus::Exposer exposer_;
};

}  // namespace
}  // namespace kymo::ring

extern "C" __attribute__((visibility("default"))) kymo::ring::Endpoint* kymo_open_endpoint(const std::string* address,
                                                                                           std::string* why) {
    try {
        return new kymo::ring::PrometheusEndpoint(*address);
    } catch (const std::exception& error) {
        *why = error.what();
        return nullptr;
    }
}
