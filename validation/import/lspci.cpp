#include "validation/import/lspci.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdio>
#include <set>
#include <tuple>

#include "core/pcie/acs.hpp"

namespace peerpath::import {
namespace {

/// The text after `label` in `line`, or nothing.
std::optional<std::string_view> after(std::string_view line, std::string_view label) {
  const auto at = line.find(label);
  if (at == std::string_view::npos) return {};
  return line.substr(at + label.size());
}

std::optional<int> number(std::string_view text, int base = 10) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end == text.data()) return {};
  return value;
}

bool digits(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

constexpr std::string_view hex = "0123456789abcdefABCDEF";

/// "0000:03:00.0" or "03:00.0".
bool read_address(std::string_view text, Function& f) {
  if (std::ranges::count(text, ':') == 2) {
    const auto colon = text.find(':');
    if (!digits(text.substr(0, colon), hex)) return false;
    const auto domain = number(text.substr(0, colon), 16);
    if (!domain) return false;
    f.domain = *domain;
    text.remove_prefix(colon + 1);
  }
  if (text.size() != 7 || text[2] != ':' || text[5] != '.') return false;
  if (!digits(text.substr(0, 2), hex) || !digits(text.substr(3, 2), hex) || !digits(text.substr(6), "01234567"))
    return false;
  f.bus = *number(text.substr(0, 2), 16);
  f.device = *number(text.substr(3, 2), 16);
  f.function = *number(text.substr(6), 16);
  return f.device < 32;
}

std::optional<int> generation(std::string_view speed) {
  constexpr std::array<std::pair<std::string_view, int>, 6> speeds{
      {{"2.5GT/s", 1}, {"5GT/s", 2}, {"8GT/s", 3}, {"16GT/s", 4}, {"32GT/s", 5}, {"64GT/s", 6}}};
  for (const auto& [text, value] : speeds)
    if (speed.starts_with(text)) return value;
  return {};
}

/// "SrcValid+ TransBlk- ..." as register bits.
std::uint16_t acs_bits(std::string_view flags) {
  constexpr std::array<std::pair<std::string_view, std::uint16_t>, 7> names{
      {{"SrcValid+", pcie::acs::source_validation},
       {"TransBlk+", pcie::acs::translation_blocking},
       {"ReqRedir+", pcie::acs::request_redirect},
       {"CmpltRedir+", pcie::acs::completion_redirect},
       {"UpstreamFwd+", pcie::acs::upstream_forwarding},
       {"EgressCtrl+", pcie::acs::egress_control},
       {"DirectTrans+", pcie::acs::direct_translated}}};
  std::uint16_t bits = 0;
  for (const auto& [name, bit] : names)
    if (flags.find(name) != flags.npos) bits = static_cast<std::uint16_t>(bits | bit);
  return bits;
}

/// The "128G" of "[size=128G]".
std::optional<Bytes> region_size(std::string_view line) {
  const auto text = after(line, "[size=");
  const auto count = text ? number(*text) : std::nullopt;
  if (!count || *count <= 0 || *count > 4096) return {};
  constexpr std::string_view units = "KMGTP";
  const auto unit = text->find_first_not_of("0123456789");
  const auto power = unit == text->npos ? units.npos : units.find((*text)[unit]);
  return Bytes{std::int64_t{*count} << (power == units.npos ? 0 : 10 * (power + 1))};
}

/// "8086:2f00", at the start of a text.
void read_ids(std::string_view text, Function& f) {
  if (text.size() < 9 || text[4] != ':' || !digits(text.substr(0, 4), hex) || !digits(text.substr(5, 4), hex)) return;
  f.vendor = number(text.substr(0, 4), 16);
  f.device_id = number(text.substr(5, 4), 16);
}

/// One function's text, read line by line.
class Reader {
 public:
  Reader(std::string file, Problems& problems) : file_{std::move(file)}, problems_{problems} {}

  void read(std::string_view line, int row, Function& f) {
    line_ = row;
    if (const auto rest = after(line, "Bus: primary=")) buses(*rest, f);
    if (const auto rest = after(line, "] Express ")) express(*rest, f);
    if (line.find("DevCap:") != line.npos) size(line, "MaxPayload ", f.max_payload_supported);
    if (line.find("DevCtl:") != line.npos) in_control_ = true;
    if (in_control_) control(line, f);
    if (line.find("DevSta:") != line.npos) in_control_ = false;
    if (line.find("DevCtl2:") != line.npos) in_control_2_ = true;
    if (line.find("LnkCap2:") != line.npos || line.find("Capabilities:") != line.npos) in_control_2_ = false;
    if (in_control_2_) flag(line, "10BitTagReq", f.ten_bit_tag);
    if (const auto rest = after(line, "ACSCtl:")) f.acs_control = acs_bits(*rest);
    const auto indent = line.substr(0, line.find_first_not_of("\t "));
    const bool own = indent == "\t" || indent == "        ";  // what stands further right is of virtual functions
    if (own && line.find("Region ") == indent.size() && line.find(" prefetchable") != line.npos) region(line, f);
    if (const auto rest = after(line, "NUMA node: ")) f.numa_node = number(*rest);
    if (const auto rest = after(line, "IOMMU group: ")) f.iommu_group = number(*rest);
    if (line.find("LnkCap:") != line.npos) shape(line, f.link_capability);
    if (line.find("LnkSta:") != line.npos) shape(line, f.link);
    if (line.find("LnkCtl:") != line.npos && line.find("RCB ") != line.npos) size(line, "RCB ", f.rcb, 64, 128);
    if (line.find("AERCap:") != line.npos) flag(line, "CGenEn", f.ecrc_generation);
    if (line.find("ECRCGenEn") != line.npos) flag(line, "ECRCGenEn", f.ecrc_generation);
  }

  bool within_control() const { return in_control_; }
  void reset() { in_control_ = in_control_2_ = false; }

 private:
  void problem(const std::string& what) { problems_.push_back({file_, line_, 1, "", what}); }

  void buses(std::string_view rest, Function& f) {
    const auto one = [&](std::string_view label, std::optional<int>& value) {
      const auto text = after(rest, label);
      if (text) value = number(*text, 16);
      if (!value) problem("a bridge without " + std::string{label.substr(0, label.size() - 1)} + " bus");
    };
    one("secondary=", f.secondary);
    one("subordinate=", f.subordinate);
    // Buses are numbered from the root on, so whoever climbs them comes to an end.
    if (f.secondary && *f.secondary != 0 && *f.secondary <= f.bus)
      problem("a bridge whose secondary bus is not above its own");
  }

  void region(std::string_view line, Function& f) {
    const auto size = region_size(line);
    for (const std::string_view why : {"<unassigned>", "<ignored>", "[disabled]"}) {
      if (line.find(why) == line.npos) continue;
      DeadRegion dead{number(*after(line, "Region ")).value_or(0), line_, std::string{why.substr(1, why.size() - 2)},
                      size};
      if (!f.dead_region || (f.dead_region->size && (!size || *size > *f.dead_region->size))) f.dead_region = dead;
      return drop_smaller(f);
    }
    f.window = std::max(f.window, size);
    drop_smaller(f);
  }

  /// A dead region that a live one exceeds takes nothing away.
  static void drop_smaller(Function& f) {
    if (f.dead_region && f.dead_region->size && f.window && *f.dead_region->size <= *f.window) f.dead_region.reset();
  }

  static void express(std::string_view rest, Function& f) {
    if (rest.starts_with('(')) rest = after(rest, ") ").value_or("");
    f.port = std::string{rest.substr(0, rest.find(", MSI"))};
  }

  void control(std::string_view line, Function& f) {
    flag(line, "ExtTag", f.extended_tag);
    flag(line, "RlxdOrd", f.relaxed_ordering);
    flag(line, "NoSnoop", f.no_snoop);
    if (line.find("MaxReadReq") == line.npos) return;
    size(line, "MaxPayload ", f.max_payload);
    size(line, "MaxReadReq ", f.max_read_request);
  }

  /// The fields of Device Control count from 128 bytes on (PCIe Base 5.0 section 7.5.3.4); RCB is 64 or 128.
  void size(std::string_view line, std::string_view label, std::optional<Bytes>& value, int least = 128,
            int most = 4096) {
    const auto rest = after(line, label);
    const auto bytes = rest ? number(*rest) : std::nullopt;
    if (bytes && *bytes >= least && *bytes <= most && (*bytes & (*bytes - 1)) == 0)
      value = Bytes{*bytes};
    else
      problem(std::string{label.substr(0, label.size() - 1)} + " is not a power of two from " + std::to_string(least) +
              " to " + std::to_string(most) + " bytes");
  }

  void shape(std::string_view line, std::optional<pcie::LinkShape>& value) {
    const auto speed = after(line, "Speed ");
    const auto width = after(line, "Width x");
    if (!speed || !width || speed->starts_with("unknown")) return;  // a port without a link, or a link that is hidden
    const auto g = generation(*speed);
    const auto lanes = number(*width);
    if (!g || !lanes || *lanes < 0 || *lanes > 32 || (std::popcount(static_cast<unsigned>(*lanes)) > 1 && *lanes != 12))
      problem("a link whose speed or width cannot be read");
    else if (*lanes > 0)
      value = pcie::LinkShape{*g, *lanes};
  }

  static void flag(std::string_view line, std::string_view label, std::optional<bool>& value) {
    const auto rest = after(line, label);
    if (rest && !rest->empty() && (rest->front() == '+' || rest->front() == '-')) value = rest->front() == '+';
  }

  std::string file_;
  Problems& problems_;
  int line_ = 0;
  bool in_control_ = false, in_control_2_ = false;
};

/// What lspci says besides: "pcilib: sysfs_read_vpd: read failed: Input/output error".
bool aside(std::string_view line) { return line.starts_with("pcilib: ") || line.starts_with("lspci: "); }

/// A row of `lspci -x`, -xxx or -xxxx: "f0: 00 1c ...", "100: 00 ...".
bool bytes_of_configuration(std::string_view line) {
  const auto colon = line.find(": ");
  return (colon == 2 || colon == 3) && digits(line.substr(0, colon), hex) && line.size() >= colon + 4 &&
         digits(line.substr(colon + 2, 2), hex) && (line.size() == colon + 4 || line[colon + 4] == ' ');
}

bool heading(std::string_view line) { return !line.empty() && line.front() != '\t' && line.front() != ' '; }

Function read_heading(std::string_view line, int row, const std::string& file, Problems& problems) {
  Function f;
  f.line = row;
  const auto space = line.find(' ');
  if (space == line.npos || !read_address(line.substr(0, space), f)) {
    problems.push_back({file, row, 1, "",
                        "\"" + std::string{line.substr(0, std::min<std::size_t>(space, 40))} +
                            "\" is not the address of a function; expected an lspci -vvv dump"});
    return f;
  }
  const auto rest = line.substr(space + 1);
  const auto colon = rest.find(": ");
  f.kind = std::string{rest.substr(0, colon)};
  if (colon == rest.npos) return f;
  f.name = std::string{rest.substr(colon + 2)};
  read_ids(f.name, f);
  for (auto at = f.name.find('['); at != f.name.npos; at = f.name.find('[', at + 1))
    read_ids(std::string_view{f.name}.substr(at + 1), f);
  constexpr std::array<std::pair<std::string_view, int>, 4> vendors{
      {{"Intel Corporation Device ", 0x8086},
       {"Advanced Micro Devices, Inc. [AMD] Device ", 0x1022},
       {"NVIDIA Corporation Device ", 0x10de},
       {"Google, Inc. Device ", 0x1ae0}}};
  for (const auto& [vendor, id] : vendors) {  // a device that pci.ids did not know yet
    if (f.vendor || !f.name.starts_with(vendor)) continue;
    f.vendor = id;
    f.device_id = number(std::string_view{f.name}.substr(vendor.size()), 16);
  }
  return f;
}

}  // namespace

std::string Function::address() const {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%x", static_cast<unsigned>(domain),
                static_cast<unsigned>(bus), static_cast<unsigned>(device), static_cast<unsigned>(function));
  return text.data();
}

tl::expected<std::vector<Function>, Problems> parse_lspci(std::string_view text, const std::string& file) {
  std::vector<Function> functions;
  Problems problems;
  Reader reader{file, problems};
  std::set<std::tuple<int, int, int, int>> seen;
  int number = 0;
  const auto close = [&](int line) {
    if (reader.within_control())
      problems.push_back({file, line, 1, "", "the dump ends within a capability: truncated?"});
    reader.reset();
  };
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // byte order mark
  while (!text.empty()) {
    ++number;
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (aside(line) || bytes_of_configuration(line)) continue;
    if (heading(line)) {
      close(number);
      auto f = read_heading(line, number, file, problems);
      if (problems.size() >= 20) break;  // not a dump
      if (!f.kind.empty() && !seen.insert({f.domain, f.bus, f.device, f.function}).second)
        problems.push_back({file, number, 1, "", f.address() + " is there twice"});
      functions.push_back(std::move(f));
    } else if (!line.empty() && functions.empty()) {
      problems.push_back({file, number, 1, "", "text before the first function; expected an lspci -vvv dump"});
      break;
    } else if (!line.empty()) {
      reader.read(line, number, functions.back());
    }
  }
  close(number);
  if (functions.empty() && problems.empty()) problems.push_back({file, 1, 1, "", "no PCI function in this file"});
  if (!problems.empty()) return tl::unexpected{problems};
  return functions;
}

const Function* parent(const std::vector<Function>& functions, const Function& function) {
  const auto above = std::ranges::find_if(functions, [&](const Function& f) {
    return f.domain == function.domain && f.secondary && *f.secondary == function.bus && function.bus != 0;
  });
  return above == functions.end() ? nullptr : &*above;
}

}  // namespace peerpath::import
