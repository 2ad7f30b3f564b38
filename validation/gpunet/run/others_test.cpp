// A channel of another kind than the kernel's sockets, given to the proxy by its program.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>

#include "validation/gpunet/proxy/socket_channel.hpp"
#include "validation/gpunet/run/trials.hpp"

namespace peerpath::gpunet::run {
namespace {

struct Counts {
  std::atomic<int> made{0}, asked{0}, settled{0}, early{0};
};

/// TCP that has to be asked for what came, and that needs its memory for a while after the last byte.
class Slow final : public Channel {
 public:
  Slow(std::unique_ptr<Channel> inner, Counts& counts) : inner_{std::move(inner)}, counts_{counts} { ++counts_.made; }
  ~Slow() override { counts_.early += asked_ > 0 && asked_ < patience; }

  int bind(const Address& address) override { return inner_->bind(as_tcp(address)); }
  int listen(int backlog) override { return inner_->listen(backlog); }
  int accept(std::unique_ptr<Channel>& connection, Address& peer) override {
    const int result = inner_->accept(connection, peer);
    if (result == 0) connection = std::make_unique<Slow>(std::move(connection), counts_);
    return result;
  }
  int connect(const Address& address) override { return inner_->connect(as_tcp(address)); }
  int finish_connect() override { return inner_->finish_connect(); }
  std::int64_t send(std::span<const iovec> pieces) override { return inner_->send(pieces); }
  std::int64_t receive(std::span<const iovec> pieces) override { return inner_->receive(pieces); }
  int shutdown(int how) override { return inner_->shutdown(how); }
  void reset_at_close() override { inner_->reset_at_close(); }
  Gone hung_up() override { return {}; }
  bool settled() override {
    ++counts_.asked;
    if (++asked_ < patience) return false;
    ++counts_.settled;
    return true;
  }
  int descriptor() const override { return -1; }

 private:
  static constexpr int patience = 5;
  static Address as_tcp(Address address) {
    address.family = Family::tcp;
    return address;
  }

  std::unique_ptr<Channel> inner_;
  Counts& counts_;
  int asked_ = 0;
};

TEST(GpunetOthers, CarryAStreamAndStayUntilTheyHaveSettled) {
  Counts counts;
  const auto open = [&counts](int, const Dimensions& size, const ProxyOptions& asked) {
    auto options = asked;
    options.others = [&counts](Family family) -> std::unique_ptr<Channel> {
      EXPECT_EQ(family, Family::rdma);
      const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
      return std::make_unique<Slow>(std::make_unique<SocketChannel>(socket, Family::tcp, 0), counts);
    };
    return open_cpu(size, options);
  };
  EXPECT_TRUE(stream({open, 2, rdma_address(loopback, 21973)}, 30000, 6, 2, 1, 1).right);
  EXPECT_GE(counts.made, 6);    // two listeners, two senders, two receivers at least
  EXPECT_GE(counts.asked, 10);  // of each sender, until it agreed
  EXPECT_GE(counts.settled, 2);
  EXPECT_EQ(counts.early, 0);
}

TEST(GpunetOthers, AreRefusedWhereTheProgramHasNone) {
  const auto channel = open_channel(Family::rdma, 0, {});
  EXPECT_EQ(channel, nullptr);
  EXPECT_EQ(errno, EAFNOSUPPORT);
}

}  // namespace
}  // namespace peerpath::gpunet::run
