// A foreign TLM-2.0 component as an endpoint of the fabric.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <tlm>
#include <vector>

#include "loop/delivery_ring.hpp"
#include "peerpath/device/endpoint.hpp"
#include "peerpath/sc/domain.hpp"
#include "peerpath/sc/outlet.hpp"
#include "sc/memory_map.hpp"

namespace peerpath::sc {

class BlockingCaller;
class ForeignTarget;

/// Who stands behind a foreign endpoint.
struct ForeignSides {
  std::function<tlm::tlm_fw_transport_if<>*()> target{};  ///< none: no target
  tlm::tlm_bw_transport_if<>* initiator = nullptr;        ///< nullptr: no initiator
  TargetOptions options{};
  BlockingCaller* caller = nullptr;  ///< with `options.blocking`
  bool through = false;              ///< it stands between two ports, and passes on what comes
  bool alone = true;                 ///< nobody else is at its node
};

/// The fabric's side of a foreign initiator (its requests become transactions), of a foreign target (transactions
/// become its requests), or of both. The domain wakes it like any device, and shows it each delivery at its node.
class ForeignEndpoint final : public device::Endpoint {
 public:
  ForeignEndpoint(Domain& domain, fabric::NodeId node, ForeignSides sides);
  ~ForeignEndpoint() override;

  /// @name From the foreign initiator
  /// @{
  void blocking_request(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  tlm::tlm_sync_enum request(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  /// @}
  /// From the foreign target.
  tlm::tlm_sync_enum response(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  /// @name To the foreign target, or of no effect without one
  /// @{
  unsigned debug(tlm::tlm_generic_payload& payload);
  bool direct(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  /// @}
  /// Tells the foreign initiator that pointers to these addresses are no longer valid.
  void invalidate(std::uint64_t first, std::uint64_t last);

  fabric::NodeId node() const { return node_; }
  /// The passage that an access of this cookie belongs to.
  std::optional<std::uint64_t> passage_of(std::uint64_t cookie) const { return accesses_.at(cookie).passage; }
  bool initiates() const { return sides_.initiator != nullptr; }
  bool alone() const { return sides_.alone; }
  /// Whether the target owes an answer, which may come at any SystemC event.
  bool owes() const;

  /// The fabric has computed what happens at this node. All arrivals count, with and without notice.
  void see(const fabric::Delivery& delivery);

  void start(device::Outbox& out) override { out_ = &out; }
  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override;

 private:
  /// A request of the foreign initiator on its way.
  struct Access {
    tlm::tlm_generic_payload* payload = nullptr;
    bool blocking = false;
    std::optional<std::uint64_t> passage{};  ///< whose it is, of what comes out between two ports
    bool direct = false;                     ///< a foreign target gave the DMI hint
    std::vector<unsigned char> data;
    sc_core::sc_event done;
  };

  tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload) const;
  std::uint64_t begin(tlm::tlm_generic_payload& payload, Duration delay, bool blocking);
  void finish(std::uint64_t cookie, const fabric::Delivery& delivery);
  void send_responses();
  /// What the target's addresses are less than those of the bus there; nothing if it does not take them.
  std::optional<std::uint64_t> shift_at(std::uint64_t address) const;
  void pass(const fabric::Delivery& delivery, std::uint64_t shift);
  /// The passage that what comes out between two ports belongs to, or nullptr.
  Passage* passage_in(const tlm::tlm_generic_payload& payload) const;
  fabric::Transaction transaction_of(const tlm::tlm_generic_payload& payload) const;
  void arrived(const Access& access, const fabric::Delivery& delivery);
  void take(const fabric::Delivery& delivery);
  /// The access of a foreign initiator that a delivery comes from, or nullptr.
  Access* access_of(const fabric::Delivery& delivery) const;

  Domain& domain_;
  fabric::NodeId node_;
  ForeignSides sides_;
  std::unique_ptr<ForeignTarget> target_;
  device::Outbox* out_ = nullptr;

  std::deque<Access> accesses_;  ///< by cookie; a deque, as events do not move
  std::vector<std::uint64_t> free_accesses_;
  std::deque<tlm::tlm_generic_payload*> responses_;
  bool response_open_ = false;

  loop::DeliveryRing coming_;  ///< computed, not yet there
};

}  // namespace peerpath::sc
