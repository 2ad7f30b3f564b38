#include "validation/calibrate/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace peerpath::calibrate {
namespace {

using compare::Point;

constexpr std::int64_t cache_line = 64, kernel_request = 128;
constexpr std::int64_t engine_piece = 4096;  // as engines of a scenario ask
constexpr std::int64_t least_read_request = 128;
constexpr std::int64_t many = 768;  // outstanding: enough for the rate of the link at any latency seen
constexpr std::int64_t to_device = 1, from_device = 2;

/// What an engine asks for at a time, which is cut into its requests; those that no MRRS allows it asks for one by one.
std::int64_t piece_of(std::int64_t request) { return request < least_read_request ? request : engine_piece; }

double size(const Point& point) { return static_cast<double>(point.at("bytes")); }

/// What of a copy to the device is asked for at once, at its begin: the ACKs and UpdateFCs of those requests go before
/// the data, which has the line for itself. From then on each request that is taken in costs some of the line.
double data_to(Model& m, const Parameters& p, double bytes, double each, double request) {
  return bytes * each - std::min(bytes, m.in_flight(p)) * std::max(each - m.completions_alone(p, request), 0.0);
}
double engine_data_to(Model& m, const Parameters& p, double bytes) {
  return data_to(m, p, bytes, m.engine_to(p), p.engine_request);
}

double copy_to(Model& m, const Parameters& p, const Point& point) {
  return p.setup_to + engine_data_to(m, p, size(point));
}
double copy_from(Model& m, const Parameters& p, const Point& point) {
  return p.setup_from + size(point) * m.engine_from(p);
}

struct Against {
  double to = 0, from = 0;
};

/// Bytes of a buffer that the host's cache holds: as many as it can, if the buffer is used over and over.
double cached_of(const Parameters& p, double bytes) { return std::min(bytes, p.cached * (1 << 20)); }

/// ns for a byte of either engine's copies of a buffer of that size while the other works. Of what no cache holds the
/// host reads slower beside writes, which then have more of the line; they have it for as long as such reads take.
Against both_rates(Model& m, const Parameters& p, double bytes) {
  const auto held = cached_of(p, bytes) * m.both_to(p), rest = (bytes - cached_of(p, bytes)) * m.both_to(p, false);
  const auto written = held / m.both_from(p) + rest / m.both_from(p, false);
  return {(held + rest) / bytes, (held + rest) / written};
}

/// Two engines that copy, one each way. While one is in its setup the other has the link for itself, so that each one's
/// time hangs on the other's.
Against against(Model& m, const Parameters& p, double bytes) {
  constexpr int rounds = 12;
  const auto both = both_rates(m, p, bytes);
  Against ns{p.setup_to_busy + bytes * both.to, p.setup_from_busy + bytes * both.from};
  for (int n = 0; n < rounds; ++n) {
    const auto moving_to = 1 - p.setup_to_busy / ns.to, moving_from = 1 - p.setup_from_busy / ns.from;
    ns.to = p.setup_to_busy + bytes * (moving_from * both.to + (1 - moving_from) * m.engine_to(p));
    ns.from = p.setup_from_busy + bytes * (moving_to * both.from + (1 - moving_to) * m.engine_from(p));
  }
  return ns;
}

double against_to(Model& m, const Parameters& p, const Point& point) { return against(m, p, size(point)).to; }
double against_from(Model& m, const Parameters& p, const Point& point) { return against(m, p, size(point)).from; }

double kernel_to(Model& m, const Parameters& p, const Point& point) {
  return p.kernel_setup_to + data_to(m, p, size(point), m.kernel_to(p), kernel_request);
}
double kernel_from(Model& m, const Parameters& p, const Point& point) {
  return p.kernel_setup_from + size(point) * m.kernel_from(p);
}

double once_to(Model& m, const Parameters& p, const Point& point) {
  return (size(point) <= p.inline_limit ? p.submit_small : p.submit_large) + engine_data_to(m, p, size(point));
}
double once_from(Model& m, const Parameters& p, const Point& point) {
  return p.submit_from + size(point) * m.engine_from(p);
}

double reads(Model& m, const Parameters& p, const Point& point) {
  const auto outstanding = point.at("outstanding");
  const auto latency = Model::read_latency(p, static_cast<double>(outstanding));
  // Further ones wait inside the GPU, so that so many more take so much longer.
  const auto played = std::min(outstanding, reads_at_a_time(p));
  const auto more = static_cast<double>(outstanding) / static_cast<double>(played);
  const auto at_rate = Model::read_latency(p, static_cast<double>(played));
  return played == outstanding ? m.read_step(p, latency, point.at("request"), outstanding)
                               : std::max(latency, more * m.read_step(p, at_rate, point.at("request"), played));
}
double dependent_reads(Model& m, const Parameters& p, const Point&) { return m.read_step(p, p.read_latency, 32, 1); }

double writes(Model& m, const Parameters& p, const Point& point) {
  const auto together = static_cast<double>(point.at("outstanding")) * m.write_interval(p, point.at("request"));
  return std::max(p.store_interval, together);
}

double atomics(Model&, const Parameters& p, const Point& point) {
  const auto outstanding = static_cast<double>(point.at("outstanding"));
  return std::max(p.atomic_latency + p.atomic_queueing * outstanding, p.atomic_service * outstanding);
}

/// The flag is written at any time between two looks, half a look before the one that sees it on average; that look
/// is a whole way there and back from where the flag was already true: one and a half round trips with the answer.
double flag(Model& m, const Parameters& p, const Point& point) { return 1.5 * dependent_reads(m, p, point); }

/// Two engines that begin together, one each way, until the last is over, which has the link for itself at the end. The
/// start of the buffer that is read is what the cache holds.
double opposed(Model& m, const Parameters& p, double bytes) {
  double read = 0, written = 0, ns = 0;
  for (const bool cached : {true, false}) {
    const auto part = cached ? cached_of(p, bytes) : bytes - cached_of(p, bytes);
    const auto to = m.both_to(p, cached), from = m.both_from(p, cached);
    const auto time = std::min(part * to, (bytes - written) * from);
    ns += time;
    read += time / to;
    written += time / from;
  }
  return ns + (bytes - read) * m.engine_to(p) + (bytes - written) * m.engine_from(p);
}

double together(Model& m, const Parameters& p, const Point& point) {
  if (point.at("gpus") == 1 && point.at("ways") == (to_device | from_device))
    return opposed(m, p, static_cast<double>(point.bytes) / 2);
  return static_cast<double>(point.bytes) / m.together(p, point.at("gpus"), point.at("ways"));
}

double staged(Model& m, const Parameters& p, const Point& point) {
  const auto bytes = static_cast<double>(point.bytes), chunk = static_cast<double>(point.at("chunk"));
  const auto each = std::max(m.engine_to(p), m.engine_from(p));
  return bytes * each + chunk * m.engine_to(p) + bytes / chunk * p.hand_over;
}

double peer(Model&, const Parameters& p, const Point& point) { return p.peer_setup + size(point) / p.peer_rate; }

struct Law {
  std::string_view experiment;
  double (*predict)(Model&, const Parameters&, const Point&);
  std::string_view words;
};

constexpr std::array laws{
    Law{"copy_to_device", copy_to, "setup + bytes at the rate of reads played on the fabric"},
    Law{"copy_from_device", copy_from, "setup + bytes at the slower of the engine and writes played on the fabric"},
    Law{"copy_to_device_against", against_to,
        "setup + bytes at the rate of reads played on the fabric, beside writes while these go on"},
    Law{"copy_from_device_against", against_from,
        "setup + bytes at the rate of writes played on the fabric, beside reads while these go on"},
    Law{"kernel_to_device", kernel_to, "setup + bytes at the rate of 128 B reads played on the fabric"},
    Law{"kernel_from_device", kernel_from, "setup + bytes at the rate of 128 B writes played on the fabric"},
    Law{"copy_once_to_device", once_to, "submission + bytes at the rate of reads played on the fabric"},
    Law{"copy_once_from_device", once_from,
        "submission + bytes at the slower of the engine and writes played on the fabric"},
    Law{"read_outstanding", reads,
        "chains of dependent reads played on the fabric, as many at a time as the GPU has outstanding"},
    Law{"read_latency", dependent_reads, "one read played on the fabric"},
    Law{"write_scattered", writes, "the slower of the warps' stores and writes played on the fabric"},
    Law{"atomic_outstanding", atomics, "closed form: the longer of latency and service (Little's law)"},
    Law{"flag_round_trip", flag, "closed form: 1.5 reads"},
    Law{"copies_together", together,
        "closed form: the links' rates, played on the fabric; of one both ways its reads beside writes; of several the "
        "host's limits, gradually"},
    Law{"staged", staged, "closed form: pipeline of two copies"},
    Law{"peer_copy", peer, "closed form: setup + bytes / rate"},
};

/// GB/s of reads that have so many bytes under way: each takes `trip`, and near the host's limit `wait` times
/// (1 - u^s)^(-1/s) - 1 besides, u being their share of that limit.
double rate_with_wait(double under_way, double trip, double wait, const Parameters& p) {
  constexpr int halvings = 50;
  double least = 0, most = p.host_read_rate;
  for (int n = 0; n < halvings; ++n) {
    const auto rate = (least + most) / 2;
    const auto free = 1 - std::pow(rate / p.host_read_rate, p.host_sharpness);
    const auto longer = free > 0 ? std::pow(free, -1 / p.host_sharpness) - 1 : under_way;
    (rate * (trip + wait * longer) < under_way ? least : most) = rate;
  }
  return least;
}

/// 1 / rate^sharpness = 1 / links^sharpness + 1 / host^sharpness.
double gradually(double links, double host, double sharpness) {
  const auto faster = std::max(links, host), slower = std::min(links, host);
  return slower / std::pow(1 + std::pow(slower / faster, sharpness), 1 / sharpness);
}

const Law* find(std::string_view experiment) {
  const auto* found = std::ranges::find(laws, experiment, &Law::experiment);
  return found == laws.end() ? nullptr : found;
}

}  // namespace

Model::Model(const compare::GpuFacts& gpu) {
  path_.link = gpu.link;
  path_.max_payload = Bytes{gpu.max_payload};
}

std::int64_t reads_at_a_time(const Parameters& p) {
  return std::min<std::int64_t>(std::llround(p.outstanding_limit), most_outstanding_reads);
}

std::optional<double> Model::predict(const Point& point, const Parameters& parameters) {
  const auto* law = find(point.experiment);
  return law ? std::optional{law->predict(*this, parameters, point)} : std::nullopt;
}

std::string_view Model::law(std::string_view experiment) {
  const auto* law = find(experiment);
  return law ? law->words : "";
}

Path Model::path(const Parameters& p) const {
  auto path = path_;
  path.link_share = p.link_share;
  path.update_interval = p.update_interval;
  path.read_latency = p.read_latency;
  path.read_service = p.read_service;
  return path;
}

double Model::read_step(const Parameters& p, double latency, std::int64_t size, std::int64_t outstanding,
                        std::int64_t max_request) {
  auto [entry, fresh] = played_.try_emplace(
      {0, p.link_share, p.update_interval, latency, p.read_service, size, outstanding, max_request});
  if (fresh) {
    auto path = this->path(p);
    path.read_latency = latency;
    path.max_read_request = Bytes{std::max(max_request, least_read_request)};
    entry->second.read = calibrate::read_step(path, Bytes{size}, static_cast<int>(outstanding));
  }
  return entry->second.read;
}

double Model::write_interval(const Parameters& p, std::int64_t request) {
  const auto service = request < cache_line ? p.partial_write_service : 0;
  auto [entry, fresh] = played_.try_emplace({1, p.link_share, p.update_interval, 0, service, request, 0, 0});
  if (fresh) {
    auto path = this->path(p);
    path.write_service = service;
    entry->second.write = calibrate::write_interval(path, Bytes{request});
  }
  return entry->second.write;
}

BothWays Model::both(const Parameters& p, bool cached) {
  const auto request = static_cast<std::int64_t>(p.engine_request);
  const auto uncached = cached ? 0 : static_cast<double>(request) / p.beside_writes_rate;
  const auto service = std::max(p.read_service, uncached);
  auto [entry, fresh] =
      played_.try_emplace({2, p.link_share, p.update_interval, p.read_latency, service, request, 0, 0});
  if (fresh) {
    auto path = this->path(p);
    path.read_service = service;
    path.max_read_request = Bytes{std::max(request, least_read_request)};
    const auto writes = cached ? beside_fast_reads : beside_slow_reads;
    entry->second = both_intervals(path, Bytes{piece_of(request)}, path_.max_payload, writes);
  }
  return entry->second;
}

double Model::engine_to(const Parameters& p) {
  const auto request = static_cast<std::int64_t>(p.engine_request);
  constexpr std::int64_t enough = 96 << 10;
  const auto piece = piece_of(request);
  return read_step(p, p.read_latency, piece, enough / piece, request) / static_cast<double>(enough);
}

double Model::completions_alone(const Parameters& p, double request) const {
  const Bytes data{std::min(static_cast<std::int64_t>(request), path_.max_payload.count())};
  return completion_time(path(p), data) / static_cast<double>(data.count());
}

double Model::in_flight(const Parameters& p) {
  constexpr double unit = engine_piece;
  return (std::ceil((engine_round_trip(p) / engine_to(p) - unit) / unit) + 1) * unit;
}

double Model::engine_round_trip(const Parameters& p) {
  constexpr double way = 50;
  return (1 - gpu_share) * p.read_latency + way + static_cast<double>(engine_piece) * engine_to(p);
}

double Model::read_latency(const Parameters& p, double outstanding) {
  return p.read_latency + p.read_queueing * outstanding + p.read_bunching * (std::sqrt(outstanding) - 1);
}

double Model::read_round_trip(const Parameters& p) { return read_latency(p, static_cast<double>(many)); }

double Model::both_to(const Parameters& p, bool cached) {
  return both(p, cached).read / static_cast<double>(piece_of(std::llround(p.engine_request)));
}

double Model::both_from(const Parameters& p, bool cached) {
  return std::max(both(p, cached).write / payload(), 1 / p.engine_write_rate);
}

double Model::together(const Parameters& p, std::int64_t gpus, std::int64_t ways) {
  const auto count = static_cast<double>(gpus);
  const auto links = ways == to_device     ? count / engine_to(p)
                     : ways == from_device ? count / engine_from(p)
                                           : 2 * count / std::max(both_to(p), both_from(p));
  if (gpus == 1) return links;
  if (ways == to_device) {
    const auto under_way = count * in_flight(p), trip = engine_round_trip(p), wait = read_round_trip(p);
    return std::min(links, rate_with_wait(under_way, trip, wait, p));
  }
  if (ways == from_device) return gradually(links, p.host_write_rate, 2 * p.host_sharpness);
  return gradually(links, p.host_both_rate, p.host_sharpness);
}

double Model::opposite(const Parameters& p, std::int64_t pairs) {
  const auto count = static_cast<double>(pairs);
  return gradually(count / engine_to(p) + count / engine_from(p), p.host_both_rate, p.host_sharpness);
}

double Model::engine_from(const Parameters& p) {
  const auto payload = path_.max_payload.count();
  return std::max(write_interval(p, payload) / static_cast<double>(payload), 1 / p.engine_write_rate);
}

double Model::kernel_to(const Parameters& p) {
  return read_step(p, p.read_latency, kernel_request, many) / static_cast<double>(kernel_request * many);
}

double Model::kernel_from(const Parameters& p) {
  return write_interval(p, kernel_request) / static_cast<double>(kernel_request);
}

}  // namespace peerpath::calibrate
