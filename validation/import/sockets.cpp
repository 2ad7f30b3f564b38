#include "validation/import/sockets.hpp"

namespace peerpath::import {

nlohmann::ordered_json assumed_inter_socket(bool amd, std::vector<std::string>& notes) {
  notes.push_back(std::string{"two NUMA nodes with devices are taken for two sockets, joined by "} +
                  (amd ? "three xGMI links of 256 Gb/s" : "three UPI links of 166.4 Gb/s") +
                  ": assumed, the dump does not say; see inter_socket");
  return {{"from", "rc0"},
          {"to", "rc1"},
          {"links", 3},
          {"rate", amd ? "256Gbps" : "166400Mbps"},
          {"source", "assumed for a processor of this vendor; the dump does not say"}};
}

}  // namespace peerpath::import
