#include "sc/foreign_endpoint.hpp"

#include <algorithm>

#include "peerpath/sc/time.hpp"
#include "sc/memory_image.hpp"

namespace peerpath::sc {
namespace {

constexpr device::TimerId request_accepted{0};
constexpr fabric::ChannelIndex own_channel{1};

pcie::Status status_of(tlm::tlm_response_status response) {
  if (response == tlm::TLM_OK_RESPONSE) return pcie::Status::success;
  return response == tlm::TLM_ADDRESS_ERROR_RESPONSE ? pcie::Status::unsupported_request
                                                     : pcie::Status::completer_abort;
}

tlm::tlm_response_status response_of(pcie::Status status) {
  if (status == pcie::Status::success) return tlm::TLM_OK_RESPONSE;
  return status == pcie::Status::unsupported_request ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                                                     : tlm::TLM_GENERIC_ERROR_RESPONSE;
}

}  // namespace

ForeignEndpoint::ForeignEndpoint(Domain& domain, fabric::NodeId node, tlm::tlm_fw_transport_if<>* target,
                                 tlm::tlm_bw_transport_if<>* initiator)
    : domain_{domain}, node_{node}, target_{target}, initiator_{initiator} {}

ForeignEndpoint::~ForeignEndpoint() = default;

tlm::tlm_response_status ForeignEndpoint::check(const tlm::tlm_generic_payload& payload) const {
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (payload.get_streaming_width() < payload.get_data_length()) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  return domain_.find(payload.get_address()) ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

std::uint64_t ForeignEndpoint::begin(tlm::tlm_generic_payload& payload, Duration delay, bool blocking) {
  if (free_accesses_.empty()) {
    free_accesses_.push_back(accesses_.size());
    accesses_.emplace_back();
  }
  const auto cookie = free_accesses_.back();
  free_accesses_.pop_back();
  auto& access = accesses_[cookie];
  access.payload = &payload;
  access.blocking = blocking;
  const auto* bytes = payload.get_data_ptr();
  access.data.assign(bytes, bytes + payload.get_data_length());
  domain_.submit(node_, own_channel,
                 {.cookie = cookie,
                  .target = *domain_.find(payload.get_address()),
                  .op = payload.is_write() ? pcie::Operation::memory_write : pcie::Operation::memory_read,
                  .notify_target = payload.is_write(),
                  .notify_requester = true,
                  .address = payload.get_address(),
                  .bytes = Bytes{static_cast<std::int64_t>(payload.get_data_length())},
                  .ready = now() + delay});
  return cookie;
}

void ForeignEndpoint::blocking_request(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (const auto status = check(payload); status != tlm::TLM_OK_RESPONSE) {
    payload.set_response_status(status);
    return;
  }
  const auto cookie = begin(payload, to_duration(delay), true);
  sc_core::wait(accesses_[cookie].done);
  free_accesses_.push_back(cookie);
  delay = sc_core::SC_ZERO_TIME;
}

tlm::tlm_sync_enum ForeignEndpoint::request(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay) {
  if (phase == tlm::END_RESP) {
    response_open_ = false;
    send_responses();
    return tlm::TLM_COMPLETED;
  }
  if (const auto status = check(payload); status != tlm::TLM_OK_RESPONSE) {
    payload.set_response_status(status);
    return tlm::TLM_COMPLETED;
  }
  if (payload.has_mm()) payload.acquire();
  begin(payload, to_duration(delay), false);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void ForeignEndpoint::finish(std::uint64_t cookie, const fabric::Delivery& delivery) {
  auto& access = accesses_[cookie];
  auto& payload = *access.payload;
  auto* target = domain_.foreign_at(delivery.target);
  if (payload.is_write()) {
    if (target != nullptr)
      target->enqueue(delivery, tlm::TLM_WRITE_COMMAND, access.data);
    else
      domain_.image(delivery.target).write(payload.get_address(), access.data.data(), access.data.size());
  } else if (delivery.status == pcie::Status::success) {
    if (target != nullptr)
      std::copy(access.data.begin(), access.data.end(), payload.get_data_ptr());
    else
      domain_.image(delivery.target).read(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
  }
  payload.set_response_status(response_of(delivery.status));
  if (access.blocking) {
    access.done.notify(sc_core::SC_ZERO_TIME);
  } else {
    responses_.push_back(&payload);
    free_accesses_.push_back(cookie);
    send_responses();
  }
}

void ForeignEndpoint::send_responses() {
  while (!responses_.empty() && !response_open_) {
    auto& payload = *responses_.front();
    responses_.pop_front();
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    response_open_ = true;
    const auto reply = initiator_->nb_transport_bw(payload, phase, delay);
    if (reply != tlm::TLM_ACCEPTED) response_open_ = false;
    if (payload.has_mm()) payload.release();
  }
}

void ForeignEndpoint::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  using fabric::DeliveryKind;
  if (delivery.requester == node_) {
    finish(delivery.cookie, delivery);
  } else if (delivery.kind == DeliveryKind::arrived) {
    // A foreign requester brings its bytes itself, when it hears of the arrival.
    if (target_ != nullptr && domain_.foreign_at(delivery.requester) == nullptr)
      enqueue(delivery, tlm::TLM_WRITE_COMMAND, {});
  } else if (delivery.kind == DeliveryKind::requested) {
    const bool memory = delivery.op == pcie::Operation::memory_read || delivery.op == pcie::Operation::atomic;
    if (target_ == nullptr || !memory) {
      out.respond(delivery.request, delivery.done, pcie::Status::unsupported_request);
    } else {
      ++owed_;
      enqueue(delivery, tlm::TLM_READ_COMMAND, {});
    }
  }
}

void ForeignEndpoint::enqueue(const fabric::Delivery& cause, tlm::tlm_command command,
                              const std::vector<unsigned char>& bytes) {
  if (free_requests_.empty()) free_requests_.push_back(&requests_.emplace_back(this));
  auto& request = *free_requests_.back();
  free_requests_.pop_back();
  request.acquire();
  request.cause = cause;
  request.data = bytes;
  request.data.resize(static_cast<std::size_t>(cause.bytes.count()));
  request.set_command(command);
  request.set_address(cause.address);
  request.set_data_ptr(request.data.data());
  request.set_data_length(static_cast<unsigned>(request.data.size()));
  request.set_streaming_width(static_cast<unsigned>(request.data.size()));
  request.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  queue_.push_back(&request);
  send_requests();
}

void ForeignEndpoint::send_requests() {
  while (!queue_.empty() && !request_open_) {
    auto& request = *queue_.front();
    queue_.pop_front();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    request_open_ = true;
    current_ = &request;
    const auto reply = target_->nb_transport_fw(request, phase, delay);
    if (reply == tlm::TLM_COMPLETED) {
      request_open_ = false;
      answered(request, now() + to_duration(delay));
    } else if (reply == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
      request_open_ = false;
      const auto ready = now() + to_duration(delay);
      phase = tlm::END_RESP;
      target_->nb_transport_fw(request, phase, delay);
      answered(request, ready);
    } else if (reply == tlm::TLM_UPDATED) {
      accepted(to_duration(delay));
    }
  }
}

void ForeignEndpoint::accepted(Duration delay) {
  out_->wake_at(request_accepted, now() + delay);
  domain_.touch();
}

void ForeignEndpoint::on_wake(device::TimerId, Instant, device::Outbox&) {
  request_open_ = false;
  send_requests();
}

tlm::tlm_sync_enum ForeignEndpoint::response(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
  if (phase == tlm::END_REQ) {
    accepted(to_duration(delay));
    return tlm::TLM_ACCEPTED;
  }
  // BEGIN_RESP also ends a request that is still open, and only the latest one can be (base protocol, exclusion rule).
  if (request_open_ && static_cast<Request*>(&payload) == current_) accepted(Duration{0});
  answered(payload, now() + to_duration(delay));
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

void ForeignEndpoint::answered(tlm::tlm_generic_payload& payload, Instant ready) {
  auto& request = static_cast<Request&>(payload);
  const auto& cause = request.cause;
  if (cause.kind == fabric::DeliveryKind::requested) {
    if (auto* requester = domain_.foreign_at(cause.requester); requester != nullptr && request.is_response_ok()) {
      auto& access = requester->accesses_[cause.cookie];
      const auto offset = cause.address - access.payload->get_address();
      std::copy(request.data.begin(), request.data.end(), access.data.begin() + static_cast<std::ptrdiff_t>(offset));
    }
    --owed_;
    out_->respond(cause.request, ready, status_of(request.get_response_status()));
  }
  request.release();
}

void ForeignEndpoint::free(tlm::tlm_generic_payload* payload) {
  free_requests_.push_back(static_cast<Request*>(payload));
}

}  // namespace peerpath::sc
