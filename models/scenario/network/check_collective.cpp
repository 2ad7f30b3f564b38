#include "scenario/network/check_collective.hpp"

#include <algorithm>

namespace peerpath::network_scenario {
namespace {

using Add = std::function<void(const std::string& key, const std::string& what)>;
using collective::Algorithm;
using collective::Exchange;

constexpr std::int64_t most_of_message = 0x7fffffff;  ///< of a message
constexpr std::int64_t most_messages = 50'000'000;    ///< of a collective with `buffers`
constexpr std::int64_t most_with_sizes = 8192;        ///< hosts
constexpr std::int64_t most_tokens = 200'000'000;     ///< of all hosts

bool is_rooted(Exchange kind) { return collective::Pattern{.kind = kind}.is_rooted(); }

/// Of a rank; flags of a protocol make it larger.
std::int64_t largest_message(const Collective& e, std::int64_t count, const Servers& servers) {
  const auto bytes = e.bytes.count();
  const bool whole = e.kind == Exchange::broadcast || e.kind == Exchange::reduce ||
                     (is_rooted(e.kind) && e.algorithm == Algorithm::tree);
  auto largest = whole ? bytes : bytes / count + count;
  if (e.algorithm == Algorithm::tree && e.kind == Exchange::all_reduce) largest = bytes / (2 * e.rings) + 1;
  if (e.hierarchical) largest = std::max(largest, bytes / servers.gpus + servers.gpus);
  for (const auto size : e.sizes)
    largest = std::max(largest, std::min(size.count(), most_of_message) * (e.hierarchical ? servers.gpus : 1));
  if (e.token > 0_B) largest = bytes * (e.hierarchical ? servers.gpus : 1);
  return largest * (e.protocol == collective::Protocol::LL ? 2 : 1);
}

void check_sizes(const Collective& e, std::int64_t count, const Add& add) {
  if (count > most_with_sizes &&
      (!e.sizes.empty() || e.token > 0_B || (e.hierarchical && e.kind == Exchange::all_to_all)))
    return add("hosts", "are more than the " + std::to_string(most_with_sizes) +
                            " for an all_to_all with sizes, tokens or \"hierarchical\"");
  const auto is_for = "requires all_to_all";
  if (e.kind != Exchange::all_to_all) {
    if (!e.sizes.empty()) add("sizes", is_for);
    if (e.token > 0_B) add("token", is_for);
  }
  if (!e.sizes.empty() && static_cast<std::int64_t>(e.sizes.size()) != count * count)
    add("sizes", "are " + std::to_string(e.sizes.size()) + ", and " + std::to_string(count) + " hosts need " +
                     std::to_string(count * count) + ", row by row");
  if (std::ranges::any_of(e.sizes, [](Bytes size) { return size < 0_B; })) add("sizes", "has a negative value");
  if (std::ranges::any_of(e.sizes, [](Bytes size) { return size.count() > most_of_message; }))
    return add("sizes", "has a value above 2 GiB");
  if (!e.sizes.empty() && e.token > 0_B) add("token", "cannot be combined with \"sizes\"");
  if (e.skew > 0 && e.token == 0_B) add("skew", "needs a token");
  if (e.token > e.bytes) add("token", "is more than bytes");
  if (e.token > 0_B && e.bytes / e.token > most_tokens / count)
    add("token", "makes more than " + std::to_string(most_tokens) + " tokens of all hosts");
}

/// Keys that its kind, or another key, makes no use of.
void check_unused(const Collective& e, const Add& add) {
  const Collective usual;
  const bool in_turn = e.kind == Exchange::all_to_all || e.kind == Exchange::gather || e.kind == Exchange::scatter;
  if (e.window != usual.window && e.kind != Exchange::all_to_all && e.kind != Exchange::scatter)
    add("window", "has no effect but with all_to_all and scatter: remove it");
  if (e.slices != usual.slices && in_turn)
    add("slices", "has no effect with all_to_all, gather and scatter: remove it");
  if (e.slices != usual.slices && e.buffers)
    add("slices", "has no effect with \"buffers\", which say the size of a slice: remove one of the two");
  if (e.bytes != usual.bytes && !e.sizes.empty())
    add("bytes", "has no effect with \"sizes\", which say all: remove one of the two");
}

void check_buffers(const Collective& e, std::int64_t count, const Add& add) {
  const auto& b = *e.buffers;
  if (b.slice_steps > b.steps) add("buffers/slice_steps", "is more than steps");
  if (b.chunk_steps < b.slice_steps || (b.chunk_steps + b.slice_steps - 1) / b.slice_steps > b.steps / b.slice_steps)
    add("buffers/chunk_steps", "must be a multiple of slice_steps and at most steps");
  if (b.slice() < 512_B) return add("buffers/size", "results in slices of less than 512 B");
  if (e.clear_to_send > 0)
    add("clear_to_send", "cannot be combined with \"buffers\", whose receivers clear each slice");
  if (2 * count * (e.bytes / b.slice() + 2 * count) > most_messages)
    add("buffers/size", "makes more than " + std::to_string(most_messages) + " messages");
}

}  // namespace

void check_collective(const Collective& e, std::size_t hosts, const Servers& servers, const Add& add) {
  const auto count = static_cast<std::int64_t>(hosts);
  const bool has_rings =
      e.kind == Exchange::all_reduce || e.kind == Exchange::all_gather || e.kind == Exchange::reduce_scatter;
  if (e.rings != 1 && !has_rings)
    add("rings", "require all_reduce, all_gather or reduce_scatter");
  else if (count % e.rings != 0 || count / e.rings < 2)
    add("rings", std::to_string(count) + " hosts are too few for this number of rings");
  if (const auto why = collective::not_played(e.kind, e.algorithm, false); !why.empty()) add("algorithm", why);
  if (e.hierarchical) {
    if (const auto why = collective::not_played(e.kind, Algorithm::ring, true); !why.empty()) add("hierarchical", why);
    if (servers.gpus == 1) add("hierarchical", "requires \"servers\" with several GPUs");
    if (e.rings != 1) add("rings", "cannot be combined with \"hierarchical\", which has one per GPU of a server");
  }
  if (e.root != 0 && !is_rooted(e.kind)) add("root", "requires broadcast, reduce, gather or scatter");
  if (e.root >= count) add("root", "there are " + std::to_string(count) + " hosts, from 0");
  check_sizes(e, count, add);
  check_unused(e, add);
  if (e.buffers) check_buffers(e, count, add);
  if (largest_message(e, count, servers) > most_of_message) add("bytes", "results in messages of more than 2 GiB");
}

}  // namespace peerpath::network_scenario
