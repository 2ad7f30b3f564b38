#include "validation/emulator/job.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace peerpath::emulator {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return out + "'";
}

const scenario::Device* find(const scenario::Scenario& scenario, const std::string& name) {
  const auto found = std::ranges::find(scenario.devices, name, &scenario::Device::name);
  return found == scenario.devices.end() ? nullptr : &*found;
}

/// TCP's payload of a full frame, from the scenario's frame size.
std::int64_t segment_of(const scenario::Traffic& traffic) { return traffic.sizes.front().count(); }
constexpr std::int64_t timestamps = 12;  // TCP option that a segment's maximum size counts as payload
constexpr std::int64_t headers = 40;     // IPv4 and TCP without options

class Writer {
 public:
  Writer(const scenario::Scenario& scenario, const Machine& machine) : scenario_{scenario}, machine_{machine} {}

  tl::expected<std::string, Problems> write() {
    text_ =
        "side=" + std::string{name_of(machine_.side)} + "\n" + disturbance() + "modprobe gve; modprobe virtio_net\n";
    if (uses_gpu() && machine_.side != Side::far) {
      text_ +=
          scenario_.emulator.exporter == scenario::GpuExporter::p2pdma ? "use_vram_module\n" : "modprobe virtio_gpu\n";
    }
    // Frames that nobody asked for would be counted with the payload.
    text_ += "echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6\n";
    // A window that is nearly full makes TCP send less than a full segment; the model's frames are all full.
    if (std::ranges::any_of(scenario_.traffic, [](const auto& t) { return t.ends_after() > Bytes{0}; }))
      text_ += "echo 4096 33554432 67108864 >/proc/sys/net/ipv4/tcp_rmem\n";
    for (std::size_t i = 0; i < machine_.wires.size(); ++i) wire(i);
    for (std::size_t i = 0; i < scenario_.traffic.size(); ++i) traffic(i);
    if (uses_gpu() && machine_.side != Side::far && scenario_.emulator.exporter == scenario::GpuExporter::p2pdma)
      text_ += "report_p2pdma\n";
    if (!problems_.empty()) return tl::unexpected{problems_};
    return text_;
  }

 private:
  void problem(std::size_t entry, const std::string& key, const std::string& message) {
    problems_.push_back({"", 0, 0, "/traffic/" + std::to_string(entry) + key, message});
  }
  /// Arguments of tc-netem at the far end of each wire.
  std::string disturbance() const {
    const auto& options = scenario_.emulator;
    std::string words;
    const auto percent = [](double value) { return OrderedJson(value).dump() + "%"; };
    if (options.reorder_percent > 0) words += " delay 2ms reorder " + percent(options.reorder_percent);
    if (options.loss_percent > 0) words += " loss " + percent(options.loss_percent);
    return words.empty() ? "" : "netem='limit 10000" + words + "'\n";
  }

  bool is_gpu(const std::string& name) const {
    const auto* device = find(scenario_, name);
    return device != nullptr && std::holds_alternative<device::GpuConfig>(device->config);
  }
  bool uses_gpu() const {
    return std::ranges::any_of(scenario_.traffic, [&](const auto& t) { return is_gpu(t.to); });
  }

  /// Addresses 192.0.2.2 + 2 n and the one after it, on the two ends of wire n.
  static std::string address(std::size_t wire, bool peer) {
    return "192.0.2." + std::to_string(2 + 2 * wire + (peer ? 1 : 0));
  }

  void wire(std::size_t number) {
    const auto& wire = machine_.wires[number];
    std::int64_t mtu = 1500;
    for (const auto& traffic : scenario_.traffic) {
      if (traffic.from == wire.nic) mtu = std::max(mtu, segment_of(traffic) + timestamps + headers);
    }
    text_ += "connect_wire " + wire.nic + " " + wire.mac + " " + address(number, false) + " " + wire.peer_mac + " " +
             address(number, true) + " " + std::to_string(mtu) + "\n";
  }

  void traffic(std::size_t number) {
    const auto& traffic = scenario_.traffic[number];
    const bool receive = !traffic.with_kind([](auto kind, const auto&) { return kind.pulls; });
    if (!traffic.with_kind([](auto kind, const auto&) { return kind.by_driver; })) {
      return problem(number, "/kind", "the emulator does receive and transmit only");
    }
    if (traffic.path != scenario::DataPath::zero_copy) {
      return problem(number, "/path",
                     "the emulator does zero_copy only; emulator.api socket copies through host memory");
    }
    if (traffic.replays()) return problem(number, "/capture", "the emulator cannot replay a capture");
    if (segment_of(traffic) > 8948)
      return problem(number, "/sizes", "frames of the emulator carry 8948B of payload at most");
    const auto wire = std::ranges::find(machine_.wires, traffic.from, &Wire::nic);
    if (wire == machine_.wires.end()) return problem(number, "/from", "this NIC is not linked to the root complex");
    const auto& options = scenario_.emulator;
    if (is_gpu(traffic.to) && options.api == scenario::KernelApi::socket) {
      return problem(number, "/to", "plain sockets move payload to and from host memory only");
    }
    if (!receive && options.api == scenario::KernelApi::zcrx) return problem(number, "/kind", "zcrx receives only");

    const auto wire_number = static_cast<std::size_t>(wire - machine_.wires.begin());
    const auto seconds = std::max<std::int64_t>(1, options.timeout / std::chrono::seconds{1} / 2);
    const OrderedJson common{{"port", 5201 + number},
                             {"address", address(wire_number, !receive)},
                             {"bytes", payload_of(scenario_, traffic).count()},
                             {"seed", scenario_.run.seed + static_cast<std::int64_t>(number)},
                             {"mss", segment_of(traffic) + timestamps},
                             {"timeout_s", seconds}};
    OrderedJson near = common, far = common;
    near["role"] = receive ? "sink" : "source";
    far["role"] = receive ? "source" : "sink";
    near["api"] = std::string{name_of(options.api)};
    near["interface"] = "@";  // the guest puts the interface's name here
    near["queue"] = 1;
    if (options.api != scenario::KernelApi::socket) near["memory"] = {{"provider", provider(traffic)}};
    text_ += "transfer " + quoted(traffic.name) + " " + traffic.from + " " + (receive ? "receive" : "transmit") + " " +
             quoted(near.dump()) + " " + quoted(far.dump()) + "\n";
  }

  std::string provider(const scenario::Traffic& traffic) const {
    if (is_gpu(traffic.to)) return std::string{name_of(scenario_.emulator.exporter)};
    return scenario_.emulator.api == scenario::KernelApi::zcrx ? "host" : "udmabuf";
  }

  const scenario::Scenario& scenario_;
  const Machine& machine_;
  std::string text_;
  Problems problems_;
};

}  // namespace

tl::expected<std::string, Problems> make_job(const scenario::Scenario& scenario, const Machine& machine) {
  return Writer{scenario, machine}.write();
}

}  // namespace peerpath::emulator
