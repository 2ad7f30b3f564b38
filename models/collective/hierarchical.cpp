#include "collective/hierarchical.hpp"

#include "collective/builder.hpp"

namespace peerpath::collective {
namespace {

using Marks = std::vector<std::uint32_t>;  ///< by rank: a message

/// Collectives phase by phase: a rank begins its part of one when it has the result of the one before.
class Phases {
 public:
  explicit Phases(Servers servers) : servers_{servers}, ready_(servers.ranks()) {}

  /// AllGather of `parts` parts a GPU, one of each server: a part goes to the same GPU of the next server, and round
  /// the GPUs of its own, as soon as it is there. `size(rail, server)`: of the part that belongs to that GPU.
  template <class Size>
  void gather(std::uint32_t parts, const Size& size, Order order) {
    const auto n = servers_.count, g = servers_.gpus, ranks = servers_.ranks();
    // By part: the message that brought it. GPU i of server s gets as part p what belongs to GPU i of server s - p.
    std::vector<Marks> got(parts, Marks(ranks, Send::at_once));
    const auto come = [&](std::uint32_t p) {
      if (p == 0) return;
      got[p] = step(
          got[p - 1], [&](auto rank) { return (rank + g) % ranks; },
          [&](auto rank) { return size(rank % g, (rank / g + n + 1 - p) % n); });
    };
    const auto go_round = [&](std::uint32_t p) {
      auto passed = got[p];
      for (std::uint32_t t = 0; t + 1 < g; ++t)
        passed = step(
            passed, [&](auto rank) { return rank / g * g + (rank + 1) % g; },
            [&](auto rank) { return size((rank + g - t) % g, (rank / g + n - p) % n); });
      ends_.push_back(out_.size());
    };
    for (std::uint32_t p = 0; p < parts; ++p) {
      come(p);
      if (order == Order::as_they_come) go_round(p);
    }
    if (order == Order::as_they_come) return;
    ends_.push_back(out_.size());
    for (auto p = parts; p-- > 0;) go_round(p);
  }

  /// ReduceScatter: the mirror image in time of an AllGather. Each message goes in the opposite direction and order,
  /// after those that depend on its image there. The image has the order `as_they_come`: reversed, parts with the
  /// longest way are first here, too.
  template <class Size>
  void scatter(std::uint32_t parts, const Size& size) {
    Phases image{servers_};
    image.gather(parts, size, Order::as_they_come);
    const auto sends = image.out_.take();
    std::vector<Builder::Causes> causes(sends.size());
    for (auto round = image.ends_.size(); round-- > 0;) {
      const auto first = round == 0 ? 0 : image.ends_[round - 1];
      for (auto i = image.ends_[round]; i-- > first;) {
        const auto& s = sends[i];
        const auto number = out_.send(s.to, s.from, s.bytes, std::move(causes[i]));
        (s.after == Send::at_once ? ready_[s.from] : causes[s.after]).push_back(number);
      }
      ends_.push_back(out_.size());
    }
  }

  /// An AllReduce over two trees on each rail. `size(rail)`.
  template <class Size>
  void trees(const Size& size) {
    for (std::uint32_t rail = 0; rail < servers_.gpus; ++rail) {
      const auto rank = [&](std::uint32_t server) { return server * servers_.gpus + rail; };
      std::vector<std::uint32_t> number;
      std::vector<Builder::Causes> ends(servers_.count);
      for (const auto& s : tree_all_reduce(servers_.count, size(rail))) {
        auto causes = ready_[rank(s.from)];
        for (const auto cause : {s.after, s.also})
          if (cause != Send::at_once) causes.push_back(number[cause]);
        number.push_back(out_.send(rank(s.from), rank(s.to), s.bytes, std::move(causes)));
        ends[s.to].push_back(number.back());
      }
      // What came last by either tree; of the roots, what their children sent. Causes join one by one, so none of these
      // stays in its slots until the others have come.
      for (std::uint32_t s = 0; s < servers_.count; ++s)
        ready_[rank(s)].insert(ready_[rank(s)].end(), ends[s].begin(), ends[s].end());
    }
    ends_.push_back(out_.size());
  }

  Schedule take(std::uint32_t slices) { return in_slices(out_.take(), slices, ends_); }

 private:
  /// Every rank passes on a part that it got, or its own.
  template <class To, class Size>
  Marks step(const Marks& got, const To& to, const Size& size) {
    Marks out(got.size());
    for (std::uint32_t rank = 0; rank < out.size(); ++rank)
      out[to(rank)] =
          out_.send(rank, to(rank), size(rank), got[rank] == Send::at_once ? ready_[rank] : Builder::Causes{got[rank]});
    return out;
  }

  Servers servers_;
  Builder out_;
  std::vector<Builder::Causes> ready_;  ///< by rank: the messages that brought the result of the phase before
  std::vector<std::uint32_t> ends_;     ///< of rounds, in messages
};

/// The part of each rank.
struct Shares {
  Servers servers;
  Bytes bytes;
  Bytes operator()(std::uint32_t rail, std::uint32_t server) const {
    return part(bytes, servers.ranks(), server * servers.gpus + rail);
  }
};

}  // namespace

Schedule hierarchical_all_reduce(Servers servers, Bytes bytes, bool trees, std::uint32_t slices, Order order) {
  const auto parts = trees ? 1u : servers.count;
  const auto of_rail = [&](std::uint32_t rail) { return part(bytes, servers.gpus, rail); };
  const auto size = [&](std::uint32_t rail, std::uint32_t server) {
    return trees ? of_rail(rail) : part(of_rail(rail), parts, server);
  };
  Phases out{servers};
  out.scatter(parts, size);
  if (trees && servers.count > 1) out.trees(of_rail);
  out.gather(parts, size, order);
  return out.take(slices);
}

Schedule hierarchical_all_gather(Servers servers, Bytes bytes, std::uint32_t slices, Order order) {
  Phases out{servers};
  out.gather(servers.count, Shares{servers, bytes}, order);
  return out.take(slices);
}

Schedule hierarchical_reduce_scatter(Servers servers, Bytes bytes, std::uint32_t slices) {
  Phases out{servers};
  out.scatter(servers.count, Shares{servers, bytes});
  return out.take(slices);
}

Schedule rail_all_to_all(Servers servers, const std::vector<Bytes>& sizes, std::uint32_t window) {
  const auto n = servers.count, g = servers.gpus, ranks = servers.ranks();
  const auto size = [&](std::uint32_t from, std::uint32_t to) { return sizes[std::size_t{from} * ranks + to]; };
  Builder out;
  for (std::uint32_t from = 0; from < ranks; ++from)
    for (std::uint32_t i = 1; i < g; ++i) {
      const auto to = from / g * g + (from + i) % g;
      if (size(from, to) > Bytes{}) out.send(from, to, size(from, to), {});
    }
  std::vector<Marks> sent(ranks);  // over the rail
  for (std::uint32_t distance = 1; distance < n; ++distance)
    for (std::uint32_t via = 0; via < ranks; ++via) {
      const auto server = via / g, to = (server + distance) % n * g + via % g;
      auto bytes = size(via, to);
      Builder::Causes causes;
      for (std::uint32_t i = 1; i < g; ++i) {
        const auto from = server * g + (via + i) % g;
        if (size(from, to) == Bytes{}) continue;
        bytes += size(from, to);
        causes.push_back(out.send(from, via, size(from, to), {}));
      }
      if (bytes == Bytes{}) continue;
      if (sent[via].size() >= window) causes.push_back(sent[via][sent[via].size() - window]);
      sent[via].push_back(out.send(via, to, bytes, std::move(causes)));
    }
  return out.take();
}

}  // namespace peerpath::collective
