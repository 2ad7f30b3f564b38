// MapReduce: counts words. A word is a run of ASCII letters, in lower case; at most 27 of them, longer ones are counted
// apart. The even blocks of every grid map their share of the text, the odd ones reduce the words that hash to them;
// what a mapper found goes to each reducer by a socket of its own.
#pragma once

#include "validation/gpunet/apps/task.hpp"

namespace peerpath::gpunet::apps {

inline constexpr std::uint32_t longest_word = 27;

/// A row of a table, and what travels.
struct Word {
  char letters[longest_word];
  std::uint8_t length;
  std::uint32_t count;
};
static_assert(sizeof(Word) == 32);

inline constexpr std::uint32_t table_rows = 1u << 15;  ///< most words that a mapper or reducer tells apart: half of it

/// A block's open table: the hash says which row is whose.
struct WordTable {
  std::uint64_t hashes[table_rows];  ///< 0: free
  Word rows[table_rows];
};
/// Memory of a block: the table, and what it sends or receives.
inline constexpr std::uint64_t word_memory = sizeof(WordTable) + sizeof(Word) * table_rows;

constexpr std::uint64_t fnv1a(const char* letters, std::uint32_t length) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::uint32_t i = 0; i < length; ++i) hash = (hash ^ static_cast<unsigned char>(letters[i])) * 0x100000001b3u;
  return hash == 0 ? 1 : hash;
}
constexpr bool is_letter(unsigned char c) { return (c | 32u) >= 'a' && (c | 32u) <= 'z'; }

/// Adds to a word's count. Words with the same 64-bit hash are taken for the same. False if the table is full.
template <Threadblock Block>
constexpr bool add_word(Block& block, WordTable& table, const Word& word) {
  const auto hash = fnv1a(word.letters, word.length);
  for (std::uint32_t probe = 0; probe < table_rows / 2; ++probe) {
    const auto at = static_cast<std::uint32_t>((hash >> 20) + probe) % table_rows;
    const auto found = block.exchange_if(&table.hashes[at], std::uint64_t{0}, hash);
    if (found != 0 && found != hash) continue;
    auto& row = table.rows[at];
    if (found == 0) {
      row.length = word.length;
      for (std::uint32_t i = 0; i < word.length; ++i) row.letters[i] = word.letters[i];
    }
    block.add(&row.count, word.count);
    return true;
  }
  return false;
}

template <Threadblock Block>
constexpr void clear(Block& block, WordTable& table) {
  for (std::uint32_t i = block.thread(); i < table_rows; i += block.threads())
    table.hashes[i] = 0, table.rows[i].count = 0;
  block.sync();
}

/// Each thread takes the words that begin in its part of [begin, end). Returns how many it could not count.
template <Threadblock Block>
constexpr std::uint64_t map_words(Block& block, WordTable& table, const unsigned char* text, std::uint64_t bytes,
                                  std::uint64_t begin, std::uint64_t end) {
  std::uint64_t lost = 0;
  const auto part = (end - begin + block.threads() - 1) / block.threads();
  const auto from = begin + block.thread() * part, to = from + part < end ? from + part : end;
  for (auto i = from; i < to; ++i) {
    if (!is_letter(text[i]) || (i > 0 && is_letter(text[i - 1]))) continue;
    Word word{};
    auto at = i;
    for (; at < bytes && is_letter(text[at]); ++at)
      if (at - i < longest_word) word.letters[at - i] = static_cast<char>(text[at] | 32);
    word.length = static_cast<std::uint8_t>(at - i < longest_word ? at - i : longest_word);
    word.count = 1;
    if (at - i > longest_word || !add_word(block, table, word)) ++lost;
  }
  block.sync();
  return lost;
}

/// Rows of the table that belong to a reducer, packed; counted in shared memory.
template <Threadblock Block>
constexpr std::uint64_t pack_words(Block& block, const WordTable& table, Word* packed, std::uint32_t reducer,
                                   std::uint32_t reducers) {
  auto& count = block.shared().words[0];
  if (block.thread() == 0) count = 0;
  block.sync();
  for (std::uint32_t i = block.thread(); i < table_rows; i += block.threads())
    if (table.hashes[i] != 0 && table.hashes[i] % reducers == reducer)
      packed[block.add(&count, std::uint64_t{1})] = table.rows[i];
  block.sync();
  const auto result = count;
  block.sync();
  return result;
}

/// `workers` mappers in all grids, and as many reducers; results[worker] counts what was lost, and reducers leave their
/// table in `memory`.
template <Threadblock Block>
constexpr void count_words(Block& block, const Task& task) {
  const auto worker = task.first + block.index() / 2;
  auto* memory = task.memory + block.index() * word_memory;
  auto& table = *reinterpret_cast<WordTable*>(memory);
  auto* packed = reinterpret_cast<Word*>(memory + sizeof(WordTable));
  clear(block, table);
  std::uint64_t lost = 0;
  if (block.index() % 2 == 0) {
    lost = map_words(block, table, task.input, task.bytes, task.bytes * worker / task.workers,
                     task.bytes * (worker + 1) / task.workers);
    for (std::uint32_t n = 0; n < task.workers; ++n) {
      const auto reducer = (worker + n) % task.workers;
      const auto size = pack_words(block, table, packed, reducer, task.workers) * sizeof(Word);
      const int socket = connect_soon(block, address_of(task.address, reducer));
      const bool sent = socket >= 0 && gsend(block, socket, packed, size) == static_cast<std::int64_t>(size);
      if (!sent && block.thread() == 0) ++lost;
      gclose(block, socket);
    }
  } else {
    const auto address = address_of(task.address, worker);
    const int listener = gsocket(block, address.family);
    const bool listens = listener >= 0 && gbind(block, listener, address) == 0 && glisten(block, listener, 1024) == 0;
    if (!listens && block.thread() == 0) ++lost;
    for (std::uint32_t n = 0; listens && n < task.workers; ++n) {
      const int socket = gaccept(block, listener);
      const auto got = grecv_all(block, socket, packed, sizeof(Word) * table_rows);
      if (got < 0 && block.thread() == 0) ++lost;
      const auto rows = got < 0 ? 0 : static_cast<std::uint64_t>(got) / sizeof(Word);
      for (std::uint64_t i = block.thread(); i < rows; i += block.threads())
        if (!add_word(block, table, packed[i])) ++lost;
      block.sync();
      gclose(block, socket);
    }
    gclose(block, listener);
  }
  if (lost) block.add(&task.results[block.index()], lost);
}

}  // namespace peerpath::gpunet::apps
