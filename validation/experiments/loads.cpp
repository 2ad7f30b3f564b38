// Kernel stores beside copies, and copies, kernel reads and kernel stores all at once, on one GPU or the same on each
// of two. One kind of traffic is timed; the others begin before it and outlast it.
#include <algorithm>

#include "validation/experiments/catalogue.hpp"
#include "validation/experiments/chains.hpp"

namespace peerpath::experiments {
namespace {

enum class Kind { copy_to, copy_from, read, write };

constexpr std::int64_t way_to = 1, way_from = 2;  // bits of "ways", as in copies_together
constexpr std::int64_t many = 1024;               // warps that read, warps that store
constexpr double timed_ns = 3e6;                  // that what is timed takes where nothing else goes on
constexpr int most_doublings = 16;                // of each flow

/// The first half of the bench's target in host memory is for copies, the second for stores.
std::size_t half(const Bench& bench) { return bench.host.size() / 2; }

/// Traffic of one kind by one GPU, in a stream of its own.
class Flow {
 public:
  Flow(Bench& bench, Kind kind, std::int64_t warps) : bench_{bench}, kind_{kind}, stream_{bench.gpu} {
    if (kind == Kind::read) chains_ = reading_chains(bench, warps);
    if (kind != Kind::write) return;
    chains_ = chains_of(bench, warps);
    chains_.to = bench.host_target.device_at(half(bench));
    chains_.bytes = half(bench);
    chains_.seed = write_seed;
  }

  Bench& bench() const { return bench_; }
  gpu::Stream& stream() { return stream_; }

  /// Bytes of one copy, or of one step of all chains.
  std::int64_t bytes() const {
    if (copies()) return static_cast<std::int64_t>(std::min(half(bench_), std::size_t{64} << 20));
    return static_cast<std::int64_t>(line_size) * chains_.chains;
  }

  /// Copies or steps that take about so long where nothing else goes on.
  std::uint64_t amount_in(double ns) const {
    constexpr double bytes_per_ns = 50, least_read = 1300, least_store = 30;  // of a step
    const auto least = kind_ == Kind::read ? least_read : kind_ == Kind::write ? least_store : 0;
    return static_cast<std::uint64_t>(ns / std::max(static_cast<double>(bytes()) / bytes_per_ns, least)) + 1;
  }

  /// Queues so many copies, or steps.
  void queue(std::uint64_t amount) {
    if (copies()) {
      const auto way = kind_ == Kind::copy_to ? Way::to_device : Way::from_device;
      for (std::uint64_t n = 0; n < amount; ++n) bench_.queue_copy(stream_, way, static_cast<std::size_t>(bytes()));
      return;
    }
    chains_.steps = amount;
    const auto grid = grid_for(chains_.chains);
    stream_.launch(kind_ == Kind::read ? "read_chains" : "write_places", grid.blocks, grid.threads, chains_);
    chains_.first += static_cast<std::uint32_t>(amount);
  }

  /// Whether the data arrived; of reads the bench's result says it.
  bool right() {
    if (kind_ == Kind::read) return true;
    if (kind_ == Kind::copy_to) return bench_.copied_right(Way::to_device, static_cast<std::size_t>(bytes()));
    if (kind_ == Kind::copy_from) return bench_.copied_right(Way::from_device, static_cast<std::size_t>(bytes()));
    return places_right(bench_.host_target.words() + half(bench_) / 4, chains_);
  }

 private:
  bool copies() const { return kind_ == Kind::copy_to || kind_ == Kind::copy_from; }

  Bench& bench_;
  Kind kind_;
  gpu::Stream stream_;
  gpu::KernelArguments chains_{};
};

/// A flow that goes on beside the timed one, and how much of it outlasts that.
struct Beside {
  std::unique_ptr<Flow> flow;
  std::uint64_t amount;
  int doubled = 0;  ///< how often it did not
};

class Load {
 public:
  Load(Lab& lab, const Settings& settings, Kind timed)
      : lab_{lab},
        scale_{static_cast<double>(lab.first().host.size()) / (256 << 20)},
        timed_{lab.first(), timed, warps_of(settings, timed)} {
    const auto gpus = static_cast<std::size_t>(settings.at("gpus"));
    for (std::size_t n = 0; n < gpus; ++n)
      for (const auto kind : {Kind::copy_to, Kind::copy_from, Kind::read, Kind::write}) {
        if (warps_of(settings, kind) == 0 || (n == 0 && kind == timed)) continue;
        lab.benches[n]->use();
        auto flow = std::make_unique<Flow>(*lab.benches[n], kind, warps_of(settings, kind));
        const auto amount = flow->amount_in(3 * timed_ns * scale_);
        beside_.push_back({std::move(flow), amount});
      }
    for (std::size_t n = 0; n < gpus; ++n) benches_.push_back(lab.benches[n].get());
  }

  Measurement measure() {
    for (auto* bench : benches_) {
      bench->use();
      bench->clear_result();
    }
    lab_.first().use();
    const gpu::Event start{lab_.first().gpu}, end{lab_.first().gpu};
    const auto amount = timed_.amount_in(timed_ns * scale_);
    Measurement m;
    for (int sample = -1; sample < lab_.effort.samples; ++sample) {
      while (!outlasted(start, end, amount)) continue;
      if (sample >= 0) m.ns.push_back(end.since(start) / static_cast<double>(amount));
    }
    m.bytes = timed_.bytes();
    m.correct = timed_.right();
    for (auto& beside : beside_) {
      beside.flow->bench().use();
      m.correct = beside.flow->right() && m.correct;
    }
    for (auto* bench : benches_) {
      bench->use();
      m.correct = bench->result() == 0 && m.correct;
    }
    lab_.first().use();
    return m;
  }

 private:
  /// 0: no such traffic. A copy counts as one.
  static std::int64_t warps_of(const Settings& settings, Kind kind) {
    if (kind == Kind::read) return settings.at("readers");
    if (kind == Kind::write) return settings.at("writers");
    return settings.at("ways") & (kind == Kind::copy_to ? way_to : way_from) ? 1 : 0;
  }

  /// One sample. False if something was over before what is timed; there is twice as much of it next time.
  bool outlasted(const gpu::Event& start, const gpu::Event& end, std::uint64_t amount) {
    for (auto& [flow, theirs, doubled] : beside_) {
      flow->bench().use();
      flow->bench().hold(flow->stream());
      flow->queue(theirs);
    }
    lab_.first().use();
    lab_.first().hold(timed_.stream());
    timed_.queue(amount / 3 + 1);  // until the others have begun as well
    timed_.stream().record(start);
    timed_.queue(amount);
    timed_.stream().record(end);
    for (auto* bench : benches_) bench->release();
    end.wait();
    bool all = true;
    bool stuck = false;
    for (auto& [flow, theirs, doubled] : beside_) {
      flow->bench().use();
      if (!flow->stream().done()) continue;
      theirs *= 2;
      stuck = stuck || ++doubled > most_doublings;
      all = false;
    }
    for (auto& beside : beside_) {
      beside.flow->bench().use();
      beside.flow->stream().wait();
    }
    lab_.first().use();
    timed_.stream().wait();
    if (stuck) throw gpu::Error{"the other traffic ends before the timed part"};
    return all;
  }

  Lab& lab_;
  double scale_;  ///< small buffers are for tests
  Flow timed_;
  std::vector<Beside> beside_;
  std::vector<Bench*> benches_;
};

template <Kind timed>
Measurement in_load(Lab& lab, const Settings& settings) {
  return Load{lab, settings, timed}.measure();
}

/// By the number of warps that store, beside copies one way.
template <Kind timed, std::int64_t ways>
Measurement beside_stores(Lab& lab, const Settings& settings) {
  const Settings load{{{"gpus", 1}, {"readers", 0}, {"writers", settings.at("outstanding")}, {"ways", ways}}};
  return Load{lab, load, timed}.measure();
}

std::vector<Settings> store_counts(const Lab& lab) { return sweep("outstanding", 1, lab.effort.outstanding, 8); }

/// Each mix that has `kind` and at least one other, on one GPU and on two.
template <Kind kind>
std::vector<Settings> mixes(const Lab& lab) {
  std::vector<Settings> all;
  const auto most_gpus = std::min<std::int64_t>(static_cast<std::int64_t>(lab.gpus.size()), 2);
  const auto warps = std::min(many, lab.effort.outstanding);
  for (std::int64_t gpus = 1; gpus <= most_gpus; ++gpus)
    for (const auto& [readers, writers] : {std::pair{std::int64_t{0}, warps}, {warps, warps}, {warps, std::int64_t{0}}})
      for (std::int64_t ways = 0; ways <= (way_to | way_from); ++ways) {
        const int kinds = (readers ? 1 : 0) + (writers ? 1 : 0) + (ways & way_to ? 1 : 0) + (ways & way_from ? 1 : 0);
        const bool has = kind == Kind::read    ? readers > 0
                         : kind == Kind::write ? writers > 0
                                               : (ways & (kind == Kind::copy_to ? way_to : way_from)) != 0;
        if (kinds > 1 && has)
          all.push_back({{{"gpus", gpus}, {"readers", readers}, {"writers", writers}, {"ways", ways}}});
      }
  return all;
}

}  // namespace

std::vector<Experiment> loads() {
  std::vector<Experiment> all{
      {"copy_to_beside_write", "a copy of 64 MiB to the device while N warps store lines of 128 B", store_counts,
       beside_stores<Kind::copy_to, way_to>},
      {"copy_from_beside_write", "the same from the device", store_counts, beside_stores<Kind::copy_from, way_from>},
      {"write_beside_copy_to", "a step of 128 B stores by N warps while a copy engine reads host memory", store_counts,
       beside_stores<Kind::write, way_to>},
      {"write_beside_copy_from", "the same while a copy engine writes host memory", store_counts,
       beside_stores<Kind::write, way_from>},
      {"load_copy_to",
       "a copy of 64 MiB to the device beside copies the other way (ways 3), warps that read and warps that store; "
       "with "
       "two GPUs, each does all of it",
       mixes<Kind::copy_to>, in_load<Kind::copy_to>},
      {"load_copy_from", "a copy from the device in the same mixes", mixes<Kind::copy_from>, in_load<Kind::copy_from>},
      {"load_read", "a step of 128 B reads in the same mixes", mixes<Kind::read>, in_load<Kind::read>},
      {"load_write", "a step of 128 B stores in the same mixes", mixes<Kind::write>, in_load<Kind::write>},
  };
  for (auto& experiment : all) experiment.passes = 3;
  return all;
}

}  // namespace peerpath::experiments
