#include "validation/agent/netdev.hpp"

#include <linux/ethtool_netlink.h>
#include <net/if.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include <optional>

#include "validation/agent/kernel_api.hpp"

namespace peerpath::agent {

void CloseNetlink::operator()(nl_sock* socket) const { nl_socket_free(socket); }

namespace {

struct FreeMessage {
  void operator()(nl_msg* message) const { nlmsg_free(message); }
};
using Message = std::unique_ptr<nl_msg, FreeMessage>;

/// What came back: the error number, the kernel's own words, and the attribute asked for.
struct Answer {
  explicit Answer(int wanted = 0) : attribute{wanted} {}

  int attribute;
  int error = 0;
  std::uint32_t value = 0;
  std::string words;
  bool done = false;
};

int on_valid(nl_msg* message, void* context) {
  auto& answer = *static_cast<Answer*>(context);
  const auto* header = nlmsg_hdr(message);
  if (const auto* found = nlmsg_find_attr(const_cast<nlmsghdr*>(header), GENL_HDRLEN, answer.attribute)) {
    answer.value = nla_get_u32(found);
  }
  return NL_OK;
}
int on_ack(nl_msg*, void* context) {
  static_cast<Answer*>(context)->done = true;
  return NL_STOP;
}
int on_error(sockaddr_nl*, nlmsgerr* error, void* context) {
  auto& answer = *static_cast<Answer*>(context);
  answer.error = -error->error;
  answer.done = true;
  // Extended acknowledgement: the attributes follow the header of the request, which is cut off (NETLINK_CAP_ACK).
  const auto* header = reinterpret_cast<const nlmsghdr*>(reinterpret_cast<const char*>(error) - NLMSG_HDRLEN);
  if ((header->nlmsg_flags & NLM_F_ACK_TLVS) != 0) {
    const auto* first = reinterpret_cast<const nlattr*>(error + 1);
    const int length = static_cast<int>(header->nlmsg_len - NLMSG_HDRLEN - sizeof(nlmsgerr));
    if (const auto* text = nla_find(first, length, NLMSGERR_ATTR_MSG)) answer.words = nla_get_string(text);
  }
  return NL_STOP;
}

int talk(nl_sock* socket, nl_msg* message, Answer& answer) {
  std::unique_ptr<nl_cb, void (*)(nl_cb*)> calls{nl_cb_alloc(NL_CB_DEFAULT), nl_cb_put};
  nl_cb_set(calls.get(), NL_CB_VALID, NL_CB_CUSTOM, on_valid, &answer);
  nl_cb_set(calls.get(), NL_CB_ACK, NL_CB_CUSTOM, on_ack, &answer);
  nl_cb_err(calls.get(), NL_CB_CUSTOM, on_error, &answer);
  if (nl_send_auto(socket, message) < 0) return EIO;
  while (!answer.done) {
    if (nl_recvmsgs(socket, calls.get()) < 0 && !answer.done) return EIO;
  }
  return answer.error;
}

Message request(int family, int command) {
  Message message{nlmsg_alloc()};
  genlmsg_put(message.get(), NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, NLM_F_REQUEST | NLM_F_ACK,
              static_cast<std::uint8_t>(command), 1);
  return message;
}

tl::unexpected<Failure> refused(const std::string& what, int error, const Answer& answer) {
  return failure(what + (answer.words.empty() ? "" : " (" + answer.words + ")"), error);
}

Expected<NetlinkSocket> open_netlink() {
  NetlinkSocket socket{nl_socket_alloc()};
  if (!socket || genl_connect(socket.get()) != 0) return failure("generic netlink", EIO);
  const int on = 1;
  ::setsockopt(nl_socket_get_fd(socket.get()), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof on);
  ::setsockopt(nl_socket_get_fd(socket.get()), SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof on);
  return socket;
}

Expected<Binding> bind_dmabuf(const std::string& interface, int dmabuf, std::optional<int> receive_queue) {
  auto socket = open_netlink();
  if (!socket) return tl::unexpected{socket.error()};
  const int family = genl_ctrl_resolve(socket->get(), "netdev");
  if (family < 0) return failure("the kernel's netdev family", EOPNOTSUPP);
  const auto message = request(family, receive_queue ? kernel::netdev_cmd_bind_rx : kernel::netdev_cmd_bind_tx);
  nla_put_u32(message.get(), kernel::netdev_a_dmabuf_ifindex, ::if_nametoindex(interface.c_str()));
  nla_put_u32(message.get(), kernel::netdev_a_dmabuf_fd, static_cast<std::uint32_t>(dmabuf));
  if (receive_queue) {
    auto* nest = nla_nest_start(message.get(), kernel::netdev_a_dmabuf_queues);
    nla_put_u32(message.get(), kernel::netdev_a_queue_id, static_cast<std::uint32_t>(*receive_queue));
    nla_put_u32(message.get(), kernel::netdev_a_queue_type, kernel::netdev_queue_type_rx);
    nla_nest_end(message.get(), nest);
  }
  Answer answer{kernel::netdev_a_dmabuf_id};
  if (const int error = talk(socket->get(), message.get(), answer)) {
    return refused(receive_queue ? "bind-rx" : "bind-tx", error, answer);
  }
  return Binding{std::move(*socket), answer.value};
}

}  // namespace

Expected<Binding> bind_rx(const std::string& interface, int queue, int dmabuf) {
  return bind_dmabuf(interface, dmabuf, queue);
}
Expected<Binding> bind_tx(const std::string& interface, int dmabuf) {
  return bind_dmabuf(interface, dmabuf, std::nullopt);
}

Expected<void> set_header_split(const std::string& interface, bool on) {
  auto socket = open_netlink();
  if (!socket) return tl::unexpected{socket.error()};
  const int family = genl_ctrl_resolve(socket->get(), "ethtool");
  if (family < 0) return failure("the kernel's ethtool family", EOPNOTSUPP);
  const auto message = request(family, ETHTOOL_MSG_RINGS_SET);
  auto* nest = nla_nest_start(message.get(), ETHTOOL_A_RINGS_HEADER);
  nla_put_string(message.get(), ETHTOOL_A_HEADER_DEV_NAME, interface.c_str());
  nla_nest_end(message.get(), nest);
  nla_put_u8(message.get(), ETHTOOL_A_RINGS_TCP_DATA_SPLIT,
             on ? ETHTOOL_TCP_DATA_SPLIT_ENABLED : ETHTOOL_TCP_DATA_SPLIT_UNKNOWN);
  Answer answer;
  if (const int error = talk(socket->get(), message.get(), answer)) return refused("tcp-data-split", error, answer);
  return {};
}

}  // namespace peerpath::agent
