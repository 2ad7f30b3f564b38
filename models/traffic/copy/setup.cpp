#include <algorithm>

#include "devices/gpu/copy_streams.hpp"
#include "platform/kind_setup.hpp"
#include "traffic/copy/kind.hpp"

namespace peerpath::platform {
namespace {

/// Each copy is a stream of one GPU; a staged one of two, which tell each other of its chunks.
class CopySetup final : public KindSetup {
 public:
  explicit CopySetup(SetupContext& context) : context_{context} {}

  void add(std::size_t entry) override {
    using Way = gpu::CopyWork::Way;
    using Stage = gpu::CopyWork::Stage;
    const auto& t = context_.entry(entry);
    const auto& copy = *t.as<scenario::traffic::Copy>();
    const bool from_gpu = context_.platform.device(t.from).makes_copies();
    const bool to_gpu = context_.platform.device(t.to).makes_copies();
    const bool staged = !copy.through.empty(), to_peer = from_gpu && to_gpu && !staged;
    context_.meter.add_offers(entry, arrivals_of(context_.arrivals_of(t), t.sizes));
    context_.meter.traffic[entry].requesters.clear();
    gpu::CopyWork work;
    work.by_kernel = copy.by == scenario::CopyBy::kernel;
    work.single = copy.submission == scenario::Submission::single;
    work.sizes = t.sizes;
    work.rate = t.rate;
    work.chunk = copy.chunk;
    work.port = static_cast<int>(entry);
    if (!to_peer) {
      auto& host = context_.platform.device(staged ? copy.through : from_gpu ? t.to : t.from);
      work.host = {host.node(), host.memory(std::ranges::max(t.sizes))};
    }
    if (to_peer) {  // no link of the fabric carries it
      stream(entry, t.from, Way::to_peer, Stage::none, work);
    } else if (staged) {
      stream(entry, t.from, Way::from_gpu, Stage::first, work);
      stream(entry, t.to, Way::to_gpu, Stage::second, work);
      staged_.push_back(entry);
    } else {
      stream(entry, from_gpu ? t.from : t.to, from_gpu ? Way::from_gpu : Way::to_gpu, Stage::none, work);
    }
    if (!to_peer) context_.meter.count_arrivals(entry, context_.platform.node(t.to));
  }

  void attached() override {
    constexpr BitRate at_once{400'000'000'000'000};
    for (const auto entry : staged_) {
      const auto& t = context_.entry(entry);
      const auto port = static_cast<int>(entry);
      const auto &from = context_.platform.device(t.from), &to = context_.platform.device(t.to);
      const bool in_order = t.from < t.to;  // of attachment: that of names
      const auto first = (in_order ? from : to).copies_at(), second = (in_order ? to : from).copies_at();
      context_.platform.domain.join({first, port}, {second, port}, {at_once, to.hand_over(), {}});
    }
  }

 private:
  void stream(std::size_t entry, const std::string& name, gpu::CopyWork::Way way, gpu::CopyWork::Stage stage,
              gpu::CopyWork work) {
    auto& device = context_.platform.device(name);
    auto& meter = context_.meter;
    work.way = way;
    work.stage = stage;
    if (stage != gpu::CopyWork::Stage::first)
      work.done = [&meter, entry](Instant begin, Instant end, Bytes size) {
        meter.transferred(entry, begin, end, size);
      };
    device.copy(work, [&meter, &device, entry](fabric::ChannelIndex channel) {
      meter.owners.map_source(device.node(), channel, entry);
    });
    meter.traffic[entry].requesters.push_back(name);
  }

  SetupContext& context_;
  std::vector<std::size_t> staged_;
};

}  // namespace
}  // namespace peerpath::platform

namespace peerpath::scenario::traffic {

std::unique_ptr<platform::KindSetup> Kind<Copy>::set_up(platform::SetupContext& context) {
  return std::make_unique<platform::CopySetup>(context);
}

}  // namespace peerpath::scenario::traffic
