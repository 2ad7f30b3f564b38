#include "sc/foreign_endpoint.hpp"

#include <algorithm>
#include <utility>

#include "peerpath/sc/time.hpp"
#include "sc/foreign_target.hpp"
#include "sc/guide.hpp"
#include "sc/memory_map.hpp"

namespace peerpath::sc {
namespace {

constexpr device::TimerId request_accepted{0}, something_comes{1};
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

/// Whether byte enables leave out any byte.
bool partial(const tlm::tlm_generic_payload& payload) {
  const auto* enables = payload.get_byte_enable_ptr();
  const auto length = payload.get_byte_enable_length();
  return enables != nullptr && (length == 0 || std::any_of(enables, enables + length, [](unsigned char enable) {
                                  return enable != TLM_BYTE_ENABLED;
                                }));
}

}  // namespace

ForeignEndpoint::ForeignEndpoint(Domain& domain, fabric::NodeId node, ForeignSides sides)
    : domain_{domain}, node_{node}, sides_{std::move(sides)} {
  if (!sides_.target) return;
  target_ = std::make_unique<ForeignTarget>(
      sides_.target, sides_.options, sides_.caller,
      ForeignTarget::Hooks{
          .read =
              [this](const auto& cause, std::uint64_t address, const auto& bytes, const auto& payload) {
                auto* access = access_of(cause);
                if (access == nullptr) return;
                const auto at = static_cast<std::ptrdiff_t>(address - access->payload->get_address());
                std::ranges::copy(bytes, access->data.begin() + at);
                access->payload->update_extensions_from(payload);
              },
          .answered =
              [this](const ForeignTarget::Answer& answer) {
                if (answer.cause.kind != fabric::DeliveryKind::requested) return;  // nobody waits for it
                if (auto* access = access_of(answer.cause)) access->direct = answer.direct;
                out_->respond(answer.cause.request, answer.ready, status_of(answer.status));
              },
          .resume_in =
              [this](Duration delay) {
                out_->wake_at(request_accepted, now() + delay);
                domain_.touch();
              }});
}

ForeignEndpoint::~ForeignEndpoint() = default;

bool ForeignEndpoint::owes() const { return target_ && target_->owes(); }

unsigned ForeignEndpoint::debug(tlm::tlm_generic_payload& payload) {
  return target_ ? target_->interface().transport_dbg(payload) : 0;
}

bool ForeignEndpoint::direct(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  return target_ && target_->interface().get_direct_mem_ptr(payload, dmi);
}

void ForeignEndpoint::invalidate(std::uint64_t first, std::uint64_t last) {
  if (initiates()) sides_.initiator->invalidate_direct_mem_ptr(first, last);
}

tlm::tlm_sync_enum ForeignEndpoint::response(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
  return target_->response(payload, phase, delay);
}

tlm::tlm_response_status ForeignEndpoint::check(const tlm::tlm_generic_payload& payload) const {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (partial(payload)) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (payload.get_data_length() == 0 || payload.get_streaming_width() < payload.get_data_length())
    return tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  const auto* claim = domain_.memory_map().find(payload.get_address(), payload.get_data_length());
  // What came from this side of a component in between does not go back there.
  const bool reached = claim != nullptr && domain_.passages().via(node_, claim->node) != node_;
  return reached || passage_in(payload) != nullptr ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

Passage* ForeignEndpoint::passage_in(const tlm::tlm_generic_payload& payload) const {
  const auto* tag = sides_.through ? payload.get_extension<PassageTag>() : nullptr;
  return tag != nullptr ? domain_.passages().find(tag->passage) : nullptr;
}

fabric::Transaction ForeignEndpoint::transaction_of(const tlm::tlm_generic_payload& payload) const {
  const Bytes bytes{static_cast<std::int64_t>(payload.get_data_length())};
  auto* passage = passage_in(payload);
  fabric::Transaction transaction;
  if (passage != nullptr) {
    transaction = passage->asked;
    transaction.tell_sent = transaction.notify_sent = false;  // it has left its device
  } else {
    transaction.target = domain_.memory_map().find(payload.get_address())->node;
    transaction.op = payload.is_write() ? pcie::Operation::memory_write : pcie::Operation::memory_read;
    transaction.notify_target = payload.is_write();
  }
  const auto via = domain_.passages().via(node_, transaction.target);
  if (passage != nullptr && !via) {  // the last way of a piece of it: its target learns of the last piece
    passage->left = passage->left - bytes;
    transaction.notify_target = passage->asked.notify_target && passage->left <= Bytes{0};
  }
  transaction.target = via.value_or(transaction.target);
  transaction.notify_requester = true;
  transaction.address = payload.get_address();
  transaction.bytes = bytes;
  return transaction;
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
  access.direct = false;
  access.passage.reset();
  if (passage_in(payload) != nullptr) access.passage = payload.get_extension<PassageTag>()->passage;
  const auto* bytes = payload.get_data_ptr();
  access.data.assign(bytes, bytes + payload.get_data_length());
  auto transaction = transaction_of(payload);
  transaction.cookie = cookie;
  transaction.ready = now() + delay;
  domain_.submit(node_, own_channel, transaction);
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
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;  // of another protocol, and to be ignored
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
  auto& map = domain_.memory_map();
  const auto* claim = map.find(payload.get_address());
  const auto keeper = claim != nullptr ? map.keeper(node_, *claim) : MemoryMap::Keeper{};
  const bool moves = claim != nullptr && !access.passage;  // our own devices move no contents
  if (delivery.status == pcie::Status::success) {
    if (keeper.foreign != nullptr && payload.is_write())
      keeper.foreign->target_->request(delivery, keeper.shift, access.data, &payload);
    else if (keeper.foreign != nullptr)
      std::ranges::copy(access.data, payload.get_data_ptr());
    else if (moves && payload.is_write())
      map.image(claim->node).write(payload.get_address(), access.data.data(), access.data.size());
    else if (moves)
      map.image(claim->node).read(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
  }
  if (access.passage && payload.is_write()) arrived(access, delivery);
  payload.set_response_status(response_of(delivery.status));
  payload.set_dmi_allowed(domain_.gives_direct_access() &&
                          (keeper.foreign != nullptr ? access.direct : claim != nullptr && claim->memory));
  if (access.blocking) {
    access.done.notify(sc_core::SC_ZERO_TIME);
  } else {
    responses_.push_back(&payload);
    free_accesses_.push_back(cookie);
    send_responses();
  }
}

void ForeignEndpoint::arrived(const Access& access, const fabric::Delivery& delivery) {
  auto* passage = domain_.passages().find(*access.passage);
  // Beyond another component it is that one's to say so.
  if (passage == nullptr || delivery.target != passage->asked.target) return;
  passage->missing = passage->missing - delivery.bytes;
  if (passage->missing <= Bytes{0}) passage->sender->arrived(*access.passage, delivery);
}

void ForeignEndpoint::send_responses() {
  while (!responses_.empty() && !response_open_) {
    auto& payload = *responses_.front();
    responses_.pop_front();
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    response_open_ = true;
    const auto reply = sides_.initiator->nb_transport_bw(payload, phase, delay);
    if (reply != tlm::TLM_ACCEPTED) response_open_ = false;
    if (payload.has_mm()) payload.release();
  }
}

void ForeignEndpoint::see(const fabric::Delivery& delivery) {
  if (delivery.kind == fabric::DeliveryKind::completed) return;
  // Who refused it, or never got it, does nothing about it.
  if (delivery.status != pcie::Status::success) return;
  coming_.insert(delivery);
  out_->wake_at(something_comes, coming_.next());
}

void ForeignEndpoint::on_delivery(const fabric::Delivery& delivery, device::Outbox&) {
  if (delivery.requester == node_ && delivery.kind != fabric::DeliveryKind::requested)
    finish(delivery.cookie, delivery);
}

void ForeignEndpoint::on_wake(device::TimerId timer, Instant present, device::Outbox& out) {
  if (timer == request_accepted) return target_->resume();
  while (coming_.next() <= present) {
    const auto delivery = coming_.front();
    coming_.pop();
    take(delivery);
  }
  if (!coming_.empty()) out.wake_at(something_comes, coming_.next());
}

ForeignEndpoint::Access* ForeignEndpoint::access_of(const fabric::Delivery& delivery) const {
  auto* requester = domain_.memory_map().foreign_at(delivery.requester);
  return requester != nullptr && requester->initiates() ? &requester->accesses_[delivery.cookie] : nullptr;
}

std::optional<std::uint64_t> ForeignEndpoint::shift_at(std::uint64_t address) const {
  if (target_ == nullptr) return std::nullopt;
  if (sides_.through) return 0;
  const auto* claim = domain_.memory_map().find(address);
  return claim != nullptr && claim->memory && claim->node == node_ ? std::optional{claim->shift} : std::nullopt;
}

void ForeignEndpoint::take(const fabric::Delivery& delivery) {
  const auto shift = shift_at(delivery.address);
  if (delivery.kind == fabric::DeliveryKind::arrived) {
    // A foreign initiator brings its bytes itself, when it hears of the arrival.
    if (access_of(delivery) == nullptr && shift) pass(delivery, *shift);
    return;
  }
  const bool memory = delivery.op == pcie::Operation::memory_read || delivery.op == pcie::Operation::atomic;
  if ((delivery.translation && !sides_.through) || (shift && delivery.bytes == Bytes{0}))
    out_->respond(delivery.request, delivery.done, pcie::Status::success);  // no memory is asked
  else if (memory && shift)
    pass(delivery, *shift);
  else
    out_->respond(delivery.request, delivery.done, pcie::Status::unsupported_request);
}

/// With the extensions of the foreign initiator's payload, or the tag of one of our devices.
void ForeignEndpoint::pass(const fabric::Delivery& delivery, std::uint64_t shift) {
  if (const auto* access = access_of(delivery)) return target_->request(delivery, shift, {}, access->payload);
  if (!sides_.through) return target_->request(delivery, shift, {}, nullptr);
  PassageTag tag{delivery.cookie};
  tlm::tlm_generic_payload carrier;
  carrier.set_extension(&tag);
  target_->request(delivery, shift, {}, &carrier);
  carrier.clear_extension(&tag);
}

}  // namespace peerpath::sc
