// Requests to a foreign TLM-2.0 target, by the rules of the base protocol.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <tlm>
#include <vector>

#include "peerpath/fabric/fabric.hpp"
#include "peerpath/sc/outlet.hpp"

namespace peerpath::sc {

class BlockingCaller;

/// Makes requests of deliveries: one, or one for each line. They go out in order, the next one after END_REQ.
class ForeignTarget final : public tlm::tlm_mm_interface {
 public:
  /// What became of one delivery.
  struct Answer {
    fabric::Delivery cause{};
    Instant ready{};  ///< the latest response time
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    bool direct = true;  ///< all responses carried the DMI hint
  };
  struct Hooks {
    /// Bytes that a read brought, and the payload of their request.
    std::function<void(const fabric::Delivery& cause, std::uint64_t address, const std::vector<unsigned char>& bytes,
                       const tlm::tlm_generic_payload& payload)>
        read;
    std::function<void(const Answer&)> answered;
    std::function<void(Duration)> resume_in;  ///< calls `resume` after so long
  };

  /// `find` is asked when the target is first needed: sockets are bound late. `caller`: with `options.blocking`.
  ForeignTarget(std::function<tlm::tlm_fw_transport_if<>*()> find, const TargetOptions& options, BlockingCaller* caller,
                Hooks hooks);
  ~ForeignTarget() override;

  /// A write brings its bytes, or none when its sender moves no contents. `original` is the payload of the foreign
  /// initiator whose request it is, or nullptr: the target sees its extensions. Its addresses are `shift` less than
  /// those of the bus.
  void request(const fabric::Delivery& cause, std::uint64_t shift, const std::vector<unsigned char>& bytes,
               const tlm::tlm_generic_payload* original);
  tlm::tlm_sync_enum response(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void resume();
  /// Whether it has yet to answer a read, which may come at any SystemC event.
  bool owes() const { return owed_ != 0; }
  tlm::tlm_fw_transport_if<>& interface();

 private:
  struct Job {
    Answer answer;
    int open = 0;  ///< requests without a response
  };
  struct Request : tlm::tlm_generic_payload {
    using tlm::tlm_generic_payload::tlm_generic_payload;
    std::vector<unsigned char> data;
    std::uint64_t address = 0;  ///< on the bus
    std::shared_ptr<Job> job;
  };

  Request& make(tlm::tlm_command command, std::uint64_t address, std::size_t size);
  void send_all();
  void send(Request& request);
  void accepted(Duration delay);
  void responded(Request& request, Instant ready);
  void free(tlm::tlm_generic_payload* payload) override;

  std::function<tlm::tlm_fw_transport_if<>*()> find_;
  TargetOptions options_;
  BlockingCaller* caller_;
  Hooks hooks_;
  tlm::tlm_fw_transport_if<>* target_ = nullptr;
  std::deque<Request> requests_;
  std::vector<Request*> free_requests_;
  std::deque<Request*> queue_;
  bool open_ = false;           ///< between BEGIN_REQ and END_REQ
  Request* current_ = nullptr;  ///< the latest request sent
  int owed_ = 0;
};

}  // namespace peerpath::sc
