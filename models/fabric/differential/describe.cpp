#include <sstream>

#include "fabric/differential/scenario.hpp"

namespace peerpath::fabric::differential {
namespace {

void describe(std::ostream& out, const LinkDirection& d) {
  out << " [" << d.rate.bps() << " bit/s framing " << d.framing.count() << " propagation " << d.propagation.count()
      << " errors " << d.bits_per_error << " replay " << d.replay_delay.count() << " fc " << d.update_fc.count()
      << " ack " << d.ack_interval.count() << " fci " << d.fc_interval.count() << " credits";
  for (const Credits& c : d.credits) out << ' ' << c.header << '/' << c.data;
  out << " of VC 1";
  for (const Credits& c : d.vc1_credits) out << ' ' << c.header << '/' << c.data;
  out << " turns " << d.vc_arbitration.vc0_turns << '/' << d.vc_arbitration.vc1_turns;
  out << ']';
}

void describe(std::ostream& out, const Endpoint& e) {
  out << " mps " << e.max_payload.count() << " mrrs " << e.max_read_request.count() << " step "
      << e.max_completion.count() << " tags " << e.tags << " ecrc " << e.ecrc << " timeout "
      << e.completion_timeout.count() << " read " << e.read_latency.count() << '+' << e.read_jitter.count() << " at "
      << e.read_rate.bps() << " external " << e.external << " astray " << int(e.misdirected) << " one queue "
      << e.one_queue << " reaction " << e.reaction.count() << " channels " << e.channels << " service";
  for (const ServiceTime& s : e.service) out << ' ' << s.per_tlp.count() << '/' << s.rate.bps();
}

}  // namespace

std::string describe(const Scenario& s) {
  std::ostringstream out;
  out << "seed " << s.seed << ", " << name_of(s.shape) << ", quantum " << s.quantum.count() << " end "
      << femtoseconds(s.end) << '\n';
  for (std::size_t n = 0; n < s.topology.nodes.size(); ++n) {
    const Node& node = s.topology.nodes[n];
    out << "node " << n << ' ' << node.name;
    if (node.is_endpoint)
      describe(out, node.endpoint);
    else
      out << " latency " << node.router.latency.count();
    out << '\n';
  }
  for (std::size_t l = 0; l < s.topology.links.size(); ++l) {
    const Link& link = s.topology.links[l];
    out << "link " << l << ' ' << link.a.value() << " - " << link.b.value() << " on VC 1 " << int(link.vc1_classes);
    describe(out, link.direction[0]);
    describe(out, link.direction[1]);
    out << '\n';
  }
  out << "side latency " << s.topology.side_latency.count() << " reconfigures " << s.topology.reconfigures << '\n';
  for (const Weight& w : s.topology.weights)
    out << "weight router " << w.router.value() << " from link " << w.ingress.value() << " to link " << w.egress.value()
        << " turns " << w.turns << '\n';
  for (std::size_t i = 0; i < s.planned.size() && i < 30; ++i) {
    const auto& [from, channel, t] = s.planned[i];
    out << "planned " << from.value() << '.' << channel.value() << " -> " << t.target.value() << " op " << int(t.op)
        << " cookie " << t.cookie << " address " << t.address << " bytes " << t.bytes.count() << " ready "
        << femtoseconds(t.ready) << " ro " << t.relaxed_ordering << " ido " << t.id_based_ordering << " translated "
        << t.translated << " translation " << t.translation << " spoofed " << t.spoofed << " class "
        << int(t.traffic_class) << " answer " << int(t.answer) << " notify " << t.notify_target << t.notify_requester
        << '\n';
  }
  if (s.planned.size() > 30) out << "... " << s.planned.size() << " planned in all\n";
  for (const Exchange& r : s.exchanges)
    out << "exchange kind " << int(r.kind) << ' ' << r.a.node.value() << '.' << r.a.channel.value() << ' '
        << r.b.node.value() << '.' << r.b.channel.value() << ' ' << r.c.node.value() << '.' << r.c.channel.value()
        << ' ' << r.d.node.value() << " depth " << r.depth << " rounds " << r.rounds << " op " << int(r.op) << " bytes "
        << r.bytes.count() << " class " << int(r.traffic_class) << " think " << r.think.count() << " begin "
        << femtoseconds(r.begin) << " frames " << r.frames.size() << '\n';
  for (const GatePlace& g : s.gates)
    out << "gate link " << g.link.value() << '/' << g.direction << " seed " << g.seed << " alike " << g.alike << '\n';
  for (const Fault& f : s.faults)
    out << "fault link " << f.link.value() << " up " << f.up << " at " << femtoseconds(f.at) << '\n';
  for (const Flip& f : s.flips)
    out << "flip router " << f.route.router.value() << " ingress " << f.route.ingress.value() << " kind "
        << int(f.route.kind) << " target " << f.route.target.value() << " egress " << f.route.egress.value() << " at "
        << femtoseconds(f.at) << '\n';
  for (const Change& c : s.changes)
    out << "change kind " << int(c.kind) << " link " << c.link.value() << '/' << c.direction << " rate " << c.rate.bps()
        << " class " << int(c.tlp_class) << " lost " << c.lost.header << '/' << c.lost.data << " framing "
        << c.timing.framing.count() << " ack " << c.timing.ack_interval.count() << " fci "
        << c.timing.fc_interval.count() << " at " << femtoseconds(c.at) << '\n';
  return out.str();
}

}  // namespace peerpath::fabric::differential
