#include "devices/dma_card/platform.hpp"

#include <algorithm>

#include "devices/dma_card/kind.hpp"
#include "platform/platform.hpp"
#include "platform/report.hpp"

namespace peerpath::platform {

DmaCard::DmaCard(const std::string& name, Domain& domain, const device::DmaCardConfig& config)
    : Device{domain.add_endpoint(name, dma_card::fabric_endpoint(config, BitRate{}))},
      config_{config},
      domain_{domain},
      memory_{domain.place(node(), config.memory, true, config.bar_address)},
      pcie{node()} {
  domain.add_port(pcie);
  domain.before_build([this] { complete(); });
}

std::optional<std::size_t> DmaCard::start(const Transfer& transfer) {
  dma_card::Stream stream;
  stream.steps = {transfer.op == pcie::Operation::memory_read ? dma_card::Step::read : dma_card::Step::write};
  stream.target = transfer.target;
  stream.address = transfer.address;
  stream.window = transfer.window;
  stream.sizes = transfer.sizes;
  stream.rate = transfer.rate;
  stream.random = transfer.random;
  return add(stream);
}

std::size_t DmaCard::add(const dma_card::Stream& stream) {
  streams_.push_back(stream);
  return streams_.size() - 1;
}

void DmaCard::complete() {
  const auto link = link_direction(pcie.link, config_.function.max_payload);
  const auto channels = domain_.endpoint(node()).channels;  // others may have added theirs
  domain_.endpoint(node()) = dma_card::fabric_endpoint(config_, link.rate);
  domain_.endpoint(node()).channels = channels;
  behaviour_.emplace(config_, node(), streams_, domain_.topology().seed);
  domain_.attach(*behaviour_, {.node = node(), .channels = 2, .hears_arrivals = true});
}

std::any DmaCard::count(Instant now) { return behaviour_->busy_until(now); }

void DmaCard::report(Report& report, const std::string& name, const std::any& before, const std::any& after) const {
  if (streams_.empty()) return;
  using Busy = dma_card::DmaCard::Busy;
  const auto &a = std::any_cast<const Busy&>(before), &b = std::any_cast<const Busy&>(after);
  const auto engine = std::max(b.writing - a.writing, b.reading - a.reading);
  if (engine > Duration{}) report.results.resources.push_back({name + " DMA engine", engine, report.window});
  report.slots.push_back({name, "transfers in flight", b.held - a.held, config_.outstanding});
}

}  // namespace peerpath::platform

namespace peerpath {

std::unique_ptr<platform::Device> device::Kind<device::DmaCardConfig>::make(const std::string& name,
                                                                            const DmaCardConfig& config,
                                                                            const scenario::Scenario&,
                                                                            platform::Platform& platform) {
  return std::make_unique<platform::DmaCard>(name, platform.domain, config);
}

}  // namespace peerpath
