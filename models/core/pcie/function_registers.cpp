#include "core/pcie/function_registers.hpp"

#include <array>
#include <bit>

#include "peerpath/base/fail.hpp"

namespace peerpath::pcie {
namespace {

// Offsets in the header (PCIe Base Spec 7.5.1).
constexpr int command = 0x04, class_and_revision = 0x08, header_type = 0x0e, bar0 = 0x10;
constexpr int primary_bus_register = 0x18, secondary_bus_register = 0x19, subordinate_bus_register = 0x1a;
constexpr int memory_base = 0x20, memory_limit = 0x22, prefetch_base = 0x24, prefetch_limit = 0x26;
constexpr int prefetch_base_upper = 0x28, prefetch_limit_upper = 0x2c, interrupt_line = 0x3c, bridge_control = 0x3e;
constexpr std::uint32_t command_memory = 1 << 1, command_bus_master = 1 << 2;
constexpr std::uint32_t command_writable = command_memory | command_bus_master | 1 << 6 | 1 << 8 | 1 << 10;
constexpr std::uint32_t bar_64_bit = 4, bar_prefetchable = 8;

// Offsets in the PCI Express capability (PCIe Base Spec 7.5.3).
constexpr int express_flags = 2, device_capabilities = 4, device_control = 8, device_status = 10;
constexpr int link_capabilities = 12, link_control = 16, link_status = 18;
constexpr int device_capabilities_2 = 36, device_control_2 = 40, link_capabilities_2 = 44, link_control_2 = 48;
constexpr std::uint32_t enable_relaxed_ordering = 1 << 4, extended_tag_enable = 1 << 8;
constexpr std::uint32_t timeout_disable = 1 << 4, enable_ido_request = 1 << 8, enable_ido_completion = 1 << 9;
constexpr std::uint32_t ten_bit_tag_enable = 1 << 12;

/// Sizes 128, 256, ... 4096 B are coded 0, 1, ... 5.
std::uint32_t size_code(Bytes size) {
  return static_cast<std::uint32_t>(std::countr_zero(static_cast<std::uint64_t>(size.count())) - 7);
}
Bytes size_of(std::uint32_t code) { return Bytes{std::int64_t{128} << code}; }
bool codable(Bytes size) {
  return size >= Bytes{128} && size <= Bytes{4096} && std::has_single_bit(static_cast<std::uint64_t>(size.count()));
}

/// Device/Port Type.
std::uint32_t port_type(FunctionKind kind) {
  switch (kind) {
    case FunctionKind::endpoint:
      return 0;
    case FunctionKind::root_port:
      return 4;
    case FunctionKind::upstream_port:
      return 5;
    case FunctionKind::downstream_port:
      return 6;
  }
  fail("a function of no kind");
}

std::uint32_t speed_and_width(LinkShape link) {
  return static_cast<std::uint32_t>(link.generation) | static_cast<std::uint32_t>(link.width) << 4;
}

/// Middles of the ranges that Completion Timeout Value selects.
std::optional<Duration> timeout_of(std::uint32_t value) {
  using namespace std::chrono_literals;
  switch (value) {
    case 0:
      return 25ms;  // default range: 50 us .. 50 ms
    case 1:
      return 75us;  // 50 us .. 100 us
    case 2:
      return 5500us;  // 1 ms .. 10 ms
    case 5:
      return 35ms;  // 16 ms .. 55 ms
    case 6:
      return 135ms;  // 65 ms .. 210 ms
    case 9:
      return 580ms;  // 260 ms .. 900 ms
    case 10:
      return 2250ms;  // 1 s .. 3.5 s
    case 13:
      return 8500ms;  // 4 s .. 13 s
    case 14:
      return 40500ms;  // 17 s .. 64 s
    default:
      return {};
  }
}

}  // namespace

FunctionRegisters::FunctionRegisters(const FunctionIdentity& identity) : kind_{identity.kind} {
  require(codable(identity.max_payload_supported), "MPS supported is a power of two from 128 to 4096 B");
  header(identity);
  pci_express(identity);
  if (identity.msi_x_vectors > 0) {
    require(identity.msi_x_vectors <= 2048, "MSI-X has at most 2048 vectors");
    const int at = space_.add_capability(capability_msi_x, 12);
    space_.set(at + 2, 2, static_cast<std::uint32_t>(identity.msi_x_vectors - 1));
    space_.allow(at + 2, 2, 0xc000);  // enable, function mask
    const auto bar = static_cast<std::uint32_t>(identity.msi_x_bar);
    space_.set(at + 4, 4, identity.msi_x_table | bar);
    space_.set(at + 8, 4, identity.msi_x_pending | bar);
  }
  const bool root_port = kind_ == FunctionKind::root_port;
  aer_ = space_.add_extended_capability(extended_capability_aer, 2, root_port ? 0x38 : 0x2c);
  constexpr std::uint32_t uncorrectable = 0x03fff030, correctable = 0x0000f1c1;
  space_.allow_clear(aer_ + 0x04, 4, uncorrectable);
  space_.allow(aer_ + 0x08, 4, uncorrectable);
  space_.allow(aer_ + 0x0c, 4, uncorrectable);
  space_.set(aer_ + 0x0c, 4, 0x00462030);  // severity after reset
  space_.allow_clear(aer_ + 0x10, 4, correctable);
  space_.allow(aer_ + 0x14, 4, correctable);
  space_.set(aer_ + 0x14, 4, 0x2000);  // advisory non-fatal errors are masked after reset
  if (root_port) {
    space_.allow(aer_ + 0x2c, 4, 7);
    space_.allow_clear(aer_ + 0x30, 4, 0x7f);
  }
  if (identity.acs_capabilities != 0) {
    const int at = space_.add_extended_capability(extended_capability_acs, 1, 8);
    space_.set(at + 4, 2, identity.acs_capabilities);
    space_.allow(at + 6, 2, identity.acs_capabilities);
  }
}

void FunctionRegisters::header(const FunctionIdentity& identity) {
  const bool bridge = kind_ != FunctionKind::endpoint;
  space_.set(0x00, 2, identity.vendor);
  space_.set(0x02, 2, identity.device);
  space_.allow(command, 2, command_writable);
  space_.allow_clear(0x06, 2, 0xf900);
  space_.set(class_and_revision, 4, (bridge ? 0x060400u : identity.class_code) << 8 | identity.revision);
  space_.allow(0x0c, 1, 0xff);  // cache line size: writable, without effect
  space_.set(header_type, 1, bridge ? 1 : 0);
  space_.allow(interrupt_line, 1, 0xff);
  for (const auto& bar : identity.bars) {
    const int at = bar0 + 4 * bar.index;
    const auto mask = ~(static_cast<std::uint64_t>(bar.size.count()) - 1);
    require(bar.index >= 0 && bar.index + (bar.prefetchable ? 1 : 0) < (bridge ? 2 : 6), "a header lacks the BAR");
    if (bar.prefetchable) {
      space_.set(at, 4, bar_64_bit | bar_prefetchable);
      space_.allow(at + 4, 4, static_cast<std::uint32_t>(mask >> 32));
    }
    space_.allow(at, 4, static_cast<std::uint32_t>(mask) & ~15u);
    if (bar.base.value() != 0) set_bar(bar.index, bar.base);
  }
  if (!bridge) return;
  space_.allow(primary_bus_register, 1, 0xff);
  space_.allow(secondary_bus_register, 1, 0xff);
  space_.allow(subordinate_bus_register, 1, 0xff);
  space_.allow(memory_base, 2, 0xfff0);
  space_.allow(memory_limit, 2, 0xfff0);
  space_.set(prefetch_base, 2, 1);  // 64-bit window
  space_.set(prefetch_limit, 2, 1);
  space_.allow(prefetch_base, 2, 0xfff0);
  space_.allow(prefetch_limit, 2, 0xfff0);
  space_.allow(prefetch_base_upper, 4, 0xffffffff);
  space_.allow(prefetch_limit_upper, 4, 0xffffffff);
  space_.allow(bridge_control, 2, 0x0043);
  set_bridge(0, Function{});  // windows are closed until somebody opens them
}

void FunctionRegisters::pci_express(const FunctionIdentity& identity) {
  express_ = space_.add_capability(capability_pci_express, 0x3c);
  const bool bridge = kind_ != FunctionKind::endpoint;
  const bool slot = kind_ == FunctionKind::root_port || kind_ == FunctionKind::downstream_port;
  space_.set(express_ + express_flags, 2, 2 | port_type(kind_) << 4 | (slot ? 1u << 8 : 0));
  constexpr std::uint32_t role_based_errors = 1 << 15;
  space_.set(express_ + device_capabilities, 4,
             size_code(identity.max_payload_supported) | (identity.extended_tags ? 1u << 5 : 0) | role_based_errors);
  // After reset: MPS 128 B, MRRS 512 B, relaxed ordering and no-snoop allowed (PCIe Base Spec 7.5.3.4).
  space_.set(express_ + device_control, 2, bridge ? 0x2000 : 0x2810);
  space_.allow(express_ + device_control, 2, 0x7fff & ~(identity.extended_tags ? 0u : extended_tag_enable));
  space_.allow_clear(express_ + device_status, 2, 0x000f);
  space_.set(express_ + link_capabilities, 4,
             speed_and_width(identity.link) | static_cast<std::uint32_t>(identity.port_number) << 24);
  space_.allow(express_ + link_control, 2, kind_ == FunctionKind::root_port ? 0x0ff3 : 0x0ffb);
  set_link(identity.link);
  constexpr std::uint32_t all_timeout_ranges = 0xf, disable_supported = 1 << 4, atomics_completed = 7 << 6;
  const std::uint32_t ten_bit = identity.ten_bit_tags ? 3u << 16 : 0;
  space_.set(express_ + device_capabilities_2, 4, all_timeout_ranges | disable_supported | atomics_completed | ten_bit);
  space_.allow(express_ + device_control_2, 2, 0x03df | (identity.ten_bit_tags ? ten_bit_tag_enable : 0));
  space_.set(express_ + link_capabilities_2, 4, ((1u << identity.link.generation) - 1) << 1);
  space_.set(express_ + link_control_2, 2, static_cast<std::uint32_t>(identity.link.generation));
  space_.allow(express_ + link_control_2, 2, 0x003f);
}

Bytes FunctionRegisters::max_payload() const { return size_of(space_.read(express_ + device_control, 2) >> 5 & 7); }

Bytes FunctionRegisters::max_read_request() const {
  return size_of(space_.read(express_ + device_control, 2) >> 12 & 7);
}

bool FunctionRegisters::relaxed_ordering() const {
  return (space_.read(express_ + device_control, 2) & enable_relaxed_ordering) != 0;
}

bool FunctionRegisters::extended_tags() const {
  return (space_.read(express_ + device_control, 2) & extended_tag_enable) != 0;
}

bool FunctionRegisters::ten_bit_tags() const {
  return (space_.read(express_ + device_control_2, 2) & ten_bit_tag_enable) != 0;
}

bool FunctionRegisters::id_based_ordering() const {
  return (space_.read(express_ + device_control_2, 2) & (enable_ido_request | enable_ido_completion)) != 0;
}

std::optional<Duration> FunctionRegisters::completion_timeout() const {
  const auto control = space_.read(express_ + device_control_2, 2);
  if ((control & timeout_disable) != 0) return {};
  return timeout_of(control & 15);
}

bool FunctionRegisters::select_max_payload(Bytes size) {
  const auto supported = size_of(space_.read(express_ + device_capabilities, 4) & 7);
  if (!codable(size) || size > supported) return false;
  const auto control = space_.read(express_ + device_control, 2) & ~(7u << 5);
  space_.write(express_ + device_control, 2, control | size_code(size) << 5);
  return true;
}

bool FunctionRegisters::select_max_read_request(Bytes size) {
  if (!codable(size)) return false;
  const auto control = space_.read(express_ + device_control, 2) & ~(7u << 12);
  space_.write(express_ + device_control, 2, control | size_code(size) << 12);
  return true;
}

int FunctionRegisters::tags() const {
  if (ten_bit_tags()) return 768;  // a 10-bit tag never has 00 in its upper bits
  return extended_tags() ? 256 : 32;
}

bool FunctionRegisters::memory_enabled() const { return (space_.read(command, 2) & command_memory) != 0; }
bool FunctionRegisters::bus_master() const { return (space_.read(command, 2) & command_bus_master) != 0; }

void FunctionRegisters::set_link(LinkShape link) { space_.set(express_ + link_status, 2, speed_and_width(link)); }

LinkShape FunctionRegisters::link() const {
  const auto status = space_.read(express_ + link_status, 2);
  return {static_cast<int>(status & 15), static_cast<int>(status >> 4 & 63)};
}

BusAddress FunctionRegisters::bar(int index) const {
  const auto low = space_.read(bar0 + 4 * index, 4);
  const std::uint64_t high = (low & bar_64_bit) != 0 ? space_.read(bar0 + 4 * index + 4, 4) : 0;
  return BusAddress{high << 32 | (low & ~15u)};
}

void FunctionRegisters::set_bar(int index, BusAddress base) {
  const int at = bar0 + 4 * index;
  const bool wide = (space_.read(at, 4) & bar_64_bit) != 0;
  space_.write(at, 4, static_cast<std::uint32_t>(base.value()));
  if (wide) space_.write(at + 4, 4, static_cast<std::uint32_t>(base.value() >> 32));
}

void FunctionRegisters::set_bridge(std::uint8_t primary, const Function& function) {
  space_.write(primary_bus_register, 1, primary);
  space_.write(secondary_bus_register, 1, function.secondary_bus);
  space_.write(subordinate_bus_register, 1, function.subordinate_bus);
  // A window with its base above its limit is closed.
  const auto edges = [](const BridgeWindow& w) {
    struct {
      std::uint64_t base, last;
    } e{0xfff00000, 0};
    if (w.size > Bytes{0}) e = {w.base.value(), w.base.value() + static_cast<std::uint64_t>(w.size.count()) - 1};
    return e;
  };
  const auto low = edges(function.memory), high = edges(function.prefetchable);
  space_.write(memory_base, 2, static_cast<std::uint32_t>(low.base >> 16));
  space_.write(memory_limit, 2, static_cast<std::uint32_t>(low.last >> 16));
  space_.write(prefetch_base, 2, static_cast<std::uint32_t>(high.base >> 16 & 0xffff));
  space_.write(prefetch_limit, 2, static_cast<std::uint32_t>(high.last >> 16 & 0xffff));
  space_.write(prefetch_base_upper, 4, static_cast<std::uint32_t>(high.base >> 32));
  space_.write(prefetch_limit_upper, 4, static_cast<std::uint32_t>(high.last >> 32));
}

std::uint8_t FunctionRegisters::secondary_bus() const {
  return static_cast<std::uint8_t>(space_.read(secondary_bus_register, 1));
}

std::uint8_t FunctionRegisters::subordinate_bus() const {
  return static_cast<std::uint8_t>(space_.read(subordinate_bus_register, 1));
}

namespace {

BridgeWindow window_of(std::uint64_t base, std::uint64_t last) {
  if (base > last) return {};
  return {BusAddress{base}, Bytes{static_cast<std::int64_t>(last - base + 1)}};
}

}  // namespace

BridgeWindow FunctionRegisters::memory_window() const {
  const std::uint64_t base = space_.read(memory_base, 2) & 0xfff0, last = space_.read(memory_limit, 2) | 0xf;
  return window_of(base << 16, last << 16 | 0xffff);
}

BridgeWindow FunctionRegisters::prefetchable_window() const {
  const auto edge = [&](int low, int upper) {
    return std::uint64_t{space_.read(upper, 4)} << 32 | (space_.read(low, 2) & 0xfff0u) << 16;
  };
  return window_of(edge(prefetch_base, prefetch_base_upper), edge(prefetch_limit, prefetch_limit_upper) | 0xfffff);
}

std::uint16_t FunctionRegisters::acs_control() const {
  const auto at = space_.find_extended_capability(extended_capability_acs);
  return at ? static_cast<std::uint16_t>(space_.read(*at + 6, 2)) : std::uint16_t{0};
}

void FunctionRegisters::report(std::uint32_t errors) { space_.set(aer_ + 4, 4, space_.read(aer_ + 4, 4) | errors); }

}  // namespace peerpath::pcie
