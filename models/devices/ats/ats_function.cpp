#include "devices/ats/ats_function.hpp"

#include <algorithm>

namespace peerpath::ats {

/// What the device submits goes by way of the translations; all else to the shell.
class AtsFunction::Interposed final : public device::Outbox {
 public:
  Interposed(AtsFunction& function, device::Outbox& out) : function_{function}, out_{out} {}

  void submit(fabric::ChannelIndex channel, const fabric::Transaction& transaction) override {
    function_.submit(channel, transaction, out_);
  }
  void respond(fabric::RequestId request, Instant ready, pcie::Status status) override {
    out_.respond(request, ready, status);
  }
  void wake_at(device::TimerId timer, Instant when) override { out_.wake_at(timer, when); }
  void transmit(int port, const device::Frame& frame, Instant when) override { out_.transmit(port, frame, when); }

 private:
  AtsFunction& function_;
  device::Outbox& out_;
};

AtsFunction::AtsFunction(device::Endpoint& inner, const device::AtsConfig& config, fabric::NodeId self,
                         fabric::NodeId agent, fabric::ChannelIndex channel)
    : inner_{inner},
      self_{self},
      agent_{agent},
      channel_{channel},
      page_bits_{static_cast<unsigned>(config.page_size)},
      page_request_{config.page_request},
      held_{1, static_cast<std::size_t>(config.entries), device::Replacement::lru} {}

void AtsFunction::start(device::Outbox& out) {
  Interposed interposed{*this, out};
  inner_.start(interposed);
}

void AtsFunction::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  const bool answer =
      delivery.kind == fabric::DeliveryKind::completed && delivery.requester == self_ && delivery.channel >= channel_;
  if (answer) return answered(delivery, out);
  Interposed interposed{*this, out};
  inner_.on_delivery(delivery, interposed);
}

void AtsFunction::on_wake(device::TimerId timer, Instant now, device::Outbox& out) {
  Interposed interposed{*this, out};
  inner_.on_wake(timer, now, interposed);
}

void AtsFunction::on_frame(int port, const device::Frame& frame, Instant now, device::Outbox& out) {
  Interposed interposed{*this, out};
  inner_.on_frame(port, frame, now, interposed);
}

void AtsFunction::submit(fabric::ChannelIndex channel, const fabric::Transaction& transaction, device::Outbox& out) {
  auto& queue = waiting_[channel];
  Waiting item{transaction, {}};
  const bool memory = transaction.op == pcie::Operation::memory_read ||
                      transaction.op == pcie::Operation::memory_write || transaction.op == pcie::Operation::atomic;
  // Interrupt messages have an address that is not translated (PCIe Base Spec 10.1).
  item.transaction.translated = !off_ && memory && transaction.purpose != pcie::Purpose::interrupt;
  if (item.transaction.translated) {
    flush(transaction.ready);
    const auto last =
        transaction.address + static_cast<std::uint64_t>(std::max<std::int64_t>(1, transaction.bytes.count())) - 1;
    for (auto page = transaction.address >> page_bits_; page <= last >> page_bits_; ++page) {
      if (held_.find(page)) {
        ++counters_.hits;
        continue;
      }
      item.missing.push_back(page);
      request(page, transaction.ready, channel_, out);
    }
  }
  if (queue.empty() && item.missing.empty()) return out.submit(channel, item.transaction);
  queue.push_back(std::move(item));
}

void AtsFunction::flush(Instant now) {
  if (flush_interval_ == Duration{0}) return;
  const auto over = now.time_since_epoch() / flush_interval_;
  if (over <= flushed_) return;
  flushed_ = over;
  held_.clear();
}

void AtsFunction::request(std::uint64_t page, Instant ready, fabric::ChannelIndex channel, device::Outbox& out) {
  if (!asked_.insert(page).second) return;
  ++counters_.requests;
  fabric::Transaction asked;
  asked.cookie = page;
  asked.target = agent_;
  asked.op = pcie::Operation::memory_read;
  asked.purpose = pcie::Purpose::control;
  asked.translation = true;
  asked.notify_requester = true;
  asked.address = page << page_bits_;
  asked.bytes = Bytes{8};  // one translation (PCIe Base Spec 10.2.2)
  asked.ready = ready;
  out.submit(channel, asked);
}

void AtsFunction::answered(const fabric::Delivery& answer, device::Outbox& out) {
  const auto page = answer.cookie;
  asked_.erase(page);
  if (off_) return;
  if (answer.status != pcie::Status::success) {
    refused(page, answer.status);
  } else {
    if (page_request_ && resident_.insert(page).second) return ask_for_page(page, answer.done, out);
    if (!held_.find(page)) held_.insert(page);
    for (auto& [channel, queue] : waiting_)
      for (auto& item : queue) std::erase(item.missing, page);
  }
  send_ready(answer.done, out);
}

/// What waits for this page goes without translation; after Unsupported Request everything does, for good.
void AtsFunction::refused(std::uint64_t page, pcie::Status why) {
  off_ = why == pcie::Status::unsupported_request;
  if (off_) held_.clear();
  for (auto& [channel, queue] : waiting_)
    for (auto& item : queue)
      if (off_ || std::ranges::find(item.missing, page) != item.missing.end()) item.give_up();
}

void AtsFunction::send_ready(Instant now, device::Outbox& out) {
  for (auto& [channel, queue] : waiting_) {
    for (; !queue.empty() && queue.front().missing.empty(); queue.pop_front()) {
      auto& transaction = queue.front().transaction;
      transaction.ready = std::max(transaction.ready, now);
      out.submit(channel, transaction);
    }
  }
}

/// The translation says that the page is not there: the function asks for it, and for its translation once it has come.
void AtsFunction::ask_for_page(std::uint64_t page, Instant now, device::Outbox& out) {
  ++counters_.page_requests;
  fabric::Transaction message;
  message.target = agent_;
  message.op = pcie::Operation::message;
  message.purpose = pcie::Purpose::control;
  message.address = page << page_bits_;
  message.ready = now;
  out.submit(channel_, message);
  const fabric::ChannelIndex later{static_cast<std::uint16_t>(channel_.value() + 1)};
  request(page, now + *page_request_, later, out);
}

void AtsFunction::invalidate(std::uint64_t address, std::uint64_t size) {
  if (size == 0) return;
  for (auto page = address >> page_bits_; page <= (address + size - 1) >> page_bits_; ++page) held_.erase(page);
}

}  // namespace peerpath::ats
