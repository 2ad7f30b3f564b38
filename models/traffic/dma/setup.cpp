#include "traffic/dma/setup.hpp"

#include "peerpath/scenario/frames.hpp"

namespace peerpath::platform {

void DmaSetup::add(std::size_t entry) {
  const auto& t = context_.entry(entry);
  const auto legs = t.legs();
  const auto count = scenario::frames_of(t).value_or(0);
  for (std::size_t n = 0; n < legs.size(); ++n) {
    context_.meter.add_offers(entry, arrivals_of(context_.arrivals_of(t, n), t.sizes, count));
    const auto& from = context_.platform.device(legs[n].from);
    // With several ends payload counts transfer by transfer.
    if (legs.size() == 1 && !from.lands_elsewhere())
      context_.meter.count_arrivals(
          entry, op_ == pcie::Operation::memory_read ? from.node() : context_.platform.node(legs[n].to));
    if (!context_.refused(entry, legs[n].to)) start({entry, n, legs[n], *t.as<scenario::traffic::Dma>(), count});
  }
}

std::vector<const transport::DmaSource*> DmaSetup::sources(std::size_t entry) const {
  std::vector<const transport::DmaSource*> found;
  if (const auto own = sources_.find(entry); own != sources_.end())
    for (const auto& source : own->second) found.push_back(source.get());
  return found;
}

void DmaSetup::start(const Transfers& transfers) {
  const auto& [entry, number, leg, dma, count] = transfers;
  const auto& t = context_.entry(entry);
  const auto* mapping = context_.mapping(entry, leg.to);
  const bool remapped = mapping != nullptr && mapping->verdict == scenario::Bar1Verdict::remapped;
  auto &device = context_.platform.device(leg.from), &target = context_.platform.device(leg.to);
  const auto window = context_.map(entry, leg.to);
  const auto memory = window ? *window : target.memory(dma.window + dma.offset);
  const auto address = (memory + dma.offset).value();
  const bool random = dma.addresses == scenario::Addresses::random;
  if (t.arrival == scenario::ArrivalLaw::regular && dma.traffic_class == 0 && dma.bytes == Bytes{} && !remapped)
    if (const auto stream =
            device.start({op_, target.node(), address, dma.window, t.sizes, SetupContext::rate_of_leg(t), random,
                          [this, entry = entry](Instant begin, Instant end, Bytes size) {
                            context_.meter.done(entry, begin, end, size);
                          }}))
      return context_.meter.owners.map_stream(device, *stream, entry);
  auto pattern = pattern_of(transfers, address);
  if (remapped) {
    const auto [pieces, start] = target.map_pieces(dma.window, memory, mapping->given);
    pattern.pieces = pieces_.emplace_back(pieces).get();
    pattern.address = start.value();
  }
  pattern.outstanding = dma.outstanding.value_or(device.outstanding());
  device.shape(pattern, atomic_);
  start_source(transfers, std::move(pattern));
}

transport::DmaPattern DmaSetup::pattern_of(const Transfers& transfers, std::uint64_t address) const {
  const auto& dma = transfers.dma;
  const auto& t = context_.entry(transfers.entry);
  transport::DmaPattern pattern;
  pattern.stream = static_cast<std::uint16_t>(transfers.entry + 1);  // 0: what a card does itself
  pattern.op = op_;
  pattern.target = context_.platform.node(transfers.leg.to);
  pattern.traffic_class = static_cast<std::uint8_t>(dma.traffic_class);
  pattern.address = address;
  pattern.window = dma.window;
  pattern.flows = t.flows;
  pattern.random = dma.addresses == scenario::Addresses::random;
  pattern.sizes = t.sizes;
  pattern.rate = SetupContext::rate_of_leg(t);
  pattern.arrival = law_of(t.arrival);
  pattern.burst = t.burst;
  pattern.count = transfers.count;
  return pattern;
}

void DmaSetup::start_source(const Transfers& transfers, transport::DmaPattern pattern) {
  const auto entry = transfers.entry;
  const auto& t = context_.entry(entry);
  auto& meter = context_.meter;
  auto& device = context_.platform.device(transfers.leg.from);
  if (!device.has_one_queue() && t.legs().size() == 1) meter.limit_in_flight(entry, pattern.outstanding);
  auto& source = *sources_[entry].emplace_back(
      std::make_unique<transport::DmaSource>(std::move(pattern), context_.random_of(t, transfers.number)));
  source.watch([&meter, entry](Instant when, Instant over, const fabric::Delivery& d) {
    if (d.status == pcie::Status::success) meter.transferred(entry, when, over, d.bytes, over - d.ready);
  });
  device.queue(context_.platform.domain, source, [&meter, &device, entry](fabric::ChannelIndex channel) {
    meter.owners.map_source(device.node(), channel, entry);
  });
}

}  // namespace peerpath::platform
