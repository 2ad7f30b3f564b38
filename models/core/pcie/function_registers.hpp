// Configuration space of a function as its type prescribes it: header, PCI Express, MSI-X, ACS and AER capabilities.
#pragma once

#include <cstdint>
#include <vector>

#include "core/pcie/acs.hpp"
#include "core/pcie/address_map.hpp"
#include "core/pcie/config_space.hpp"
#include "peerpath/pcie/link_shape.hpp"

namespace peerpath::pcie {

/// IDs of capabilities (PCI Code and ID Assignment Specification, chapters 2 and 3).
inline constexpr std::uint8_t capability_pci_express = 0x10;
inline constexpr std::uint8_t capability_msi_x = 0x11;
inline constexpr std::uint16_t extended_capability_aer = 0x0001;
inline constexpr std::uint16_t extended_capability_acs = 0x000d;

/// Uncorrectable errors of AER: bits of its status, mask and severity registers.
namespace aer {
inline constexpr std::uint32_t poisoned = 1 << 12;
inline constexpr std::uint32_t completion_timeout = 1 << 14;
inline constexpr std::uint32_t completer_abort = 1 << 15;
inline constexpr std::uint32_t unexpected_completion = 1 << 16;
inline constexpr std::uint32_t unsupported_request = 1 << 20;
inline constexpr std::uint32_t acs_violation = 1 << 21;
}  // namespace aer

/// What distinguishes one function from another when it comes out of reset.
struct FunctionIdentity {
  FunctionKind kind = FunctionKind::endpoint;
  std::uint16_t vendor = 0, device = 0;
  std::uint32_t class_code = 0;  ///< 24 bits: base class, subclass, programming interface
  std::uint8_t revision = 0;
  Bytes max_payload_supported{512};
  LinkShape link{};  ///< the fastest and widest that it can do
  std::uint8_t port_number = 0;
  bool extended_tags = true;  ///< 8-bit tags
  bool ten_bit_tags = false;
  int msi_x_vectors = 0;  ///< 0: no MSI-X
  int msi_x_bar = 0;
  std::uint32_t msi_x_table = 0, msi_x_pending = 0x8000;  ///< offsets in that BAR
  std::uint16_t acs_capabilities = 0;                     ///< bits of namespace acs; 0: no ACS capability
  std::vector<Bar> bars{};
};

/// The registers of one function, and what software has set in them.
class FunctionRegisters {
 public:
  explicit FunctionRegisters(const FunctionIdentity& identity);

  ConfigSpace& space() { return space_; }
  const ConfigSpace& space() const { return space_; }

  /// Device Control, Device Control 2 (PCIe Base Spec 7.5.3.4 and 7.5.3.16).
  Bytes max_payload() const;       ///< MPS
  Bytes max_read_request() const;  ///< MRRS
  bool relaxed_ordering() const;
  bool extended_tags() const;
  bool ten_bit_tags() const;
  bool id_based_ordering() const;
  /// Middle of the range that is selected, nothing when the timeout is disabled.
  std::optional<Duration> completion_timeout() const;

  /// Sets MPS or MRRS as software does; a size that the function cannot do is not taken (false).
  bool select_max_payload(Bytes size);
  bool select_max_read_request(Bytes size);

  /// Tags that it may have outstanding: 32, 256 or 768 (PCIe Base Spec 2.2.6.2).
  int tags() const;

  bool memory_enabled() const;
  bool bus_master() const;

  /// Link Status: what the link has trained to.
  void set_link(LinkShape link);
  LinkShape link() const;

  BusAddress bar(int index) const;
  void set_bar(int index, BusAddress base);

  /// Bus numbers and windows of a bridge, as enumeration assigns them.
  void set_bridge(std::uint8_t primary, const Function& function);
  std::uint8_t secondary_bus() const;
  std::uint8_t subordinate_bus() const;
  BridgeWindow memory_window() const;
  BridgeWindow prefetchable_window() const;

  std::uint16_t acs_control() const;  ///< 0 without the capability

  /// Notes an uncorrectable error (bits of namespace aer) in AER's status.
  void report(std::uint32_t errors);

 private:
  void header(const FunctionIdentity& identity);
  void pci_express(const FunctionIdentity& identity);

  ConfigSpace space_;
  FunctionKind kind_;
  int express_ = 0;  ///< offset of the PCI Express capability
  int aer_ = 0;
};

}  // namespace peerpath::pcie
