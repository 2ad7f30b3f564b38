// A foreign TLM-2.0 component as an endpoint of the fabric.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <tlm>
#include <vector>

#include "peerpath/device/endpoint.hpp"
#include "peerpath/sc/domain.hpp"

namespace peerpath::sc {

/// The fabric's side of a foreign initiator (its requests become transactions), of a foreign target (transactions
/// become its requests), or of both. The domain wakes it like any device.
class ForeignEndpoint final : public device::Endpoint, public tlm::tlm_mm_interface {
 public:
  ForeignEndpoint(Domain& domain, fabric::NodeId node, tlm::tlm_fw_transport_if<>* target,
                  tlm::tlm_bw_transport_if<>* initiator);
  ~ForeignEndpoint() override;

  /// @name From the foreign initiator
  /// @{
  void blocking_request(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  tlm::tlm_sync_enum request(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  /// @}
  /// From the foreign target.
  tlm::tlm_sync_enum response(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  bool initiates() const { return initiator_ != nullptr; }
  /// Whether the target owes an answer, which may come at any SystemC event.
  bool owes() const { return owed_ != 0; }

  void start(device::Outbox& out) override { out_ = &out; }
  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_wake(device::TimerId, Instant, device::Outbox&) override;

 private:
  /// A request of the foreign initiator on its way.
  struct Access {
    tlm::tlm_generic_payload* payload = nullptr;
    bool blocking = false;
    std::vector<unsigned char> data;
    sc_core::sc_event done;
  };
  /// A request to the foreign target.
  struct Request : tlm::tlm_generic_payload {
    using tlm::tlm_generic_payload::tlm_generic_payload;
    std::vector<unsigned char> data;
    fabric::Delivery cause{};
  };

  tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload) const;
  std::uint64_t begin(tlm::tlm_generic_payload& payload, Duration delay, bool blocking);
  void finish(std::uint64_t cookie, const fabric::Delivery& delivery);
  void send_responses();

  /// Queues a request to the target. A write brings its bytes, or none when its sender moves no contents.
  void enqueue(const fabric::Delivery& cause, tlm::tlm_command command, const std::vector<unsigned char>& bytes);
  void send_requests();
  void accepted(Duration delay);
  void answered(tlm::tlm_generic_payload& payload, Instant ready);
  void free(tlm::tlm_generic_payload* payload) override;

  Domain& domain_;
  fabric::NodeId node_;
  tlm::tlm_fw_transport_if<>* target_;
  tlm::tlm_bw_transport_if<>* initiator_;
  device::Outbox* out_ = nullptr;

  std::deque<Access> accesses_;  ///< by cookie; a deque, as events do not move
  std::vector<std::uint64_t> free_accesses_;
  std::deque<tlm::tlm_generic_payload*> responses_;
  bool response_open_ = false;

  std::deque<Request> requests_;
  std::vector<Request*> free_requests_;
  std::deque<Request*> queue_;
  bool request_open_ = false;   ///< between BEGIN_REQ and END_REQ
  Request* current_ = nullptr;  ///< the latest request sent
  int owed_ = 0;
};

}  // namespace peerpath::sc
