// A located tree into typed values: keys, types, units, ranges and choices, with the origin of every value.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "peerpath/scenario/load.hpp"
#include "scenario/document.hpp"
#include "scenario/value.hpp"

namespace peerpath::scenario {

/// Where the value of `node` came from; files are relative to `folder`.
Origin origin_of(const Node& node, const Sources& sources, const std::filesystem::path& folder);

/// Reads `root` into `out`. `origins` gets an entry for each value, by JSON pointer; places are turned into origins by
/// `origin_of`.
class Reader {
 public:
  Reader(const Sources& sources, Report& report, std::filesystem::path main_file)
      : sources_{sources}, report_{report}, folder_{main_file.parent_path()} {}

  void read(const Node& root, Scenario& out);
  std::map<std::string, Origin>& origins() { return origins_; }

 private:
  template <class Config>
  void read_object(const Node& node, const std::string& pointer, Config& out, std::vector<std::string> also);
  template <class Field, class Config>
  void read_field(const Node& node, const std::string& pointer, const Field& field, Config& out);
  template <class Kinds>
  void read_kind(const Node* node, const std::string& pointer, Kinds& out);
  /// An entry that is of one of several kinds, the names of its keys, and of those of its kind.
  struct KindOfEntry {
    std::string_view called, kind;
    std::span<const std::string_view> keys, own_keys;
  };
  template <class Kinds>
  void refuse_keys_of_others(const Node& node, const std::string& pointer, const KindOfEntry& entry);
  /// `kinds`: those that have the key.
  void refuse(const Node& node, const std::string& pointer, const KindOfEntry& entry, const std::string& kinds);
  template <class T>
  bool read_value(const Node& node, const std::string& pointer, T& out, const Range<T>& range);
  template <class T>
  void note_default(const std::string& pointer, const T& value, std::string_view source);
  template <class T>
  void read_list(const Node* node, const std::string& pointer, std::vector<T>& out);
  void forget_keys_of_sender(const std::string& pointer, const Traffic& entry);
  void read_devices(const Node* node, Scenario& out);
  void need_kinds(const Node* events);
  void check_address(const Node* node, const std::string& pointer);
  void read_device(const Member& member, Scenario& out);
  void read_text(const Node& root, std::string_view key, std::string& out);
  bool object_at(const Node* node, const std::string& pointer, Node::Type type, std::string_view what);

  void note(const Node& node, const std::string& pointer);
  void unknown_key(const Member& member, const std::string& pointer, const std::vector<std::string>& known,
                   const std::vector<std::string>& nested);

  const Sources& sources_;
  Report& report_;
  std::filesystem::path folder_;
  std::map<std::string, Origin> origins_;
};

}  // namespace peerpath::scenario
