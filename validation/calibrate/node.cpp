#include "validation/calibrate/node.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "validation/calibrate/play.hpp"
#include "validation/calibrate/preset.hpp"
#include "validation/calibrate/scenario_play.hpp"
#include "validation/compare/split.hpp"

namespace peerpath::calibrate {
namespace {

using nlohmann::ordered_json;

constexpr double root_complex_ns = 150, propagation_ns = 10;
constexpr std::int64_t way_to = 1, way_from = 2, way_both = 3;
constexpr auto no_limit = "16Tbps";
// How much of a host's cache what was just written stays in: fitted to staged copies both ways of an H100 machine, in
// chunks of 4 MiB (docs/validation.md).
constexpr std::int64_t recent = 6 << 20;
// Two of the 20 ways of 300 MiB, as these hosts' processors have: into as many Intel's Data Direct I/O writes by
// default (Farshin et al., USENIX ATC 2020). What `cached` says of one buffer differs from fit to fit of like machines.
constexpr std::int64_t cached_together = 30 << 20;
// Queues inside the GPU, which only mixed traffic shows: fitted to one point each of an H100's (docs/validation.md).
constexpr std::int64_t queued_reads = 176 << 10, queued_writes = 40 << 10, stores_of_a_warp = 22;
constexpr std::int64_t line_bytes = 128;  // what a warp reads or stores
constexpr auto queued =
    "fitted to one point of the mixed traffic of an H100, not to this machine's: docs/validation.md";

std::string time_text(double ns) { return std::to_string(std::llround(1000 * std::max(ns, 0.0))) + "ps"; }
std::string bytes_text(std::int64_t bytes) { return std::to_string(bytes) + "B"; }
std::string rate_text(double gigabytes) { return std::to_string(std::llround(8000 * gigabytes)) + "Mbps"; }

/// What passes before the first request or beside the fabric: the laws' times less what a scenario takes by itself.
struct Own {
  double memory_latency = 0;
  double setup_to = 0, setup_from = 0, setup_to_busy = 0, setup_from_busy = 0;
  double submit_inline = 0, submit_to = 0, submit_from = 0;
  double hand_over_to = 0, hand_over_from = 0;
  double launch_to = 0, launch_from = 0, atomic_latency = 0;
};

class Node {
 public:
  Node(const Calibration& calibration, const compare::Dataset& dataset)
      : calibration_{calibration}, dataset_{dataset}, p_{calibration.parameters}, model_{dataset.gpus.front()} {}

  ordered_json document(const Own& own) {
    ordered_json devices{{"rc",
                          {{"kind", "root_complex"},
                           {"latency", time_text(root_complex_ns)},
                           {"source", "assumed: a part of read_latency"}}},
                         {"dram", memory(own)}};
    auto links = ordered_json::array();
    for (std::size_t n = 0; n < dataset_.gpus.size(); ++n) {
      const auto name = "gpu" + std::to_string(n);
      devices[name] = gpu(dataset_.gpus[n], own);
      links.push_back(link(dataset_.gpus[n], name));
    }
    return {{"description", provenance(calibration_, dataset_)}, {"devices", devices}, {"links", links}};
  }

  /// Of the laws, less what one request takes in a scenario without any of it.
  Own own_times() {
    Own own;
    own.memory_latency = (1 - gpu_share) * p_.read_latency - 2 * root_complex_ns - 2 * propagation_ns;
    own.memory_latency += model_.read_step(p_, p_.read_latency, 32, 1) - played(own, "read_latency", {{"window", 0}});
    const auto bytes = model_.payload();
    const auto size = static_cast<std::int64_t>(bytes);
    const auto beside = [&](const char* experiment, double rate) {
      return played(own, experiment, {{"bytes", size}}) - bytes * rate;
    };
    const auto engine_to = beside("copy_to_device", model_.engine_to(p_));
    const auto engine_from = beside("copy_from_device", model_.engine_from(p_));
    own.launch_to = p_.kernel_setup_to - beside("kernel_to_device", model_.kernel_to(p_));
    own.launch_from = p_.kernel_setup_from - beside("kernel_from_device", model_.kernel_from(p_));
    own.atomic_latency =
        p_.atomic_latency + p_.atomic_queueing - played(own, "atomic_outstanding", {{"outstanding", 1}});
    own.hand_over_to = p_.hand_over - engine_to;
    own.hand_over_from = p_.hand_over - engine_from;
    own.setup_to = p_.setup_to - engine_to;
    own.setup_to_busy = p_.setup_to_busy - engine_to;
    own.submit_inline = p_.submit_small - engine_to;
    own.submit_to = p_.submit_large - engine_to;
    own.setup_from = p_.setup_from - engine_from;
    own.setup_from_busy = p_.setup_from_busy - engine_from;
    own.submit_from = p_.submit_from - engine_from;
    return own;
  }

 private:
  double played(const Own& own, const char* experiment, std::map<std::string, std::int64_t> settings) {
    compare::Point point;
    point.experiment = experiment;
    point.settings = std::move(settings);
    silent_ = true;
    const auto text = document(own).dump();
    silent_ = false;
    return *ScenarioPlay{text}.play(point);
  }

  /// "fitted: setup_to", and whether the points told.
  std::string fitted(std::string_view name) const {
    const auto e = std::ranges::find(calibration_.estimates, name, &Estimate::name);
    const std::string text = "fitted: " + std::string{name};
    return e == calibration_.estimates.end() || e->identifiable ? text
                                                                : text + " (not identifiable: " + e->why_not + ")";
  }

  ordered_json memory(const Own& own) {
    ordered_json dram{{"kind", "host_memory"},
                      {"at", "rc"},
                      {"read_latency", time_text(own.memory_latency)},
                      {"read_rate", no_limit},
                      {"write_rate", no_limit},
                      {"read_interval", time_text(p_.read_service)},
                      {"partial_write_interval", time_text(p_.partial_write_service)}};
    ordered_json source{{"read_latency", fitted("read_latency") + ", less " + time_text(gpu_share * p_.read_latency) +
                                             " in the GPU and the time on the way: only the sum was measured"},
                        {"read_rate", "no limit of its own: see shared"},
                        {"write_rate", "no limit of its own: see shared"},
                        {"read_interval", fitted("read_service")},
                        {"partial_write_interval", fitted("partial_write_service")}};
    // Where the link is slower than what no cache holds, nothing tells how much a cache does hold.
    const bool told = 1 / p_.beside_writes_rate > model_.both_to(p_);
    const auto cached = told ? p_.cached : Parameters{}.cached;
    dram["shared"] = {{"beside_writes", ordered_json::array({rate_text(p_.beside_writes_rate)})},
                      {"cached", bytes_text(std::llround(cached * (1 << 20)))}};
    source["shared"] = "beside_writes " + fitted("beside_writes_rate") + "; cached " +
                       (told ? fitted("cached") : "assumed: no point of one GPU tells it");
    if (dataset_.gpus.size() > 1) {
      dram["shared"]["beside_writes"].push_back(no_limit);
      dram["shared"]["cached_together"] = bytes_text(cached_together);
      dram["shared"]["read_rates"] = together(way_to);
      if (!silent_) {
        dram["shared"]["read_limit"] = rate_text(p_.host_read_rate);
        dram["shared"]["read_sharpness"] = std::round(1000 * p_.host_sharpness) / 1000;
        dram["shared"]["read_round_trip"] = time_text(Model::read_round_trip(p_));
        dram["shared"]["recent"] = bytes_text(recent);
      }
      dram["shared"]["write_rates"] = together(way_from);
      dram["shared"]["both_rates"] = together(way_both);
      dram["shared"]["opposite_rates"] = opposite();
      source["shared"] = source["shared"].get<std::string>() +
                         "; cached_together assumed: two of 20 ways of 300 MiB; of several GPUs " +
                         fitted("host_read_rate") + "; " + fitted("host_write_rate") + "; " + fitted("host_both_rate") +
                         "; " + fitted("host_sharpness") +
                         ": rates of 2, 3 ... GPUs by the law of copies_together, opposite_rates with links that only "
                         "read or write; "
                         "read_round_trip: a read beside 768; recent " +
                         queued;
    }
    dram["source"] = source;
    return dram;
  }

  /// Of 1, 2, 3 ... GPUs, or pairs of them; one alone has the limit of its link.
  ordered_json rates_of(std::size_t most, auto rate) const {
    auto rates = ordered_json::array({no_limit});
    for (std::size_t n = 2; n <= most && !silent_; ++n) rates.push_back(rate_text(rate(static_cast<std::int64_t>(n))));
    return rates;
  }
  ordered_json together(std::int64_t ways) {
    return rates_of(dataset_.gpus.size(), [&](std::int64_t gpus) { return model_.together(p_, gpus, ways); });
  }
  /// One GPU of a pair reads, the other writes.
  ordered_json opposite() {
    return rates_of(dataset_.gpus.size() / 2, [&](std::int64_t pairs) { return model_.opposite(p_, pairs); });
  }

  std::int64_t in_flight() { return static_cast<std::int64_t>(model_.in_flight(p_)); }

  ordered_json gpu(const compare::GpuFacts& facts, const Own& own) {
    const auto limit = static_cast<std::int64_t>(std::llround(p_.inline_limit));
    ordered_json copies{{"request", bytes_text(std::llround(p_.engine_request))},
                        {"in_flight", bytes_text(in_flight())},
                        {"queued_reads", bytes_text(queued_reads)},
                        {"queued_writes", bytes_text(queued_writes)},
                        {"write_rate", rate_text(p_.engine_write_rate)},
                        {"setup_to", time_text(own.setup_to)},
                        {"setup_from", time_text(own.setup_from)},
                        {"setup_to_busy", time_text(own.setup_to_busy)},
                        {"setup_from_busy", time_text(own.setup_from_busy)},
                        {"inline_limit", bytes_text(limit)},
                        {"submit_inline", time_text(own.submit_inline)},
                        {"submit_to", time_text(own.submit_to)},
                        {"submit_from", time_text(own.submit_from)}};
    const std::string less = ", less what one request takes on the fabric";
    const std::string enough = "assumed: the link rate times the fitted latency, and a piece of 4 KiB more";
    ordered_json copies_source{{"request", fitted("engine_request")},
                               {"in_flight", enough},
                               {"queued_reads", queued},
                               {"queued_writes", queued},
                               {"write_rate", fitted("engine_write_rate")},
                               {"setup_to", fitted("setup_to") + less},
                               {"setup_from", fitted("setup_from") + less},
                               {"setup_to_busy", fitted("setup_to_busy") + less},
                               {"setup_from_busy", fitted("setup_from_busy") + less},
                               {"inline_limit", fitted("inline_limit")},
                               {"submit_inline", fitted("submit_small") + less},
                               {"submit_to", fitted("submit_large") + less},
                               {"submit_from", fitted("submit_from") + less}};
    if (dataset_.gpus.size() > 1) {
      copies["hand_over_to"] = time_text(std::max(own.hand_over_to, 100.0));
      copies["hand_over_from"] = time_text(std::max(own.hand_over_from, 100.0));
      copies["peer_setup"] = time_text(p_.peer_setup);
      copies["peer_rate"] = rate_text(p_.peer_rate);
      copies_source["hand_over_to"] = copies_source["hand_over_from"] = fitted("hand_over") + less;
      copies_source["peer_setup"] = fitted("peer_setup");
      copies_source["peer_rate"] = fitted("peer_rate");
    }
    copies["source"] = copies_source;
    const ordered_json kernels{
        {"read_latency", time_text(gpu_share * p_.read_latency)},
        {"read_queueing", time_text(p_.read_queueing)},
        {"read_bunching", time_text(p_.read_bunching)},
        {"reads", reads_at_a_time(p_)},
        {"store_interval", time_text(p_.store_interval)},
        {"one_queue", true},
        {"stores", stores_of_a_warp},
        {"read_turn", time_text(model_.write_interval(p_, line_bytes))},
        {"atomic_latency", time_text(own.atomic_latency)},
        {"atomic_queueing", time_text(p_.atomic_queueing)},
        {"atomic_interval", time_text(p_.atomic_service)},
        {"copy_in_flight", bytes_text(in_flight())},
        {"launch_to", time_text(own.launch_to)},
        {"launch_from", time_text(own.launch_from)},
        {"source",
         {{"read_latency", "assumed: a share of the fitted read_latency, of which only the sum was measured"},
          {"read_queueing", fitted("read_queueing")},
          {"reads", fitted("outstanding_limit") + ", 1024 at most"},
          {"store_interval", fitted("store_interval")},
          {"one_queue", "assumed: see docs/validation.md, mixed traffic"},
          {"stores", queued},
          {"read_turn",
           "assumed: the time of a store of 128 B, played on the fabric; docs/validation.md, mixed traffic"},
          {"atomic_latency", fitted("atomic_latency") + less},
          {"atomic_queueing", fitted("atomic_queueing")},
          {"atomic_interval", fitted("atomic_service")},
          {"copy_in_flight", enough},
          {"launch_to", fitted("kernel_setup_to") + less},
          {"launch_from", fitted("kernel_setup_from") + less}}}};
    return {{"kind", "gpu"},
            {"function",
             {{"max_payload_supported", bytes_text(facts.max_payload)},
              {"max_payload", bytes_text(facts.max_payload)},
              {"max_read_request", bytes_text(facts.max_read_request)},
              {"tags", 768}}},
            {"copies", copies},
            {"kernels", kernels},
            {"source", {{"function", "read from its configuration space; tags: 10-bit tags are enabled"}}}};
  }

  ordered_json link(const compare::GpuFacts& facts, const std::string& name) const {
    return {{"from", "rc"},
            {"to", name},
            {"generation", facts.link.generation},
            {"width", facts.link.width},
            {"link_share", std::round(1e6 * p_.link_share) / 1e6},
            {"ack_interval", "1fs"},
            {"update_fc_interval", time_text(p_.update_interval)},
            {"credits", {{"posted_header", 0}, {"posted_data", 0}, {"non_posted_header", 0}, {"non_posted_data", 0}}},
            {"source",
             {{"link_share", fitted("link_share")},
              {"ack_interval", "one ACK a TLP: an assumption of the laws"},
              {"update_fc_interval", fitted("update_interval")},
              {"credits", "never the limit: an assumption of the laws"}}}};
  }

  const Calibration& calibration_;
  const compare::Dataset& dataset_;
  Parameters p_;
  Model model_;
  bool silent_ = false;  ///< limits of several GPUs are not asked for
};

}  // namespace

std::string scenario_preset(const Calibration& calibration, const compare::Dataset& dataset) {
  Node node{calibration, dataset};
  return node.document(node.own_times()).dump(2) + "\n";
}

}  // namespace peerpath::calibrate
