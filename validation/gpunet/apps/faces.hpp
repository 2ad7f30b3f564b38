// Face verification by local binary patterns (Ahonen et al., 2006): is the face in this picture the one it claims to
// be? The claimed one's photograph is fetched from memcached, by its text protocol. All in integers: the same on any
// machine.
#pragma once

#include "validation/gpunet/apps/task.hpp"

namespace peerpath::gpunet::apps {

inline constexpr std::uint32_t face_side = 64, face_bytes = face_side * face_side;
inline constexpr std::uint32_t face_cells = 8, face_bins = 59;  ///< cells each way; 58 uniform codes and the rest
inline constexpr std::uint32_t face_threshold = 4500;           ///< most distance of what is accepted

/// A client sends these and gets a FaceAnswer for each; both little endian.
struct FaceRequest {
  std::uint32_t person;  ///< whose photograph stands under "face%08x"
  std::uint8_t picture[face_bytes];
};
enum class FaceVerdict : std::uint32_t { refused = 0, accepted = 1, unknown = 2, failed = 3 };
struct FaceAnswer {
  FaceVerdict verdict;
  std::uint32_t distance;  ///< sum of the absolute differences of the histograms
};

constexpr std::uint32_t ones(std::uint32_t bits) {
  std::uint32_t count = 0;
  for (; bits != 0; bits &= bits - 1) ++count;
  return count;
}
constexpr bool uniform(std::uint32_t code) { return ones(code ^ ((code << 1 | code >> 7) & 0xffu)) <= 2; }
/// Uniform codes are numbered in ascending order; all others share the last bin.
constexpr std::uint32_t face_bin(std::uint32_t code) {
  if (!uniform(code)) return face_bins - 1;
  std::uint32_t bin = 0;
  for (std::uint32_t c = 0; c < code; ++c) bin += uniform(c) ? 1 : 0;
  return bin;
}

struct FaceScratch {
  std::uint32_t histogram[face_cells * face_cells * face_bins];  ///< of one picture, less that of the other
  std::uint8_t bins[256];
  std::uint32_t distance;
  FaceAnswer answer;
  char line[64];
};
static_assert(sizeof(FaceScratch) <= sizeof(Shared::scratch));

/// Counts the patterns of a picture, up or down.
template <Threadblock Block>
constexpr void add_patterns(Block& block, FaceScratch& s, const unsigned char* picture, std::uint32_t step) {
  constexpr int dx[] = {-1, 0, 1, 1, 1, 0, -1, -1}, dy[] = {-1, -1, -1, 0, 1, 1, 1, 0};
  constexpr std::uint32_t inner = face_side - 2;
  for (std::uint32_t i = block.thread(); i < inner * inner; i += block.threads()) {
    const std::uint32_t x = 1 + i % inner, y = 1 + i / inner;
    const auto centre = picture[y * face_side + x];
    std::uint32_t code = 0;
    for (std::uint32_t n = 0; n < 8; ++n) {
      const auto at = (static_cast<int>(y) + dy[n]) * static_cast<int>(face_side) + static_cast<int>(x) + dx[n];
      code |= (picture[at] >= centre ? 1u : 0u) << n;
    }
    const auto cell = (y - 1) * face_cells / inner * face_cells + (x - 1) * face_cells / inner;
    block.add(&s.histogram[cell * face_bins + s.bins[code]], step);
  }
  block.sync();
}

template <Threadblock Block>
constexpr std::uint32_t face_distance(Block& block, FaceScratch& s, const unsigned char* a, const unsigned char* b) {
  constexpr std::uint32_t size = face_cells * face_cells * face_bins;
  for (std::uint32_t i = block.thread(); i < size; i += block.threads()) s.histogram[i] = 0;
  if (block.thread() == 0) s.distance = 0;
  block.sync();
  add_patterns(block, s, a, 1);
  add_patterns(block, s, b, ~0u);
  std::uint32_t mine = 0;
  for (std::uint32_t i = block.thread(); i < size; i += block.threads()) {
    const auto apart = static_cast<std::int32_t>(s.histogram[i]);
    mine += static_cast<std::uint32_t>(apart < 0 ? -apart : apart);
  }
  if (mine) block.add(&s.distance, mine);
  block.sync();
  return s.distance;
}

/// "mg face%08x v\r\n" (memcached 1.6); its length.
constexpr std::uint32_t write_query(char* line, std::uint32_t person) {
  std::uint32_t n = 0;
  for (const char* c = "mg face"; *c != 0; ++c) line[n++] = *c;
  for (int shift = 28; shift >= 0; shift -= 4) line[n++] = "0123456789abcdef"[person >> shift & 15u];
  for (const char* c = " v\r\n"; *c != 0; ++c) line[n++] = *c;
  return n;
}

/// Receives up to the end of a line, which thread 0 has in `line`; its length, or negative.
template <Threadblock Block>
constexpr std::int64_t read_line(Block& block, int socket, char* line, std::uint32_t most) {
  for (std::uint32_t n = 0; n < most; ++n) {
    const auto got = grecv(block, socket, line + n, 1);
    if (got != 1) return -1;
    if (line[n] == '\n') return n + 1;
  }
  return -1;
}

/// 1: the photograph is there; 0: memcached has none; negative: the connection is of no more use.
template <Threadblock Block>
constexpr int fetch_face(Block& block, int database, FaceScratch& s, std::uint32_t person, unsigned char* photograph) {
  std::uint32_t length = 7 + 8 + 4;
  if (block.thread() == 0) write_query(s.line, person);
  block.sync();
  if (gsend(block, database, s.line, length) != length) return -1;
  const auto answered = read_line(block, database, s.line, sizeof s.line);
  if (answered < 4) return -1;
  if (s.line[0] == 'E' && s.line[1] == 'N') return 0;
  std::uint32_t size = 0;
  for (std::uint32_t i = 3; s.line[i] >= '0' && s.line[i] <= '9'; ++i)
    size = 10 * size + static_cast<std::uint32_t>(s.line[i] - '0');
  if (s.line[0] != 'V' || s.line[1] != 'A' || size != face_bytes) return -1;
  block.sync();
  return grecv_all(block, database, photograph, face_bytes + 2) == face_bytes + 2 ? 1 : -1;
}

/// The photograph by a connection that is made anew, twice at most, if it was lost.
template <Threadblock Block>
constexpr int fetch_face_surely(Block& block, int& database, const Task& task, FaceScratch& s, std::uint32_t person,
                                unsigned char* photograph) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (database < 0) database = connect_soon(block, task.service);
    if (database < 0) return -1;
    const int found = fetch_face(block, database, s, person, photograph);
    if (found >= 0) return found;
    gclose(block, database);
    database = -1;
  }
  return -1;
}

/// Clients at `address`, memcached at `service`. `count` connections a block, 0: until the net is stopped.
/// results[block] counts answers.
template <Threadblock Block>
constexpr void serve_faces(Block& block, const Task& task) {
  const int listener = listen_for_all(block, task, 1024);
  if (listener < 0) return;
  auto& s = *reinterpret_cast<FaceScratch*>(block.shared().scratch);
  for (std::uint32_t c = block.thread(); c < 256; c += block.threads())
    s.bins[c] = static_cast<std::uint8_t>(face_bin(c));
  auto* request = reinterpret_cast<FaceRequest*>(task.memory + block.index() * std::uint64_t{4 * face_bytes});
  auto* photograph = reinterpret_cast<unsigned char*>(request) + 2 * face_bytes;
  int database = -1;
  std::uint64_t answers = 0;
  for (std::uint64_t n = 0; task.count == 0 || n < task.count; ++n) {
    const int client = gaccept(block, listener);
    if (client < 0) break;
    while (grecv_all(block, client, request, sizeof *request) == sizeof *request) {
      const int found = fetch_face_surely(block, database, task, s, request->person, photograph);
      const auto distance = found == 1 ? face_distance(block, s, request->picture, photograph) : 0;
      if (block.thread() == 0) {
        s.answer.distance = distance;
        s.answer.verdict = found < 0                    ? FaceVerdict::failed
                           : found == 0                 ? FaceVerdict::unknown
                           : distance <= face_threshold ? FaceVerdict::accepted
                                                        : FaceVerdict::refused;
      }
      block.sync();
      if (gsend(block, client, &s.answer, sizeof s.answer) != sizeof s.answer) break;
      ++answers;
    }
    gclose(block, client);
  }
  if (block.thread() == 0) task.results[block.index()] = answers;
}

}  // namespace peerpath::gpunet::apps
