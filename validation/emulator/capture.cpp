#include "validation/emulator/capture.hpp"

#include <algorithm>
#include <charconv>
#include <istream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/pcie/split.hpp"
#include "scenario/catalogue.hpp"
#include "validation/emulator/purpose.hpp"

namespace peerpath::emulator {
namespace {

using Json = nlohmann::json;
using fabric::NodeId;

NodeId node_of(const observe::Scene& scene, const std::string& name) {
  const auto& nodes = scene.topology.nodes;
  const auto found = std::ranges::find(nodes, name, &fabric::Node::name);
  // A request that nobody takes ends in the root complex.
  return NodeId{static_cast<std::uint16_t>(found == nodes.end() ? 0 : found - nodes.begin())};
}

Instant time_of(const Json& line) { return Instant{std::chrono::nanoseconds{line.at("guest_ns").get<std::int64_t>()}}; }

/// One line of an access, on its way to become TLPs.
struct Access {
  struct Hop {
    fabric::LinkId link;
    int up = 0;  ///< direction that leads to the root complex
    bool is_up = false;
  };
  fabric::Transaction asked;
  NodeId requester;
  Instant when;
  pcie::SplitRules rules;
  std::vector<Hop> path;
};

Access access_of(const Json& line, const observe::Scene& scene, std::uint64_t number) {
  Access access;
  access.when = time_of(line);
  access.requester = node_of(scene, line.at("requester").get<std::string>());
  auto& asked = access.asked;
  asked.cookie = number;
  asked.target = node_of(scene, line.at("completer").get<std::string>());
  asked.op = line.at("operation") == "write" ? pcie::Operation::memory_write : pcie::Operation::memory_read;
  asked.purpose = purpose_of(line.at("purpose").get<std::string>());
  asked.answer = line.at("status") == "success" ? pcie::Status::success : pcie::Status::unsupported_request;
  asked.address = std::stoull(line.at("address").get<std::string>(), nullptr, 16);
  asked.bytes = Bytes{line.at("bytes").get<std::int64_t>()};
  access.rules.max_payload = access.rules.max_completion = Bytes{line.at("max_payload").get<std::int64_t>()};
  access.rules.max_read_request = Bytes{line.at("max_read_request").get<std::int64_t>()};
  for (const auto& hop : line.at("path")) {
    const auto found = std::ranges::find(scene.links, hop.at(0).get<std::string>(), &observe::SceneLink::name);
    if (found == scene.links.end()) continue;  // a part of the guest that is not the scenario's
    access.path.push_back(
        {fabric::LinkId{static_cast<std::uint16_t>(found - scene.links.begin())}, found->up, hop.at(1) == "up"});
  }
  return access;
}

class Replay {
 public:
  Replay(const observe::Scene& scene, trace::Tracer& tracer) : scene_{scene}, tracer_{tracer} {}

  void line(const Json& line) {
    if (line.at("operation") == "frame")
      frame(line);
    else
      access(access_of(line, scene_, ++number_));
  }

 private:
  void frame(const Json& line) {
    trace::Frame frame;
    frame.when = time_of(line);
    frame.nic = node_of(scene_, line.at("device").get<std::string>());
    frame.out = line.at("direction") == "out";
    frame.frame.size = Bytes{line.at("bytes").get<std::int64_t>()};
    const auto hex = line.at("begins").get<std::string>();
    const auto size = std::min(hex.size() / 2, device::Frame::header_capacity);
    for (std::size_t n = 0; n < size; ++n)
      std::from_chars(hex.data() + 2 * n, hex.data() + 2 * n + 2, frame.frame.header[n], 16);
    frame.frame.header_size = static_cast<std::uint16_t>(size);
    tracer_.show(frame);
  }

  void access(const Access& access) {
    const auto& asked = access.asked;
    auto left = asked.bytes;
    for (const auto& run : pcie::split_request(access.rules, asked.op, asked.address, asked.bytes))
      for (std::int64_t n = 0; n < run.count; ++n) {
        const auto piece = run[n];
        left -= piece.bytes;
        const bool posted = pcie::request_class(asked.op) == pcie::TlpClass::posted;
        trace::Tlp tlp = tlp_of(access, piece, pcie::request_class(asked.op));
        if (!posted) tlp.tag = static_cast<std::uint16_t>(requests_[access.requester]++ % 256);
        tlp.request = piece.address;
        for (std::size_t hop = 0; hop < access.path.size(); ++hop) {
          tlp.last = posted && left <= Bytes{0} && hop + 1 == access.path.size();
          show(tlp, access.path[hop], false);
        }
        if (!posted) answer(access, piece, tlp.tag, left <= Bytes{0});
      }
  }

  void answer(const Access& access, const pcie::Piece& request, std::uint16_t tag, bool last_request) {
    const auto& asked = access.asked;
    auto left = request.bytes;
    const auto answers = pcie::split_completion(access.rules, asked.op, asked.answer, request.address, request.bytes);
    for (const auto& run : answers)
      for (std::int64_t n = 0; n < run.count; ++n) {
        const auto piece = run[n];
        trace::Tlp tlp = tlp_of(access, piece, pcie::TlpClass::completion);
        tlp.tag = tag;
        tlp.request = request.address;
        tlp.status = asked.answer;
        tlp.remaining = piece.bytes > Bytes{0} ? left : Bytes{0};
        left -= piece.bytes;
        for (auto hop = access.path.rbegin(); hop != access.path.rend(); ++hop) {
          tlp.last =
              last_request && (left <= Bytes{0} || piece.bytes == Bytes{0}) && std::next(hop) == access.path.rend();
          show(tlp, *hop, true);
        }
      }
  }

  static trace::Tlp tlp_of(const Access& access, const pcie::Piece& piece, pcie::TlpClass tlp_class) {
    trace::Tlp tlp;
    tlp.asked = access.asked;
    tlp.bytes = piece.bytes;
    auto& record = tlp.record;
    record.tlp_class = tlp_class;
    record.op = access.asked.op;
    record.purpose = access.asked.purpose;
    record.requester = access.requester;
    record.target = access.asked.target;
    record.cookie = access.asked.cookie;
    record.address = piece.address;
    record.payload = Bytes{4} * piece.data_dw;
    record.start = record.end = access.when;
    return tlp;
  }

  /// Completions go back the way of the request.
  void show(trace::Tlp& tlp, const Access::Hop& hop, bool back) {
    tlp.record.link = hop.link;
    tlp.record.direction = hop.is_up != back ? hop.up : 1 - hop.up;
    const auto& link = scene_.topology.links[hop.link.value()];
    tlp.from = tlp.record.direction == 0 ? link.a : link.b;
    tlp.to = tlp.record.direction == 0 ? link.b : link.a;
    tracer_.show(tlp);
  }

  const observe::Scene& scene_;
  trace::Tracer& tracer_;
  std::uint64_t number_ = 0;
  std::map<NodeId, std::uint64_t> requests_;
};

}  // namespace

observe::Scene scene_of(const scenario::Scenario& scenario) {
  // The devices' ledger calls the one root complex and its memory so, whatever the scenario does.
  const auto name_of = [](const scenario::Device& device) -> std::string {
    if (std::holds_alternative<device::RootComplexConfig>(device.config)) return "rc";
    return std::holds_alternative<device::HostMemoryConfig>(device.config) ? "dram" : device.name;
  };
  const auto found = [&](const std::string& end) {
    const auto device = std::ranges::find(scenario.devices, scenario::device_of(end), &scenario::Device::name);
    return device == scenario.devices.end() ? end : name_of(*device);
  };
  observe::Scene scene;
  const auto add = [&](const scenario::Device& device) {
    const bool routes = std::holds_alternative<device::RootComplexConfig>(device.config) ||
                        std::holds_alternative<device::SwitchConfig>(device.config);
    if (routes)
      scene.topology.add_router(name_of(device), {});
    else
      scene.topology.add_endpoint(name_of(device), {});
    scene.kinds.emplace_back(scenario::kind_of(device));
  };
  const auto is_root = [](const scenario::Device& device) {
    return std::holds_alternative<device::RootComplexConfig>(device.config);
  };
  for (const auto& device : scenario.devices)
    if (is_root(device)) add(device);
  for (const auto& device : scenario.devices)
    if (!is_root(device)) add(device);
  const auto join = [&](const std::string& nearer, const std::string& farther, std::string shape) {
    scene.topology.connect(node_of(scene, nearer), node_of(scene, farther), {}, {});
    scene.links.push_back({farther + "-" + nearer, std::move(shape), 1});
  };
  for (const auto& link : scenario.links)
    join(found(link.from), found(link.to), "Gen" + std::to_string(link.generation) + " x" + std::to_string(link.width));
  for (const auto& device : scenario.devices)
    if (std::holds_alternative<device::HostMemoryConfig>(device.config)) join("rc", "dram", "internal");
  return scene;
}

std::string replay_trace(std::istream& lines, const observe::Scene& scene, trace::Tracer& tracer) {
  Replay replay{scene, tracer};
  std::size_t number = 0;
  for (std::string text; std::getline(lines, text);) {
    ++number;
    try {
      replay.line(Json::parse(text));
    } catch (const std::exception& e) {
      return "line " + std::to_string(number) + " of the devices' trace cannot be read: " + e.what();
    }
  }
  return {};
}

}  // namespace peerpath::emulator
