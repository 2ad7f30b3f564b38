#include "validation/published/laws.hpp"

#include <cmath>
#include <map>
#include <stdexcept>

#include "analytic/link_efficiency.hpp"
#include "core/pcie/link_rate.hpp"
#include "network/switch_config.hpp"
#include "peerpath/net/ethernet.hpp"
#include "peerpath/pcie/tlp.hpp"
#include "transport/roce/dcqcn.hpp"

namespace peerpath::published {
namespace {

using nlohmann::json;

// RoCEv2 and InfiniBand Architecture Specification 1.2.1: BTH 12 B, ICRC 4 B, LRH 8 B, VCRC 2 B. RFC 791, 768.
constexpr Bytes ipv4{20}, udp{8}, base_transport{12}, invariant_crc{4}, local_route{8}, variant_crc{2};

double to_gbps(BitRate rate) { return static_cast<double>(rate.bps()) / 1e9; }
double share(Bytes part, Bytes whole) { return static_cast<double>(part.count()) / static_cast<double>(whole.count()); }

Answer only(double predicted) { return {predicted, std::nullopt, false}; }

Answer tlp_overhead(const json& in, const Sources&) {
  const std::string kind = in.at("kind");
  if (kind == "dllp") return only(static_cast<double>(pcie::dllp_size.count()));
  const auto header = kind == "request64" ? pcie::header_4dw : pcie::header_3dw;
  return only(static_cast<double>((header + pcie::link_framing).count()));
}

Answer data_credit(const json&, const Sources&) { return only(static_cast<double>(pcie::data_credit.count())); }

pcie::LinkShape shape(const json& in) { return {in.at("generation"), in.at("width")}; }
Bytes bytes(const json& in, const char* key) { return Bytes{in.at(key).get<std::int64_t>()}; }

Answer ack_limit(const json& in, const Sources&) {
  return only(pcie::ack_limit_symbols({3, in.at("width")}, bytes(in, "max_payload")));
}

Answer coded_rate(const json& in, const Sources&) { return only(to_gbps(pcie::coded_rate(shape(in)))); }

Answer tlp_layer_rate(const json& in, const Sources&) {
  return only(to_gbps(pcie::link_timing(shape(in), bytes(in, "max_payload"), pcie::DllpAccounting::published).rate));
}

template <BitRate (*form)(const analytic::LinkUse&)>
Answer closed_form(const json& in, const Sources&) {
  return only(to_gbps(
      form({shape(in), bytes(in, "max_payload"), bytes(in, "max_read_request"), pcie::DllpAccounting::published})));
}

double roce(const json& in) {
  const auto payload = bytes(in, "mtu");
  const auto frame = net::ethernet_header + ipv4 + udp + base_transport + payload + invariant_crc;
  return in.at("gbps").get<double>() * share(payload, net::wire_size(frame));
}
Answer roce_gbps(const json& in, const Sources&) { return only(roce(in)); }
Answer roce_rate(const json& in, const Sources&) { return only(roce(in) / 8); }

Answer infiniband_rate(const json& in, const Sources&) {
  const auto payload = bytes(in, "mtu");
  const auto packet = local_route + base_transport + payload + invariant_crc + variant_crc;
  return only(in.at("gbps").get<double>() / 8 * share(payload, packet));
}

BenchQuery query_of(const json& in) {
  BenchQuery query{in.at("host"), in.at("test"), in.at("size")};
  if (!in.contains("window")) return query;
  query.window = in.at("window").get<std::int64_t>();
  query.cache = in.at("cache");
  return query;
}

Answer pcie_bench(const json& in, const Sources& sources) {
  const auto point = sources.pcie_bench(query_of(in));
  if (!point) throw std::out_of_range{"pcie-bench has no such point, or it is not predicted"};
  return {point->predicted, point->measured, point->fitted};
}

Answer pcie_bench_added(const json& in, const Sources& sources) {
  const auto of = pcie_bench(in.at("of"), sources), over = pcie_bench(in.at("over"), sources);
  // A difference is a fitted number only if both of its ends are.
  return {of.predicted - over.predicted, *of.measured - *over.measured, of.fitted && over.fitted};
}

/// What a scenario reaches, in GB/s: one metric, or several together.
Answer gigabytes(const json& in, const Sources& sources) {
  const auto metrics = in.contains("metrics") ? in.at("metrics") : json::array({in.at("metric")});
  double sum = 0;
  for (const auto& metric : metrics) sum += sources.run(in.at("scenario"), metric).value() / 8;
  return only(sum);
}

Answer scaling(const json& in, const Sources& sources) {
  const auto one = sources.run(in.at("one"), in.at("metric"));
  double many = 0;
  for (const auto& metric : in.at("metrics")) many += sources.run(in.at("many"), metric).value();
  return only(many / static_cast<double>(in.at("metrics").size()) / one.value());
}

/// What a scenario reaches, in units of `over`.
Answer metric_over(const json& in, const Sources& sources) {
  return only(sources.run(in.at("scenario"), in.at("metric")).value() / in.at("over").get<double>());
}

/// A parameter of congestion control as the model has it: of a switch, or of a set at a port of 25 Gb/s.
Answer congestion_parameter(const json& in, const Sources&) {
  const network::SwitchConfig at;
  auto set = roce::DcqcnSet::off;
  for (const auto& [name, value] : enum_names(set))
    if (name == in.value("set", "vendor")) set = value;
  const auto of = roce::parameters(set, BitRate{25'000'000'000});
  const auto us = [](Duration d) { return static_cast<double>(d / std::chrono::nanoseconds{1}) / 1e3; };
  const auto kb = [](Bytes b) { return static_cast<double>(b.count()) / 1e3; };
  // A port that is filled faster than it empties is paused at this share of what was free: a / (1 + a).
  const auto alpha = std::exp2(at.alpha_log2);
  const std::map<std::string, double> values{
      {"kmin_kb", kb(at.ecn_min)},
      {"kmax_kb", kb(at.ecn_max)},
      {"pmax", at.ecn_max_probability},
      {"buffer_mb", kb(at.buffer) / 1e3},
      {"pfc_percent", 100 * alpha / (1 + alpha)},
      {"ti_us", us(of.increase_period)},
      {"td_us", us(of.decrease_period)},
      {"g", static_cast<double>(of.gain_q16) / 65536},
      {"hai_mbps", static_cast<double>(of.hyper.bps()) / 1e6},
  };
  return only(values.at(in.at("parameter")));
}

const std::map<std::string, Answer (*)(const json&, const Sources&)> laws{
    {"tlp_overhead", tlp_overhead},
    {"data_credit", data_credit},
    {"ack_limit", ack_limit},
    {"coded_rate", coded_rate},
    {"tlp_layer_rate", tlp_layer_rate},
    {"published_write", closed_form<analytic::write_rate>},
    {"published_read", closed_form<analytic::read_rate>},
    {"published_read_write", closed_form<analytic::read_write_rate>},
    {"roce_gbps", roce_gbps},
    {"roce_rate", roce_rate},
    {"infiniband_rate", infiniband_rate},
    {"pcie_bench", pcie_bench},
    {"pcie_bench_added", pcie_bench_added},
    {"scaling", scaling},
    {"gigabytes", gigabytes},
    {"metric_over", metric_over},
    {"congestion_parameter", congestion_parameter},
};

}  // namespace

void Asked::add(const json& inputs) {
  if (inputs.contains("host")) points.push_back(query_of(inputs));
  for (const auto* key : {"of", "over"})
    if (inputs.contains(key) && inputs.at(key).is_object()) points.push_back(query_of(inputs.at(key)));
  for (const auto* key : {"scenario", "one", "many"})
    if (inputs.contains(key)) scenarios.insert(inputs.at(key).get<std::string>());
}

Outcome apply(const std::string& law, const json& inputs, const Sources& sources) {
  const auto found = laws.find(law);
  if (found == laws.end()) return {std::nullopt, "there is no law \"" + law + "\""};
  try {
    return {found->second(inputs, sources), ""};
  } catch (const std::exception& e) {
    return {std::nullopt, e.what()};
  }
}

}  // namespace peerpath::published
