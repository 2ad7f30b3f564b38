#include "scenario/network/execution_trace/plain.hpp"

#include "scenario/network/fields_reader.hpp"

namespace peerpath::network_scenario {

tl::expected<RankTrace, Problems> read_plain(std::string_view text, const std::string& file) {
  scenario::Sources sources{{file}, {}};
  scenario::Report report{sources};
  Node root;
  RankTrace trace{.file = file, .nodes = {}};
  if (text.find_first_not_of(" \t\r\n") == text.npos) return tl::unexpected{Problems{{file, 0, 0, "", "is empty"}}};
  if (scenario::parse(text, 0, root, report)) {
    FieldsReader reader{sources, report, {}};
    std::string ignored;
    if (root.is(Node::Type::object)) {
      reader.unknown(root, "", {"description", "nodes"});
      reader.text(root.find("description"), "/description", ignored);
    }
    const auto* nodes = root.find("nodes");
    if (nodes == nullptr) report.add(root.place, "/nodes", "is missing");
    reader.list(nodes, "/nodes", trace.nodes);
    for (std::size_t i = 0; report.problems().empty() && i < trace.nodes.size(); ++i) {
      const auto& item = nodes->items[i];
      trace.nodes[i].line = item.place.line;
      trace.nodes[i].column = item.place.column;
      for (const auto* key : {"id", "type"})
        if (item.find(key) == nullptr)
          report.add(item.place, scenario::join(scenario::join("/nodes", i), key), "is missing");
    }
  }
  if (!report.problems().empty()) return tl::unexpected{report.problems()};
  return trace;
}

}  // namespace peerpath::network_scenario
