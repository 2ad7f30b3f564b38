// Sockets of the width that a foreign TLM-2.0 component has: TLM-2.0 binds only sockets of one width to each other.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <type_traits>

namespace peerpath::sc {

/// A target socket of the base protocol: plain, of tlm_utils, `multi_passthrough`; of any width.
template <class S>
concept TargetSocket = requires(S& s) {
  []<unsigned width>(tlm::tlm_base_target_socket_b<width>&) {}(s);
};

/// An initiator socket of the base protocol, likewise.
template <class S>
concept InitiatorSocket = requires(S& s) {
  []<unsigned width>(tlm::tlm_base_initiator_socket_b<width>&) {}(s);
};

/// The width of a socket, bit.
template <unsigned width>
constexpr std::integral_constant<unsigned, width> width_of(const tlm::tlm_base_target_socket_b<width>&) {
  return {};
}
template <unsigned width>
constexpr std::integral_constant<unsigned, width> width_of(const tlm::tlm_base_initiator_socket_b<width>&) {
  return {};
}

/// Our initiator socket towards one foreign target. A module, because SystemC wants its ports in one.
template <unsigned width>
struct OutletModule final : sc_core::sc_module {
  OutletModule(const sc_core::sc_module_name& name, tlm::tlm_bw_transport_if<>& back) : sc_core::sc_module{name} {
    socket.bind(back);
  }
  tlm::tlm_initiator_socket<width> socket{"socket"};
};

/// Our target socket towards one foreign initiator.
template <unsigned width>
struct InletModule final : sc_core::sc_module {
  InletModule(const sc_core::sc_module_name& name, tlm::tlm_fw_transport_if<>& self) : sc_core::sc_module{name} {
    socket.bind(self);
  }
  tlm::tlm_target_socket<width> socket{"socket"};
};

/// Somebody foreign who is bound to one of our sockets; `other` may be asked after the end of elaboration.
template <class Interface>
struct Joint {
  std::unique_ptr<sc_core::sc_module> module;
  std::function<Interface*()> other;
};
using Outlet = Joint<tlm::tlm_fw_transport_if<>>;
using Inlet = Joint<tlm::tlm_bw_transport_if<>>;

/// Binds a foreign target; what it answers goes to `back`.
template <TargetSocket S>
Outlet bind_target(const std::string& name, S& target, tlm::tlm_bw_transport_if<>& back) {
  auto module = std::make_unique<OutletModule<decltype(width_of(target))::value>>(name.c_str(), back);
  auto* socket = &module->socket;
  socket->bind(target);
  return {std::move(module), [socket] { return (*socket)[0]; }};
}

/// Binds a foreign initiator; what it asks for comes to `self`.
template <InitiatorSocket S>
Inlet bind_initiator(const std::string& name, S& initiator, tlm::tlm_fw_transport_if<>& self) {
  auto module = std::make_unique<InletModule<decltype(width_of(initiator))::value>>(name.c_str(), self);
  auto* socket = &module->socket;
  initiator.bind(*socket);
  return {std::move(module), [socket] { return (*socket)[0]; }};
}

/// How requests are made to a foreign target.
struct TargetOptions {
  /// Calls b_transport from a process of its own, one request after the other, for targets that have nothing else;
  /// otherwise nb_transport_fw.
  bool blocking = false;
  /// > 0: no request reaches over a multiple of this, as memory controllers take a cache line at a time; a power of 2.
  unsigned line = 0;
  /// It sees offsets into its window instead of bus addresses.
  bool offsets = false;
};

}  // namespace peerpath::sc
