#include "platform/devices/dma_card.hpp"

namespace peerpath::platform {

DmaCard::DmaCard(const std::string& name, Domain& domain, const device::DmaCardConfig& config)
    : config_{config},
      domain_{domain},
      node_{domain.add_endpoint(name, dma_card::fabric_endpoint(config, BitRate{}))},
      memory_{domain.place(node_, config.memory, true, config.bar_address)},
      pcie{node_} {
  domain.add_port(pcie);
  domain.before_build([this] { complete(); });
}

std::size_t DmaCard::add(const dma_card::Stream& stream) {
  streams_.push_back(stream);
  return streams_.size() - 1;
}

void DmaCard::complete() {
  const auto link = link_direction(pcie.link, config_.function.max_payload);
  const auto channels = domain_.endpoint(node_).channels;  // others may have added theirs
  domain_.endpoint(node_) = dma_card::fabric_endpoint(config_, link.rate);
  domain_.endpoint(node_).channels = channels;
  behaviour_.emplace(config_, node_, streams_, domain_.topology().seed);
  domain_.attach(*behaviour_, {.node = node_, .channels = 2, .hears_arrivals = true});
}

}  // namespace peerpath::platform
