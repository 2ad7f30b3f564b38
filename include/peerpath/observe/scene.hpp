// What a trace knows of a platform: its nodes and links, by the names that results give them.
#pragma once

#include <string>
#include <vector>

#include "peerpath/fabric/topology.hpp"

namespace peerpath::observe {

struct SceneLink {
  std::string name;   ///< "<farther>-<nearer>"
  std::string shape;  ///< "Gen5 x16"; "internal" inside a root complex
  int up = 0;         ///< direction of the topology's link that leads towards the root complex
};

struct Scene {
  fabric::Topology topology;
  std::vector<SceneLink> links;    ///< by link of the topology
  std::vector<std::string> kinds;  ///< by node: of its device, "nic"; "" if it stands for none
};

}  // namespace peerpath::observe
