// --profile: which part of a simulation costs how much of the processor's time.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "peerpath/device/place.hpp"
#include "peerpath/observe/scene.hpp"

namespace peerpath::cli {

/// Stands before each device and takes the time of what it does. A look at the clock costs some 25 ns, of which about
/// half counts as the device's.
class Profile {
 public:
  Profile();
  ~Profile();

  device::Endpoint& guide(device::Endpoint& device, const device::Place& place);
  void built(const observe::Scene& scene);

  /// A table of devices by their share of `simulated`, the wall time of building and simulating. What is left is the
  /// fabric, the loop, and the sources of frames.
  std::string text(std::chrono::nanoseconds simulated) const;

 private:
  class Timed;
  std::vector<std::unique_ptr<Timed>> devices_;
  std::vector<std::string> names_;  ///< by node
};

}  // namespace peerpath::cli
