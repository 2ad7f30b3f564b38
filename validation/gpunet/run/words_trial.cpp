#include "validation/gpunet/apps/words.hpp"

#include "validation/gpunet/run/mapreduce.hpp"

namespace peerpath::gpunet::run {
namespace {

/// A node's share of the work.
struct WordShare {
  std::unique_ptr<Node> node;
  apps::Task task;
};

void collect(WordShare& share, unsigned mappers, Counted& counted) {
  std::vector<std::uint64_t> lost(2 * mappers);
  share.node->read(lost.data(), reinterpret_cast<const unsigned char*>(share.task.results), lost.size() * 8);
  for (const auto count : lost) counted.right = counted.right && count == 0;
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
  const auto workers = static_cast<std::uint32_t>(nodes) * mappers;
  std::vector<WordShare> shares;
  for (int n = 0; n < nodes; ++n) {
    WordShare share{trial.open(n, {.sockets = 8 * workers + 16, .blocks = 2 * mappers, .ring_bytes = 1 << 17}, {}), {}};
    share.task.job = apps::Job::count_words;
    share.task.address = trial.address;
    share.task.bytes = text.size();
    share.task.first = static_cast<std::uint32_t>(n) * mappers;
    share.task.workers = workers;
    auto* input = share.node->allocate(text.size());
    share.node->write(input, text.data(), text.size());
    share.task.input = input;
    share.task.memory = share.node->allocate(2 * mappers * apps::word_memory);
    share.task.results = reinterpret_cast<std::uint64_t*>(share.node->allocate(2 * mappers * 8));
    shares.push_back(std::move(share));
  }
  const auto start = Clock::now();
  Counted counted;
  counted.right = true;
  for (auto& share : shares) share.node->launch(share.task, 2 * mappers, trial.threads);
  for (auto& share : shares) counted.right = share.node->wait(60) && counted.right;
  counted.seconds = std::chrono::duration<double>{Clock::now() - start}.count();
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
