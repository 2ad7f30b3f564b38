#include "platform/kind_setup.hpp"

namespace peerpath::platform {

transport::Arrival law_of(scenario::ArrivalLaw law) {
  switch (law) {
    case scenario::ArrivalLaw::regular:
      return transport::Arrival::regular;
    case scenario::ArrivalLaw::jittered:
      return transport::Arrival::jittered;
    case scenario::ArrivalLaw::poisson:
      return transport::Arrival::poisson;
    case scenario::ArrivalLaw::burst:
      return transport::Arrival::burst;
  }
  return transport::Arrival::regular;
}

void SetupContext::problem(std::size_t entry, const std::string& key, const std::string& message) {
  problems.push_back({{}, 0, 0, "/traffic/" + std::to_string(entry) + "/" + key, message});
}

Random SetupContext::random_of(const scenario::Traffic& t, std::size_t leg) const {
  const auto of_leg = leg == 0 ? std::string{} : " " + std::to_string(leg);
  return {static_cast<std::uint64_t>(scenario.run.seed), "traffic " + t.name + of_leg};
}

transport::ArrivalProcess SetupContext::arrivals_of(const scenario::Traffic& t, std::size_t leg) const {
  return {{rate_of_leg(t), law_of(t.arrival), t.burst, Instant{}}, random_of(t, leg)};
}

bool SetupContext::refused(std::size_t entry, const std::string& gpu) const {
  const auto* mapped = mapping(entry, gpu);
  return mapped != nullptr && mapped->verdict == scenario::Bar1Verdict::refused;
}

bool SetupContext::bounced(std::size_t entry, const std::string& gpu) const {
  const auto* mapped = mapping(entry, gpu);
  return mapped != nullptr && mapped->verdict == scenario::Bar1Verdict::bounced;
}

std::optional<BusAddress> SetupContext::map(std::size_t entry, const std::string& gpu) const {
  const auto* mapped = mapping(entry, gpu);
  if (mapped == nullptr || mapped->given == Bytes{0}) return std::nullopt;
  return platform.device(gpu).memory(mapped->given);
}

}  // namespace peerpath::platform
