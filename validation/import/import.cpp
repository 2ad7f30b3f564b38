#include "validation/import/import.hpp"

#include "validation/import/lspci.hpp"
#include "validation/import/nccl.hpp"
#include "validation/import/topo_matrix.hpp"

namespace peerpath::import {
namespace {

tl::expected<Preset, Problems> preset_of(const tl::expected<Machine, Problems>& machine) {
  if (!machine) return tl::unexpected{machine.error()};
  return to_preset(*machine);
}

}  // namespace

tl::expected<Preset, Problems> import_dump(std::string_view text, const std::string& file) {
  const auto begin = text.find_first_not_of("\xef\xbb\xbf \t\r\n");
  if (begin != text.npos && text[begin] == '<') return preset_of(parse_nccl(text, file));
  if (has_topo_matrix(text)) return preset_of(parse_topo_matrix(text, file));
  const auto functions = parse_lspci(text, file);
  if (!functions) return tl::unexpected{functions.error()};
  return to_preset(*functions, file);
}

}  // namespace peerpath::import
