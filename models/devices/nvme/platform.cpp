#include "devices/nvme/platform.hpp"

#include "devices/host_memory/platform.hpp"
#include "devices/nvme/prp.hpp"
#include "peerpath/base/fail.hpp"
#include "platform/platform.hpp"
#include "platform/report.hpp"

namespace peerpath::platform {
namespace {

constexpr std::uint64_t interrupt_base = 0xfee0'0000;  ///< Intel SDM volume 3, "Message Address Register Format"
constexpr std::uint64_t interrupt_stride = 0x1000;     ///< of destinations: each drive has one, to tell them apart

std::uint64_t length(Bytes size) { return static_cast<std::uint64_t>(size.count()); }

}  // namespace

Nvme::Nvme(const std::string& name, Domain& domain, HostMemory& host, const device::NvmeConfig& config)
    : Device{domain.add_endpoint(name, nvme::fabric_endpoint(config))},
      config_{config},
      domain_{domain},
      host_{host},
      registers_{domain.place(node(), nvme::register_bar_size, false)},
      pcie{node()} {
  domain.add_port(pcie);
  domain.before_build([this] { complete(); });
}

std::optional<std::size_t> Nvme::start(const Transfer& transfer) {
  auto& pair = *pairs_.emplace_back(std::make_unique<nvme::QueuePair>(config_.queue_entries, config_.queue_depth));
  pair.target = transfer.target;
  // What writes to memory reads the medium.
  const bool to_memory = transfer.op == pcie::Operation::memory_write;
  streams_.push_back({to_memory ? nvme::Opcode::read : nvme::Opcode::write, transfer.address, transfer.window,
                      transfer.sizes, transfer.rate, transfer.done, config_.submit_time});
  return streams_.size() - 1;
}

/// Queues, PRP lists and the submitter's place are in host memory.
void Nvme::complete() {
  const auto interrupts = interrupt_base + interrupt_stride * node().value();
  std::vector<Window> windows{{interrupts, interrupt_stride}};
  std::vector<nvme::QueuePair*> pairs;
  for (const auto& pair : pairs_) {
    const auto cq_size = nvme::QueuePair::cq_size(config_.queue_entries);
    pair->sq_address = host_.reserve(nvme::QueuePair::sq_size(config_.queue_entries)).value();
    pair->cq_address = host_.reserve(cq_size).value();
    pair->prp_address = host_.reserve(nvme::page * config_.queue_depth).value();
    pair->msi_address = interrupts;
    windows.push_back({pair->cq_address, length(cq_size)});
    pairs.push_back(pair.get());
  }
  drive_.emplace(config_, node(), host_.node(), pairs);
  submitter_.emplace(node(), registers_.value(), pairs, streams_);
  domain_.attach(*drive_, {.node = node(), .channels = nvme::drive_channels, .hears_arrivals = true});
  ++domain_.endpoint(host_.node()).channels;
  domain_.attach(*submitter_, {.node = host_.node(), .channels = 1, .windows = windows});
}

std::any Nvme::count(Instant now) {
  return Counted{drive_->counters(), drive_->medium().busy_until(now), submitter_->depth_until(now),
                 submitter_->doorbells()};
}

void Nvme::report(Report& report, const std::string& name, const std::any& before, const std::any& after) const {
  const auto &a = std::any_cast<const Counted&>(before), &b = std::any_cast<const Counted&>(after);
  const auto add = [&](const char* what, const char* unit, std::int64_t value, const char* doc) {
    report.add(name + what, unit, value, doc);
  };
  report.results.resources.push_back({name + " medium", b.medium - a.medium, report.window});
  report.slots.push_back({name, "queue depth", Duration{narrow(b.depth - a.depth)},
                          static_cast<std::int64_t>(config_.queue_depth) * static_cast<std::int64_t>(pairs_.size())});
  add(".read_commands", "1", b.drive.reads - a.drive.reads, "NVMe Reads completed");
  add(".write_commands", "1", b.drive.writes - a.drive.writes, "NVMe Writes completed");
  add(".failed_commands", "1", b.drive.failed - a.drive.failed,
      "NVMe commands completed with an error because data did not arrive");
  add(".medium_read_bytes", "B", (b.drive.read - a.drive.read).count(), "Data of NVMe Reads");
  add(".medium_written_bytes", "B", (b.drive.written - a.drive.written).count(), "Data of NVMe Writes");
  add(".fetches", "1", b.drive.fetches - a.drive.fetches, "Reads of submission queues");
  add(".interrupts", "1", b.drive.interrupts - a.drive.interrupts, "Interrupts sent");
  add(".doorbells", "1", b.doorbells - a.doorbells, "Doorbell writes");
  const auto mean = (b.depth - a.depth) * 1000 / report.window.count();
  report.results.metrics.push_back(
      {name + ".queue_depth", "1", observe::Decimal{narrow(mean), 3}, "Average number of commands in flight"});
  if (drive_->fatal())
    report.results.faults.push_back({name, "controller fatal status: it could not fetch a command", 1, Instant{}});
}

}  // namespace peerpath::platform

namespace peerpath {

std::unique_ptr<platform::Device> device::Kind<device::NvmeConfig>::make(const std::string& name,
                                                                         const NvmeConfig& config,
                                                                         const scenario::Scenario&,
                                                                         platform::Platform& platform) {
  auto* host = platform.find<platform::HostMemory>(config.queues_in);
  require(host != nullptr, "queues of a drive are in host memory");
  return std::make_unique<platform::Nvme>(name, platform.domain, *host, config);
}

}  // namespace peerpath
