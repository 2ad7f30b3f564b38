#include "validation/import/import.hpp"

#include "validation/import/hwloc.hpp"
#include "validation/import/lspci.hpp"
#include "validation/import/lspci_tree.hpp"
#include "validation/import/nccl.hpp"
#include "validation/import/rocm_topo.hpp"
#include "validation/import/topo_matrix.hpp"
#include "validation/import/xml.hpp"

namespace peerpath::import {
namespace {

tl::expected<Preset, Problems> preset_of(const tl::expected<Machine, Problems>& machine) {
  if (!machine) return tl::unexpected{machine.error()};
  return to_preset(*machine);
}

/// The root element tells hwloc's <topology> from NCCL's <system>.
tl::expected<Machine, Problems> parse_xml(std::string_view text, const std::string& file) {
  const auto xml = Xml::read(text, file, TextBetween::ignored);
  if (xml && std::string_view{xml->root().name()} == "topology") return parse_hwloc(*xml, file);
  return parse_nccl(text, file);
}

}  // namespace

tl::expected<Preset, Problems> import_dump(std::string_view text, const std::string& file) {
  const auto begin = text.find_first_not_of("\xef\xbb\xbf \t\r\n");
  if (begin != text.npos && text[begin] == '<') return preset_of(parse_xml(text, file));
  if (has_rocm_topo(text)) return preset_of(parse_rocm_topo(text, file));
  if (has_topo_matrix(text)) return preset_of(parse_topo_matrix(text, file));
  if (has_lspci_tree(text)) return preset_of(parse_lspci_tree(text, file));
  const auto functions = parse_lspci(text, file);
  if (!functions) return tl::unexpected{functions.error()};
  return to_preset(*functions, file);
}

}  // namespace peerpath::import
