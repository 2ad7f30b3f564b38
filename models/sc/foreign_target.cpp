#include "sc/foreign_target.hpp"

#include <algorithm>
#include <utility>

#include "peerpath/sc/time.hpp"
#include "sc/blocking_caller.hpp"

namespace peerpath::sc {
namespace {

/// What an interconnect owes the extensions of a payload whose request it makes anew.
void copy_extensions(const tlm::tlm_generic_payload& from, tlm::tlm_generic_payload& to) {
  for (unsigned i = 0; i < tlm::max_num_extensions(); ++i) {
    const auto* theirs = from.get_extension(i);
    if (theirs == nullptr) continue;
    if (auto* copy = theirs->clone()) to.set_auto_extension(i, copy);  // nullptr: not to be copied
  }
}

}  // namespace

ForeignTarget::ForeignTarget(std::function<tlm::tlm_fw_transport_if<>*()> find, const TargetOptions& options,
                             BlockingCaller* caller, Hooks hooks)
    : find_{std::move(find)}, options_{options}, caller_{caller}, hooks_{std::move(hooks)} {}
ForeignTarget::~ForeignTarget() = default;

tlm::tlm_fw_transport_if<>& ForeignTarget::interface() {
  if (target_ == nullptr) target_ = find_();
  return *target_;
}

void ForeignTarget::request(const fabric::Delivery& cause, std::uint64_t shift, const std::vector<unsigned char>& bytes,
                            const tlm::tlm_generic_payload* original) {
  const bool read = cause.kind == fabric::DeliveryKind::requested;
  const auto size = static_cast<std::size_t>(cause.bytes.count());
  const auto job = std::make_shared<Job>();
  job->answer.cause = cause;
  if (read) ++owed_;
  for (std::size_t done = 0; done < size;) {
    const auto address = cause.address + done;
    auto piece = size - done;
    if (options_.line != 0) piece = std::min<std::size_t>(piece, options_.line - address % options_.line);
    auto& request = make(read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND, address, piece);
    request.set_address(address - shift);
    if (!read && !bytes.empty())
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(done), piece, request.data.begin());
    if (original != nullptr) copy_extensions(*original, request);
    request.job = job;
    ++job->open;
    queue_.push_back(&request);
    done += piece;
  }
  send_all();
}

ForeignTarget::Request& ForeignTarget::make(tlm::tlm_command command, std::uint64_t address, std::size_t size) {
  if (free_requests_.empty()) free_requests_.push_back(&requests_.emplace_back(this));
  auto& request = *free_requests_.back();
  free_requests_.pop_back();
  request.acquire();
  request.address = address;
  request.data.assign(size, 0);
  request.set_command(command);
  request.set_address(address);
  request.set_data_ptr(request.data.data());
  request.set_data_length(static_cast<unsigned>(size));
  request.set_streaming_width(static_cast<unsigned>(size));
  request.set_byte_enable_ptr(nullptr);
  request.set_dmi_allowed(false);
  request.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  return request;
}

void ForeignTarget::send_all() {
  while (!queue_.empty() && !open_) {
    auto& request = *queue_.front();
    queue_.pop_front();
    send(request);
  }
}

void ForeignTarget::send(Request& request) {
  open_ = true;
  current_ = &request;
  if (options_.blocking) {
    caller_->call(interface(), request, [this, &request](sc_core::sc_time delay) {
      open_ = false;
      responded(request, now() + to_duration(delay));
      send_all();
    });
    return;
  }
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const auto reply = interface().nb_transport_fw(request, phase, delay);
  if (reply == tlm::TLM_COMPLETED) {
    open_ = false;
    responded(request, now() + to_duration(delay));
  } else if (reply == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
    open_ = false;
    const auto ready = now() + to_duration(delay);
    phase = tlm::END_RESP;
    interface().nb_transport_fw(request, phase, delay);
    responded(request, ready);
  } else if (reply == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
    accepted(to_duration(delay));
  }
}

void ForeignTarget::accepted(Duration delay) { hooks_.resume_in(delay); }

void ForeignTarget::resume() {
  open_ = false;
  send_all();
}

tlm::tlm_sync_enum ForeignTarget::response(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
  if (phase == tlm::END_REQ) {
    accepted(to_duration(delay));
    return tlm::TLM_ACCEPTED;
  }
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;  // of another protocol, and to be ignored
  auto& request = static_cast<Request&>(payload);
  // BEGIN_RESP also ends a request that is still open, and only the latest one can be (base protocol, exclusion rule).
  if (open_ && &request == current_) accepted(Duration{0});
  responded(request, now() + to_duration(delay));
  phase = tlm::END_RESP;
  return tlm::TLM_UPDATED;  // not TLM_COMPLETED, after which some targets wait for END_RESP for ever
}

void ForeignTarget::responded(Request& request, Instant ready) {
  const auto job = std::move(request.job);
  auto& answer = job->answer;
  answer.ready = std::max(answer.ready, ready);
  answer.direct &= request.is_dmi_allowed();
  if (!request.is_response_ok() && answer.status == tlm::TLM_OK_RESPONSE) answer.status = request.get_response_status();
  const bool read = answer.cause.kind == fabric::DeliveryKind::requested;
  if (read && request.is_response_ok()) hooks_.read(answer.cause, request.address, request.data, request);
  if (--job->open == 0) {
    if (read) --owed_;
    hooks_.answered(answer);
  }
  request.release();
}

void ForeignTarget::free(tlm::tlm_generic_payload* payload) {
  payload->reset();  // extensions that go with it
  free_requests_.push_back(static_cast<Request*>(payload));
}

}  // namespace peerpath::sc
