// A root complex of a platform.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "devices/root_complex/config.hpp"
#include "devices/root_complex/root_port.hpp"
#include "platform/device.hpp"

namespace peerpath::platform {

class Platform;

/// The root complex: root ports, and `memory`, the way to host memory.
class RootComplex final : public Device {
 public:
  RootComplex(const std::string& name, Domain& domain, int ports, const device::RootComplexConfig& config = {});
  Port& port(int number) { return *ports_.at(static_cast<std::size_t>(number)); }
  Port& take_port(bool) override { return port(taken_++); }
  /// A port for the link to another socket. What devices write to, and read from, devices there passes at these rates
  /// on its way in; 0: no limit.
  Port& take_socket_port(BitRate write_rate, BitRate read_rate);
  /// Memory of another socket of the host; before the domain is complete.
  void add_remote(fabric::NodeId memory) { remote_.push_back(memory); }
  std::any count(Instant now) override;
  void report(Report& report, const std::string& name, const std::any& before, const std::any& after) const override;

  /// Of something that writes and reads have each for themselves, since the start.
  struct Taken {
    Duration writes{}, reads{};
  };
  struct Ordered {
    Duration held{};    ///< summed over lines
    Duration waited{};  ///< the next write waited for a line
  };
  struct Iommu {
    host::IommuCounters counters;
    Duration walking{};  ///< summed over the walkers
  };
  /// By root port.
  struct Counted {
    std::vector<Taken> credits;    ///< towards memory
    std::vector<Taken> peers;      ///< ways to peers
    std::vector<Ordered> ordered;  ///< writes that are committed in order
    std::vector<Iommu> iommus;
    std::vector<Taken> crossings;  ///< ways of peers from other sockets, by socket port
  };

 private:
  void complete();
  void fill_ordered(Report& report, const std::string& name, const std::vector<Ordered>& before,
                    const std::vector<Ordered>& after) const;

  device::RootComplexConfig config_;
  Domain& domain_;
  std::vector<std::unique_ptr<Port>> ports_, socket_ports_;
  std::vector<std::unique_ptr<root_complex::PeerCrossing>> crossings_;  ///< by socket port
  std::vector<fabric::NodeId> remote_;
  int taken_ = 0;  ///< ports that have links
  /// What passes at each root port; none if nothing has to.
  std::vector<std::unique_ptr<root_complex::RootPort>> gates_;
  /// What peers' writes pass, for each root port with something behind it; none without a limit.
  std::vector<std::unique_ptr<root_complex::PeerWrites>> peer_writes_;

 public:
  Port memory;
};

}  // namespace peerpath::platform
