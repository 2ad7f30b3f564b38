// TCP flows over a network in ns-3.37: what `judge.py` holds peerpath against.
//
// Reads lines from standard input, writes one line for each flow: its number, and the nanosecond in which its last byte arrived.
//   set KEY VALUE                       congestion TcpCubic|TcpDctcp|TcpLinuxReno, sack 0|1, mtu, mark (packets, 0: none), ack_delay_us, end_ns, ...
//   link A B BITS_PER_SECOND DELAY_NS LOST,LOST,...   numbers of packets from A to B that are lost, "-" for none
//   flow FROM TO BYTES START_NS
#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/traffic-control-module.h>

#include <iostream>
#include <map>
#include <set>
#include <sstream>

using namespace ns3;

namespace {

/// Ethernet's header, FCS, preamble and gap (38 B), of which a point-to-point device has 2.
constexpr double missing_bytes = 36;

struct Link {
  std::string a, b, lost;
  double rate = 0, delay_ns = 0;
};
struct Flow {
  std::string from, to;
  std::uint64_t bytes = 0, start_ns = 0;
};
struct Input {
  std::map<std::string, std::string> set{{"congestion", "TcpCubic"}, {"sack", "1"}, {"mtu", "1500"}, {"mark", "0"}, {"ack_delay_us", "40000"}, {"end_ns", "10000000000"}};
  std::vector<Link> links;
  std::vector<Flow> flows;
};

Input read() {
  Input in;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words{line};
    std::string what;
    words >> what;
    if (what == "set") {
      std::string key;
      words >> key >> in.set[key];
    } else if (what == "link") {
      auto& l = in.links.emplace_back();
      words >> l.a >> l.b >> l.rate >> l.delay_ns >> l.lost;
    } else if (what == "flow") {
      auto& f = in.flows.emplace_back();
      words >> f.from >> f.to >> f.bytes >> f.start_ns;
    }
    if (!words) NS_FATAL_ERROR("not understood: " << line);
  }
  return in;
}

/// What differs from ns-3's defaults: Linux's values (minimum timeout, delay of acknowledgements, buffers, segment size).
void configure(Input& in) {
  const auto mss = std::stoi(in.set["mtu"]) - 52;
  const bool marks = in.set["mark"] != "0";
  Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TypeId::LookupByName("ns3::" + in.set["congestion"])));
  Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(mss));
  Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
  Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
  Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MicroSeconds(std::stoul(in.set["ack_delay_us"]))));
  Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(8u << 20));
  Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(6u << 20));
  Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
  Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(in.set["sack"] == "1"));
  Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue(marks ? "On" : "Off"));
  Config::SetDefault("ns3::TcpCubic::HyStart", BooleanValue(false));
  Config::SetDefault("ns3::PointToPointNetDevice::Mtu", UintegerValue(std::stoi(in.set["mtu"])));
  Config::SetDefault("ns3::DropTailQueue<Packet>::MaxSize", QueueSizeValue(QueueSize("1000000p")));
}

/// A queue that marks each packet that finds so many in front of it.
void mark_above(const NetDeviceContainer& devices, const std::string& packets) {
  for (std::uint32_t i = 0; i < devices.GetN(); ++i)
    DynamicCast<PointToPointNetDevice>(devices.Get(i))->GetQueue()->SetMaxSize(QueueSize("1p"));
  TrafficControlHelper helper;
  helper.SetRootQueueDisc("ns3::RedQueueDisc", "MaxSize", QueueSizeValue(QueueSize("1000000p")), "MinTh",
                          DoubleValue(std::stod(packets)), "MaxTh", DoubleValue(std::stod(packets)), "QW", DoubleValue(1),
                          "UseEcn", BooleanValue(true), "UseHardDrop", BooleanValue(false), "Gentle", BooleanValue(false));
  helper.Install(devices);
}

void lose(const Ptr<NetDevice>& receiver, const std::string& list) {
  if (list == "-") return;
  std::list<std::uint32_t> numbers;
  std::istringstream words{list};
  for (std::string word; std::getline(words, word, ',');) numbers.push_back(static_cast<std::uint32_t>(std::stoul(word)) - 1);
  auto model = CreateObject<ReceiveListErrorModel>();
  model->SetList(numbers);
  receiver->SetAttribute("ReceiveErrorModel", PointerValue(model));
}

}  // namespace

int main() {
  Time::SetResolution(Time::PS);
  auto in = read();
  configure(in);
  std::map<std::string, Ptr<Node>> nodes;
  std::set<std::string> ends;
  for (const auto& f : in.flows) ends.insert({f.from, f.to});
  InternetStackHelper internet;
  const auto node = [&](const std::string& name) {
    auto& n = nodes[name];
    if (!n) {
      n = CreateObject<Node>();
      internet.Install(n);
    }
    return n;
  };
  Ipv4AddressHelper addresses;
  addresses.SetBase("10.0.0.0", "255.255.255.252");
  std::map<std::string, Ipv4Address> address;
  for (const auto& l : in.links) {
    PointToPointHelper p2p;
    p2p.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<std::uint64_t>(l.rate))));
    p2p.SetDeviceAttribute("InterframeGap", TimeValue(PicoSeconds(static_cast<std::uint64_t>(missing_bytes * 8e12 / l.rate))));
    p2p.SetChannelAttribute("Delay", TimeValue(NanoSeconds(static_cast<std::uint64_t>(l.delay_ns))));
    const auto devices = p2p.Install(node(l.a), node(l.b));
    lose(devices.Get(1), l.lost);
    if (in.set["mark"] != "0") mark_above(devices, in.set["mark"]);
    const auto interfaces = addresses.Assign(devices);
    if (in.set["mark"] == "0") TrafficControlHelper{}.Uninstall(devices);
    addresses.NewNetwork();
    if (ends.count(l.a)) address[l.a] = interfaces.GetAddress(0);
    if (ends.count(l.b)) address[l.b] = interfaces.GetAddress(1);
  }
  Ipv4GlobalRoutingHelper::PopulateRoutingTables();
  std::vector<std::uint64_t> got(in.flows.size());
  for (std::size_t i = 0; i < in.flows.size(); ++i) {
    const auto& f = in.flows[i];
    const InetSocketAddress to{address.at(f.to), static_cast<std::uint16_t>(5000 + i)};
    const auto sinks = PacketSinkHelper{"ns3::TcpSocketFactory", to}.Install(node(f.to));
    sinks.Get(0)->TraceConnectWithoutContext(
        "Rx", Callback<void, Ptr<const Packet>, const Address&>([&got, &f, i](Ptr<const Packet> packet, const Address&) {
          got[i] += packet->GetSize();
          if (got[i] == f.bytes) std::cout << i << ' ' << Simulator::Now().GetNanoSeconds() << '\n';
        }));
    BulkSendHelper bulk{"ns3::TcpSocketFactory", to};
    bulk.SetAttribute("MaxBytes", UintegerValue(f.bytes));
    bulk.SetAttribute("SendSize", UintegerValue(65536));
    bulk.Install(node(f.from)).Start(NanoSeconds(f.start_ns));
  }
  Simulator::Stop(NanoSeconds(std::stoull(in.set["end_ns"])));
  Simulator::Run();
  Simulator::Destroy();
}
