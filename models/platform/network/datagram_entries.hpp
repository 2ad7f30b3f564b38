// Entries of `rdma` over UD: who sends datagrams to whom, and what came of them.
#pragma once

#include <map>
#include <vector>

#include "platform/network/rdma_tally.hpp"
#include "transport/roce/fleet.hpp"

namespace peerpath::network_run {

/// Keeps each queue pair of a sender at `outstanding` datagrams, for the hosts of `to` in turn.
class DatagramEntries {
 public:
  /// `posted`: by entry, payload that was; it is added to.
  DatagramEntries(const std::vector<network_scenario::Rdma>& entries, const network::Graph& graph, roce::Fleet& fleet,
                  std::vector<std::int64_t>& posted)
      : entries_{entries}, graph_{graph}, fleet_{fleet}, posted_{posted} {}

  void begin(std::size_t number, Instant now);
  /// One of the queue pair's has left its NIC.
  void sent(roce::QpIndex qp, Instant now);
  /// One has come in. `counts`: in the measured window.
  void arrived(const roce::Packet& packet, bool received, Instant now, std::vector<Tally>& tallies);

 private:
  struct Sender {
    EntryUse use{};
    std::vector<roce::AddressHandle> to{};
    std::size_t turn = 0;
  };
  void post_next(roce::QpIndex qp, Sender& sender, Instant now);

  const std::vector<network_scenario::Rdma>& entries_;
  const network::Graph& graph_;
  roce::Fleet& fleet_;
  std::vector<std::int64_t>& posted_;
  std::map<roce::QpIndex, Sender> senders_;
  std::map<roce::QpIndex, std::size_t> receivers_;  ///< their entries
};

}  // namespace peerpath::network_run
