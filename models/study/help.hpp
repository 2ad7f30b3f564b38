// What there is to say about scenarios of all kinds: keys, metrics, schema.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "peerpath/scenario/describe.hpp"

namespace peerpath::study {

/// The blocks of scenarios that are not devices; of one that several kinds have, with all meanings.
std::vector<scenario::Entry> sections();

/// Help for a key or a block ("nic.queues", "run"); nothing if no kind of scenario has it. A key as a file spells it
/// counts as that of its section: "collectives.0.kind" as "collective.kind".
std::optional<std::string> explain(const std::string& topic);

/// Help for a metric by its name or the end of it.
std::optional<std::string> explain_metric(const std::string& name);

/// The key or metric closest to `word`, or "".
std::string nearest_topic(const std::string& word);

/// JSON Schema of a scenario of any kind, with a newline at its end.
std::string schema_json();

}  // namespace peerpath::study
