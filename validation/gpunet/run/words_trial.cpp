#include "validation/gpunet/apps/words.hpp"

#include "validation/gpunet/run/mapreduce.hpp"
#include "validation/gpunet/run/shares.hpp"

namespace peerpath::gpunet::run {
namespace {

void collect(Share& share, unsigned mappers, Counted& counted) {
  const auto table = std::make_unique<apps::WordTable>();
  for (unsigned m = 0; m < mappers; ++m) {
    share.node->read(table.get(), share.task.memory + (2 * m + 1) * apps::word_memory, sizeof(apps::WordTable));
    for (std::uint32_t i = 0; i < apps::table_rows; ++i) {
      const auto& row = table->rows[i];
      if (table->hashes[i] != 0) counted.words[std::string{row.letters, row.length}] += row.count;
    }
  }
}

}  // namespace

Counted count_words(const Trial& trial, const std::string& text, int nodes, unsigned mappers) {
  Job job{.what = apps::Job::count_words,
          .nodes = nodes,
          .mappers = mappers,
          .size = {.ring_bytes = 1 << 17},
          .input = {reinterpret_cast<const unsigned char*>(text.data()), text.size()}};
  job.size.sockets = 8 * job.workers() + 16;
  auto shares = open_shares(trial, job);
  for (auto& share : shares) share.task.memory = share.node->allocate(2 * mappers * apps::word_memory);
  Counted counted;
  counted.right = run_shares(shares, mappers, trial.threads, counted.seconds);
  for (auto& share : shares) collect(share, mappers, counted);
  return counted;
}

std::string make_text(std::size_t bytes, std::uint64_t seed) {
  constexpr std::string_view gaps[] = {" ", "  ", ", ", ".\n", "\n", " - ", "3 ", "'"};
  std::uint64_t state = seed * 2 + 1;
  const auto below = [&](std::uint64_t most) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % most;
  };
  std::string text;
  while (text.size() < bytes) {
    const auto rank = below(1 + below(1 + below(4000)));  // low numbers are frequent
    std::uint64_t letters = rank * 0x9e3779b97f4a7c15u;
    for (auto length = 1 + rank % 13; length > 0; --length, letters = letters * 25214903917u + 11)
      text += static_cast<char>((below(9) == 0 ? 'A' : 'a') + (letters >> 40) % 26);
    text += gaps[below(std::size(gaps))];
  }
  return text;
}

}  // namespace peerpath::gpunet::run
