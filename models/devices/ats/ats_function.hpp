// Address Translation Services of a function: it translates what it accesses itself, ahead, and keeps the translations.
// The model card is README.md beside this.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/host/associative_cache.hpp"
#include "peerpath/device/endpoint.hpp"
#include "peerpath/device/host_config.hpp"

namespace peerpath::ats {

struct AtsCounters {
  std::int64_t hits = 0;      ///< accesses to pages that it held
  std::int64_t requests = 0;  ///< translation requests
  std::int64_t page_requests = 0;
};

/// Channels of a function beside its own: what waits for the host's response must not hold up other requests.
inline int channels(const device::AtsConfig& config) { return config.page_request ? 2 : 1; }

/// Stands between a device and its shell. A memory access whose pages it holds goes out as translated at once; another
/// one waits, with all that its channel submits after it, until translation requests for its pages have been answered.
/// Where one of them fails, it goes out untranslated.
class AtsFunction final : public device::Endpoint {
 public:
  /// `inner` sits at `self` and uses channels below `channel`, on which translation requests go to `agent`; those that
  /// wait for the response to a page request, if there are any, have the next one.
  AtsFunction(device::Endpoint& inner, const device::AtsConfig& config, fabric::NodeId self, fabric::NodeId agent,
              fabric::ChannelIndex channel);

  void start(device::Outbox& out) override;
  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_computed(const fabric::Delivery& delivery) override {
    if (delivery.channel < channel_) inner_.on_computed(delivery);  // page request messages are not the device's own
  }
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override;
  void on_frame(int port, const device::Frame& frame, Instant now, device::Outbox& out) override;

  /// The host takes the translations of [address, address + size) back.
  void invalidate(std::uint64_t address, std::uint64_t size);
  /// The host takes all translations back at multiples of this, as it flushes its own; 0, as at first: never.
  void flush_every(Duration interval) { flush_interval_ = interval; }

  const AtsCounters& counters() const { return counters_; }

 private:
  class Interposed;
  struct Waiting {
    fabric::Transaction transaction;
    std::vector<std::uint64_t> missing;  ///< pages whose translation has not come yet
    void give_up() { transaction.translated = false, missing.clear(); }
  };

  void submit(fabric::ChannelIndex channel, const fabric::Transaction& transaction, device::Outbox& out);
  void flush(Instant now);
  void request(std::uint64_t page, Instant ready, fabric::ChannelIndex channel, device::Outbox& out);
  void answered(const fabric::Delivery& answer, device::Outbox& out);
  void refused(std::uint64_t page, pcie::Status why);
  void send_ready(Instant now, device::Outbox& out);
  void ask_for_page(std::uint64_t page, Instant now, device::Outbox& out);

  device::Endpoint& inner_;
  fabric::NodeId self_, agent_;
  fabric::ChannelIndex channel_;
  unsigned page_bits_;
  std::optional<Duration> page_request_;
  host::AssociativeCache held_;
  Duration flush_interval_{};
  std::int64_t flushed_ = 0;          ///< flush intervals over
  bool off_ = false;                  ///< the host said that it translates nothing for this function
  std::set<std::uint64_t> asked_;     ///< pages with a translation request under way
  std::set<std::uint64_t> resident_;  ///< pages that the host has answered for, with page requests
  std::map<fabric::ChannelIndex, std::deque<Waiting>> waiting_;
  AtsCounters counters_;
};

}  // namespace peerpath::ats
