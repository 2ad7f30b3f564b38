#include "tools/peerpath/files/network_files.hpp"

#include "tools/peerpath/files/scenario_files.hpp"

namespace peerpath::cli {

std::optional<tl::expected<network_scenario::Loaded, Problems>> load_network(const std::string& name,
                                                                             const Arguments& arguments,
                                                                             InputFiles* inputs) {
  if (!scenario_file(name)) return std::nullopt;
  return network_scenario::load(name, load_options(arguments, inputs));
}

}  // namespace peerpath::cli
