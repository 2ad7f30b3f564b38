#include "collective/hierarchical.hpp"

#include "collective/builder.hpp"

namespace peerpath::collective {
namespace {

using Marks = std::vector<std::uint32_t>;  ///< by rank: a message

class Hierarchy {
 public:
  explicit Hierarchy(Servers servers) : servers_{servers}, before_(servers.ranks(), Send::at_once) {}

  /// Round the GPUs of each server in gpus - 1 steps, after what each rank has done so far: in step t GPU i passes on
  /// what belongs to rail i - first - t. `size(rail)`. What it had before goes into the first `own` of them.
  template <class Size>
  void inside(std::uint32_t first, std::uint32_t own, const Size& size) {
    const auto g = servers_.gpus;
    round(
        g, [&](std::uint32_t server, std::uint32_t i) { return server * g + i; }, servers_.count,
        [&](std::uint32_t, std::uint32_t i, std::uint32_t t) { return size((i + 2 * g - first - t) % g); }, g - 1, own);
  }

  /// Round the servers of each rail in so many steps: in step t server s passes on part s - first - t.
  /// `size(rail, part)`.
  template <class Size>
  void between(std::uint32_t first, std::uint32_t steps, std::uint32_t own, const Size& size) {
    const auto n = servers_.count;
    round(
        n, [&](std::uint32_t rail, std::uint32_t s) { return s * servers_.gpus + rail; }, servers_.gpus,
        [&](std::uint32_t rail, std::uint32_t s, std::uint32_t t) { return size(rail, (s + 3 * n - first - t) % n); },
        steps, own);
  }

  /// An AllReduce over two trees on each rail. `size(rail)`.
  template <class Size>
  void trees(const Size& size) {
    for (std::uint32_t rail = 0; rail < servers_.gpus; ++rail) {
      const auto schedule = tree_all_reduce(servers_.count, size(rail));
      std::vector<std::uint32_t> number;
      std::vector<Builder::Causes> ends(servers_.count);
      for (const auto& s : schedule) {
        const auto from = rank(rail, s.from);
        const auto behind = [&](std::uint32_t cause) { return cause == Send::at_once ? cause : number[cause]; };
        number.push_back(out_.send(from, rank(rail, s.to), s.bytes, {before_[from], behind(s.after), behind(s.also)}));
        ends[s.to].push_back(number.back());
      }
      // What came last by either tree; of the roots, what their children sent.
      for (std::uint32_t s = 0; s < servers_.count; ++s) after_[rank(rail, s)] = ends[s];
    }
  }

  Schedule take() { return out_.take(); }

 private:
  std::uint32_t rank(std::uint32_t rail, std::uint32_t server) const { return server * servers_.gpus + rail; }

  /// All rings of so many members, step by step. A member passes on what it got in the step before.
  template <class Name, class Size>
  void round(std::uint32_t members, const Name& name, std::uint32_t rings, const Size& size, std::uint32_t steps,
             std::uint32_t own) {
    std::vector<Marks> got(steps, Marks(servers_.ranks(), Send::at_once));
    for (std::uint32_t t = 0; t < steps; ++t)
      for (std::uint32_t ring = 0; ring < rings; ++ring)
        for (std::uint32_t m = 0; m < members; ++m) {
          const auto from = name(ring, m), to = name(ring, (m + 1) % members);
          Builder::Causes causes;
          if (t < own) causes.push_back(before_[from]);
          if (t > 0) causes.push_back(got[t - 1][from]);
          if (t == 0) causes.insert(causes.end(), after_[from].begin(), after_[from].end());
          got[t][to] = out_.send(from, to, size(ring, m, t), std::move(causes));
        }
    if (steps == 0) return;
    // Whoever has got the last has got all: messages of one queue pair keep their order.
    before_ = got.back();
    for (auto& causes : after_) causes.clear();
  }

  Servers servers_;
  Builder out_;
  Marks before_;
  std::vector<Builder::Causes> after_ = std::vector<Builder::Causes>(servers_.ranks());
};

}  // namespace

Schedule hierarchical_all_reduce(Servers servers, Bytes bytes, bool trees) {
  const auto n = servers.count;
  const auto of_rail = [&](std::uint32_t rail) { return part(bytes, servers.gpus, rail); };
  Hierarchy out{servers};
  out.inside(1, servers.gpus, of_rail);
  if (n > 1 && trees) out.trees(of_rail);
  if (n > 1 && !trees)
    out.between(0, 2 * (n - 1), n, [&](std::uint32_t rail, std::uint32_t p) { return part(of_rail(rail), n, p); });
  out.inside(0, 1, of_rail);
  return out.take();
}

namespace {

/// What belongs to a rank, and to all of a rail, of an AllGather or a ReduceScatter.
struct Shares {
  Servers servers;
  Bytes bytes;
  Bytes of(std::uint32_t rail, std::uint32_t server) const {
    return part(bytes, servers.ranks(), server * servers.gpus + rail);
  }
  Bytes of_rail(std::uint32_t rail) const {
    Bytes sum{};
    for (std::uint32_t s = 0; s < servers.count; ++s) sum += of(rail, s);
    return sum;
  }
};

}  // namespace

Schedule hierarchical_all_gather(Servers servers, Bytes bytes) {
  const Shares shares{servers, bytes};
  Hierarchy out{servers};
  out.between(0, servers.count - 1, 1, [&](auto rail, auto server) { return shares.of(rail, server); });
  out.inside(0, 1, [&](auto rail) { return shares.of_rail(rail); });
  return out.take();
}

Schedule hierarchical_reduce_scatter(Servers servers, Bytes bytes) {
  const Shares shares{servers, bytes};
  Hierarchy out{servers};
  out.inside(1, servers.gpus, [&](auto rail) { return shares.of_rail(rail); });
  out.between(1, servers.count - 1, servers.count, [&](auto rail, auto server) { return shares.of(rail, server); });
  return out.take();
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
