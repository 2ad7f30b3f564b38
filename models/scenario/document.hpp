// JSON text as a tree in which every value knows its line and column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "peerpath/base/problem.hpp"

namespace peerpath::scenario {

/// A place in one of the files that were read.
struct Place {
  static constexpr int command_line = -1;
  static constexpr int nowhere = -2;
  int file = nowhere;  ///< index into `Sources`
  int line = 0;
  int column = 0;
};

struct Member;

/// A JSON value.
struct Node {
  enum class Type : std::uint8_t { null, boolean, integer, real, string, array, object };
  Type type = Type::null;
  bool boolean = false;
  int note = -1;  ///< index into `Sources::notes`: the source of the number
  Place place;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;             ///< a string's value, or a number as it was written
  std::vector<Node> items;      ///< of an array
  std::vector<Member> members;  ///< of an object, in order

  bool is(Type t) const { return type == t; }
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
};

struct Member {
  std::string key;
  Place place;
  Node value;
};

/// How many values `node` holds, itself included.
std::size_t count(const Node& node);

/// The value as short JSON text for a message: `"200 gigs"`, `17`, `an object`.
std::string shown(const Node& node);

/// `pointer` + "/" + `key`, escaped (RFC 6901).
std::string join(std::string_view pointer, std::string_view key);
std::string join(std::string_view pointer, std::size_t index);

/// The value at `pointer`, or its nearest ancestor that exists.
Place locate(const Node& root, std::string_view pointer);

/// The files that a scenario was made of, and the notes found in them.
struct Sources {
  std::vector<std::string> files;  ///< as problems spell them
  std::vector<std::string> notes;
};

/// Collects problems, up to a number that a person can read.
class Report {
 public:
  static constexpr std::size_t most = 200;
  explicit Report(const Sources& sources) : sources_{sources} {}
  void add(Place place, std::string key, std::string message);
  /// The value at `pointer` could not be read, so later checks of it and of the values below it are not reported.
  void give_up(std::string pointer) { given_up_.push_back(std::move(pointer)); }
  bool has_given_up(std::string_view pointer) const;
  const Problems& problems() const { return problems_; }

 private:
  const Sources& sources_;
  Problems problems_;
  std::vector<std::string> given_up_;
};

/// `text` with every byte that is not UTF-8 replaced by "?", so that a problem can go anywhere that text goes.
std::string printable(std::string_view text);

/// Limit on the number of values in a file together with the files that it extends.
inline constexpr std::size_t max_values = 1'000'000;

/// Parses JSON with comments. Problems go to `report`; false if the text yields no tree.
bool parse(std::string_view text, int file, Node& out, Report& report);

}  // namespace peerpath::scenario
