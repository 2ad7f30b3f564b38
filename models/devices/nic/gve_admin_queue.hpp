// The admin queue of gve: slots in the guest's memory with commands, which are executed one after the other.
#pragma once

#include "devices/nic/gve_admin.hpp"

namespace peerpath::nic::gve {

/// Executes one command at a time: reads its slot and the memory that the command points to, executes it, writes the
/// answers, and writes the status after their arrival. A command that stops DMA first waits for the DMA in flight. The
/// driver polls the number of finished commands.
class AdminQueue {
 public:
  AdminQueue(GuestMemory& memory, Admin& admin, Backend& backend) : memory_{memory}, admin_{admin}, backend_{backend} {}

  std::uint64_t address() const { return address_; }
  void set_address(std::uint64_t address) { address_ = address; }
  void set_length(std::uint32_t bytes) { length_ = bytes; }

  /// The doorbell: commands are there up to a number. False if that cannot be.
  bool announce(std::uint32_t up_to);
  /// The one access under way, or one of the answers' writes, has ended.
  void delivered(bool success, std::span<const std::uint8_t> data);
  /// All DMA before the fence has ended.
  void proceed();
  /// Forgets the command under way and counts from 0.
  void restart();

  std::uint32_t done() const { return done_; }
  std::uint32_t life() const { return life_; }
  /// Commands that were not answered with `passed`.
  std::int64_t refused() const { return refused_; }

 private:
  static constexpr std::uint32_t slots = 64;
  enum class Step : std::uint8_t { idle, command, arguments, answers, fence, status };

  std::uint64_t slot() const { return address_ + std::uint64_t{done_ % slots} * command_size; }
  void next();
  void command_read(bool success, std::span<const std::uint8_t> data);
  void argument_read(bool success, std::span<const std::uint8_t> data);
  void answer_written(bool success);
  void execute();
  void conclude();
  void write_status();

  GuestMemory& memory_;
  Admin& admin_;
  Backend& backend_;
  std::uint64_t address_ = 0;
  std::uint32_t length_ = 0;
  std::uint32_t announced_ = 0, done_ = 0;
  std::uint32_t life_ = 0;
  std::int64_t refused_ = 0;
  Step step_ = Step::idle;
  Command command_{};
  std::vector<AdminRead> reads_;
  Admin::Data arguments_;
  AdminStatus status_{};
  std::size_t writes_left_ = 0;
  bool failed_ = false;  ///< one of its accesses
};

}  // namespace peerpath::nic::gve
