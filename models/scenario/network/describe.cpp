#include "scenario/network/describe.hpp"

#include "scenario/describe_fields.hpp"
#include "scenario/network/network_scenario.hpp"
#include "scenario/schema_fields.hpp"

namespace peerpath::network_scenario {
namespace {

using Json = nlohmann::ordered_json;

/// A block of the file: its key, what `explain` calls it, what it is, and whether it is a list.
template <class Config>
struct Block {
  using config = Config;
  std::string_view key, topic, doc;
  bool is_list = false;
};

constexpr std::tuple blocks{
    Block<Topology>{"network", "network", "An Ethernet network: a generator, or hosts, switches and cables by name"},
    Block<network::SwitchConfig>{"switches", "switches", "Settings of every switch in a network"},
    Block<Nics>{"nics", "nics", "Settings of every NIC in a network"},
    Block<Servers>{"servers", "servers", "Servers with several GPUs, and their NVLinks"},
    Block<SlowHost>{"slow_hosts", "slow_host",
                    "An entry of `slow_hosts`: hosts whose memory accepts less than the wire rate", true},
    Block<NodeEntry>{"nodes", "node", "An entry of `nodes`: hosts of a network with a PCIe scenario of their own",
                     true},
    Block<Rdma>{"rdma", "rdma", "An entry of `rdma`: messages of one size between hosts of a network", true},
    Block<Collective>{"collectives", "collective",
                      "An entry of `collectives`: a collective of hosts of a network, once", true},
    Block<TraceEntry>{"traces", "trace",
                      "An entry of `traces`: one replay of a training job from execution trace files", true},
    Block<tcp::Config>{"tcp_stack", "tcp_stack", "TCP of all hosts of a network"},
    Block<tcp::HostConfig>{"tcp_hosts", "tcp_host", "NICs and cores of all hosts of a network with TCP"},
    Block<Tcp>{"tcp", "tcp", "An entry of `tcp`: connections between hosts of a network", true},
    Block<CableEvent>{"events", "event", "An entry of `events` of a network scenario: a cable fails or comes back",
                      true},
    Block<RunLength>{"run", "run", "`run` of a network scenario: how long, and from which seed"}};

template <class Use>
void for_each_block(Use use) {
  std::apply([&](const auto&... block) { (use(block), ...); }, blocks);
}

}  // namespace

std::vector<scenario::Topic> topics() {
  std::vector<scenario::Topic> out;
  for_each_block([&]<class Config>(const Block<Config>& block) {
    out.push_back({{std::string{block.topic}, std::string{block.doc}}, {}});
    scenario::collect(Config{}, "", out.back().options);
  });
  return out;
}

std::string schema_json() {
  const Json text{{"type", "string"}};
  Json properties{{"$schema", text},
                  {"description", text},
                  {"source", scenario::source_schema()},
                  {"extends", scenario::extends_schema()}};
  for_each_block([&]<class Config>(const Block<Config>& block) {
    auto object = scenario::object_schema<Config>(block.doc, {});
    properties[std::string{block.key}] = block.is_list ? Json{{"type", "array"}, {"items", object}} : object;
  });
  properties["sweep"] = scenario::object_schema<scenario::Sweep>("Values that `peerpath sweep` varies", {});
  properties["expect"] = {
      {"type", "array"},
      {"items", scenario::object_schema<scenario::Expectation>("Conditions on the results", {"metric"})}};
  return Json{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}}.dump(2) + "\n";
}

}  // namespace peerpath::network_scenario
