#include "validation/pcie_bench/criteria.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace peerpath::pcie_bench {
namespace {

using Predictions = std::vector<Prediction>;
using Chosen = std::function<bool(const Case&)>;

/// Sizes one byte above a boundary; each is judged against the size below it.
bool beyond_boundary(std::int64_t size) { return size == 65 || size == 129 || size == 257; }

std::vector<double> errors(const Predictions& predictions, const Chosen& chosen) {
  std::vector<double> found;
  for (const auto& p : predictions)
    if (chosen(p.point.which)) found.push_back(100 * std::abs(p.error()));
  return found;
}

Criterion largest(std::string name, double allowed, const Predictions& predictions, const Chosen& chosen) {
  const auto found = errors(predictions, chosen);
  return {std::move(name), static_cast<int>(found.size()), found.empty() ? 0 : std::ranges::max(found), allowed};
}

Criterion median(std::string name, double allowed, const Predictions& predictions, const Chosen& chosen) {
  auto found = errors(predictions, chosen);
  Criterion criterion{std::move(name), static_cast<int>(found.size()), 0, allowed};
  if (found.empty()) return criterion;
  std::ranges::sort(found);
  const auto middle = found.size() / 2;
  criterion.value = found.size() % 2 ? found[middle] : (found[middle - 1] + found[middle]) / 2;
  return criterion;
}

const Prediction* find(const Predictions& predictions, Test test, std::int64_t size) {
  const auto at = std::ranges::find_if(predictions, [&](const Prediction& p) {
    return p.point.which.test == test && p.point.which.size.count() == size;
  });
  return at == predictions.end() ? nullptr : &*at;
}

Criterion steps(std::string name, Test test, const Predictions& predictions) {
  Criterion criterion{std::move(name), 0, 0, 0};
  for (const auto& above : predictions) {
    const auto size = above.point.which.size.count();
    if (above.point.which.test != test || !beyond_boundary(size)) continue;
    const auto* below = find(predictions, test, size - 1);
    if (!below) continue;
    ++criterion.points;
    const bool measured = above.point.measured > below->point.measured;
    if (measured != (above.predicted > below->predicted)) ++criterion.value;
  }
  return criterion;
}

}  // namespace

std::vector<Criterion> judge(const Setup& setup, const Predictions& predictions) {
  const auto of = [](Test test, std::int64_t from, std::int64_t to, bool with_odd = true) {
    return [=](const Case& c) {
      const auto size = c.size.count();
      return c.test == test && size >= from && size <= to && (with_odd || !beyond_boundary(size));
    };
  };
  const auto odd = [](Test test) {
    return [=](const Case& c) { return c.test == test && beyond_boundary(c.size.count()); };
  };
  std::vector<Criterion> all;
  all.push_back(largest("writes of 512 B and more, largest error %", 3, predictions, of(Test::bw_write, 512, 4096)));
  all.push_back(largest("writes below 512 B, largest error %", 8, predictions, of(Test::bw_write, 1, 511)));
  if (setup.max_read_request >= whole_transfers) {
    all.push_back(largest("reads of 512 B and more, largest error %", 5, predictions, of(Test::bw_read, 512, 4096)));
    all.push_back(largest("reads below 512 B, largest error %", 10, predictions, of(Test::bw_read, 1, 511, false)));
  } else {
    all.push_back(median("reads, median error %", 5, predictions, of(Test::bw_read, 1, 4096)));
    all.push_back(largest("reads, largest error %", 13, predictions, of(Test::bw_read, 1, 4096)));
  }
  all.push_back(largest("reads of 65, 129, 257 B, largest error %", 15, predictions, odd(Test::bw_read)));
  all.push_back(steps("reads of 65, 129, 257 B, steps with the wrong sign", Test::bw_read, predictions));
  all.push_back(largest("writes of 65, 129, 257 B, largest error %", 15, predictions, odd(Test::bw_write)));
  all.push_back(steps("writes of 65, 129, 257 B, steps with the wrong sign", Test::bw_write, predictions));
  all.push_back(median("reads and writes together, median error %", 12, predictions, of(Test::bw_both, 1, 4096)));
  all.push_back(
      largest("DMA read latency of 8 to 2048 B, largest error %", 5, predictions, of(Test::lat_dma_read, 8, 2048)));
  return all;
}

std::string_view cause(const Setup& setup, const Prediction& prediction) {
  const auto size = prediction.point.which.size.count();
  switch (prediction.point.which.test) {
    case Test::bw_write:
      if (size <= 128)
        return "the second command of a burst: measured 3.1 ns, while reads share the constant and want more";
      return "the line idles a few symbols at the end of a transfer that is no multiple of 512 B; not modelled";
    case Test::bw_read:
      if (size < 63)
        return "bound by tags and round trip: under load the round trip of short reads is not that of the latency test";
      if (size % 64 != 0 && size <= setup.max_payload.count() + 1)
        return "partial line: the engine's cost for it is modelled in steps of 32 B";
      if (setup.max_read_request < whole_transfers && size > setup.max_payload.count())
        return "MRRS cuts the transfer: the root complex changes between completions of 256 B and 128 B, the model "
               "holds one";
      return "the root complex returns short reads in completions that vary with timing; the model cuts them regularly";
    case Test::bw_both:
      return "the card's arbitration between reads and writes is modelled only as a shared bus";
    case Test::lat_dma_read:
      return "fixed cost per transfer and per 128 B; the measured curve bends";
    case Test::lat_dma_write_read:
      return "a read right after the write of the same place is answered from elsewhere in the host; modelled as "
             "arrival and a fixed turnaround";
    case Test::lat_cmd_read:
      return "the command interface has two modes, 53 to 70 ns apart on one machine; one constant lies between them";
    case Test::lat_cmd_write_read:
      return "the dependent read is modelled as arrival, a fixed turnaround and the path of LAT_CMD_RD";
  }
  return "";
}

}  // namespace peerpath::pcie_bench
