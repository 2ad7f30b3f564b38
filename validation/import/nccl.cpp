#include "validation/import/nccl.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "core/pcie/function_address.hpp"
#include "validation/import/xml.hpp"

namespace peerpath::import {
namespace {

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

/// "16.0 GT/s PCIe", or "16 GT/s" as older kernels spell it.
std::optional<int> generation_of(std::string_view speed) {
  constexpr std::array<std::pair<std::string_view, int>, 6> speeds{
      {{"2.5", 1}, {"5", 2}, {"8", 3}, {"16", 4}, {"32", 5}, {"64", 6}}};
  const auto unit = speed.find(" GT/s");
  auto value = speed.substr(0, unit);
  if (value.ends_with(".0")) value.remove_suffix(2);
  for (const auto& [text, gen] : speeds)
    if (unit != speed.npos && value == text) return gen;
  return {};
}

class NcclReader {
 public:
  NcclReader(const Xml& xml, const std::string& file) : xml_{xml}, file_{file} {}

  tl::expected<Machine, Problems> read() {
    const auto system = xml_.root();
    if (!is(system, "system"))
      fail(system, "<" + std::string{system.name()} + "> is not the <system> of a topology of NCCL");
    for (const auto& cpu : system.children("cpu"))
      if (problems_.empty()) read_cpu(cpu);
    machine_.sockets = std::max(1, socket_);
    if (problems_.empty() && machine_.parts.empty()) fail(system, "no GPU and no NIC below any <cpu>");
    if (machine_.parts.size() > most_parts) fail(system, "more than " + std::to_string(most_parts) + " devices");
    if (!problems_.empty()) return tl::unexpected{problems_};
    if (!nets_.empty()) machine_.notes.push_back("in the dump " + nets_);
    if (!left_out_.empty()) machine_.notes.push_back("left out: " + left_out_);
    machine_.description = "GPUs, NICs and switches of a machine, from NCCL's topology; no traffic";
    machine_.source = "NCCL_TOPO_DUMP_FILE: " + file_;
    return std::move(machine_);
  }

 private:
  void fail(const pugi::xml_node& at, const std::string& what) {
    problems_.push_back({file_, xml_.line_of(at), 1, "", what});
  }

  static bool is(const pugi::xml_node& element, std::string_view name) { return element.name() == name; }

  void leave_out(const std::string& what) { left_out_ += (left_out_.empty() ? "" : ", ") + what; }

  void read_cpu(const pugi::xml_node& cpu) {
    if (const std::string host{value(cpu, "host_hash")}; host_ && *host_ != host)
      return fail(cpu, "a CPU of another host than the one before; a scenario's devices are of one, see hosts");
    else
      host_ = host;
    machine_.cpu_vendor = value(cpu, "vendor");
    const auto before = machine_.parts.size();
    for (const auto& child : cpu.children()) read_below(child, -1);
    if (machine_.parts.size() > before) ++socket_;
  }

  void read_below(const pugi::xml_node& element, int above) {
    if (is(element, "pci")) return read_function(element, above);
    if (is(element, "nic"))
      for (const auto& net : element.children())
        leave_out(std::string{value(net, "name")} + " (it has no PCI function)");
    if (is(element, "gpu")) fail(element, "a GPU outside of a <pci> element");
  }

  void read_function(const pugi::xml_node& pci, int above) {
    const std::string bus{value(pci, "busid")};
    const auto type = value(pci, "class");
    if (bus.empty()) return fail(pci, "a <pci> without busid");
    if (!pcie::is_function_address(bus)) return fail(pci, bus + " is no busid such as 0000:3b:00.0");
    if (!type.starts_with("0x") && !holds(pci, "gpu") && !holds(pci, "nic"))
      return fail(pci, bus + " has no class such as 0x030200, and neither <gpu> nor <nic> in it");
    if (!seen_.insert(bus).second) return fail(pci, bus + " is there twice");
    if (type.starts_with("0x0604")) return read_switch(pci, above);
    const bool gpu = holds(pci, "gpu") || type.starts_with("0x03");
    const bool nic = holds(pci, "nic") || type.starts_with("0x02");
    if (!gpu && !nic) return leave_out(bus + " (class " + std::string{type} + ")");
    Part part{.name = {},
              .kind = gpu ? "gpu" : "nic",
              .above = above,
              .socket = socket_,
              .link = link_of(pci),
              .address = bus};
    part.name = part.kind + std::to_string(counts_[part.kind]++);
    if (gpu)
      note_gpu(pci, part);
    else
      read_nets(pci, part);
    machine_.parts.push_back(part);
  }

  /// What NCCL has found it to be counts more than its class: there are NICs of class 00ff.
  static bool holds(const pugi::xml_node& pci, const char* name) { return !pci.child(name).empty(); }

  /// It is kept if something below it is.
  void read_switch(const pugi::xml_node& pci, int above) {
    const auto at = machine_.parts.size();
    machine_.parts.push_back({.name = "switch" + std::to_string(counts_["switch"]++),
                              .kind = "pcie_switch",
                              .above = above,
                              .socket = socket_,
                              .link = link_of(pci),
                              .address = std::string{value(pci, "busid")}});
    for (const auto& child : pci.children()) read_below(child, static_cast<int>(at));
    if (machine_.parts.size() > at + 1) return;
    machine_.parts.resize(at);
    --counts_["switch"];
    leave_out(std::string{value(pci, "busid")} + " (a switch without GPU or NIC)");
  }

  std::optional<pcie::LinkShape> link_of(const pugi::xml_node& pci) {
    const auto speed = value(pci, "link_speed"), width = value(pci, "link_width");
    // sysfs says 0, 63 or 255 lanes, or no speed, of a function whose link is hidden, as in a virtual machine.
    const auto lanes = whole_number(width).value_or(width.empty() ? 0 : -1);
    if (speed.empty() || speed.starts_with("Unknown") || lanes == 0 || lanes == 63 || lanes == 255) return {};
    constexpr std::array widths{1, 2, 4, 8, 12, 16};
    const auto gen = generation_of(speed);
    if (gen && std::ranges::count(widths, lanes) == 1) return pcie::LinkShape{*gen, lanes};
    fail(pci, std::string{value(pci, "busid")} + " has a link of \"" + std::string{speed} + "\" and \"" +
                  std::string{width} + "\" lanes; expected such as \"16.0 GT/s PCIe\" and \"16\"");
    return {};
  }

  void note_gpu(const pugi::xml_node& pci, const Part& part) {
    for (const auto& gpu : pci.children("gpu"))
      if (value(gpu, "dev") != part.name.substr(3))
        add_name(part.name + " is NCCL's dev " + std::string{value(gpu, "dev")});
  }

  void read_nets(const pugi::xml_node& pci, Part& part) {
    for (const auto& below : pci.children())
      for (const auto& net : below.children("net")) {
        add_name(part.name + " is " + std::string{value(net, "name")});
        const auto megabits = whole_number(value(net, "speed")).value_or(0);
        if (megabits < 1000 || megabits > 1'600'000) continue;
        part.wire_rate = std::max(part.wire_rate.value_or(BitRate{}), BitRate{std::int64_t{megabits} * 1'000'000});
      }
  }

  void add_name(const std::string& text) { nets_ += (nets_.empty() ? "" : ", ") + text; }

  const Xml& xml_;
  const std::string& file_;
  Machine machine_;
  Problems problems_;
  int socket_ = 0;  ///< CPUs with devices so far
  std::optional<std::string> host_;
  std::set<std::string> seen_;
  std::map<std::string, int> counts_;
  std::string nets_, left_out_;
};

}  // namespace

tl::expected<Machine, Problems> parse_nccl(std::string_view text, const std::string& file) {
  const auto xml = Xml::read(text, file);
  if (!xml) return tl::unexpected{Problems{xml.error()}};
  return NcclReader{*xml, file}.read();
}

}  // namespace peerpath::import
