// The contents of scenarios as text, generated from `fields()`: schema, help, resolved JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "peerpath/base/address.hpp"
#include "peerpath/scenario/load.hpp"

namespace peerpath::scenario {

/// A name and what it means.
struct Entry {
  std::string name;
  std::string doc;
};

/// One option of a section or device kind, as `explain` shows it. Texts are spelt as in a scenario file.
struct OptionInfo {
  std::string key;  ///< "function.max_payload"
  std::string
      type;  ///< "size", "rate", "time", "address", "number", "whole number", "text", "yes or no", "one of", ...
  std::string standard;  ///< default; "" if there is none
  std::string least, most;
  std::vector<std::string> choices;
  std::string doc;
  std::string source;  ///< where the default comes from
};

/// Device kinds, in the order of the catalogue.
std::vector<Entry> device_kinds();
/// The sections that are not devices: "link", "traffic", "run", "expect".
std::vector<Entry> sections();
/// All options of a device kind or section; empty if there is no such thing.
std::vector<OptionInfo> options_of(std::string_view kind_or_section);

/// Help for "nic", "nic.queues", "link.width", "run", ...; nothing for an unknown topic (`nearest_topic` suggests one).
std::optional<std::string> explain(std::string_view topic);
/// The topic closest to `word`, or "" if none is close.
std::string nearest_topic(std::string_view word);

/// JSON Schema (draft-07) of a scenario file, for editors.
std::string schema_json();

/// The scenario with every value and canonical units. It loads back to the same scenario.
std::string to_json(const Scenario& scenario);
/// One line a value: pointer, value, whence; for `show --resolved`.
std::string resolved_text(const Loaded& loaded);

/// Canonical spelling: "4KiB", "200Gbps", "500ns", "0x4000000000".
std::string to_text(Bytes value);
std::string to_text(BitRate value);
std::string to_text(Duration value);
std::string to_text(BusAddress value);
/// What happens, without the time: "the link above gpu0 trains to x8".
std::string to_text(const Event& event);

}  // namespace peerpath::scenario
