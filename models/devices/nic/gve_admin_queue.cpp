#include "devices/nic/gve_admin_queue.hpp"

#include <algorithm>

#include "devices/nic/gve_commands.hpp"

namespace peerpath::nic::gve {

bool AdminQueue::announce(std::uint32_t up_to) {
  // A count far ahead would name slots twice, and a smaller one would take back a command under way: no driver does
  // either.
  const std::uint32_t waiting = announced_ - done_;
  if (length_ != slots * command_size || up_to - announced_ > slots - waiting) return false;
  announced_ = up_to;
  if (step_ == Step::idle) next();
  return true;
}

void AdminQueue::restart() {
  ++life_;
  step_ = Step::idle;
  announced_ = done_ = 0;
}

void AdminQueue::next() {
  step_ = done_ == announced_ ? Step::idle : Step::command;
  if (step_ == Step::command) memory_.read(slot(), command_size);
}

void AdminQueue::delivered(bool success, std::span<const std::uint8_t> data) {
  switch (step_) {
    case Step::command:
      return command_read(success, data);
    case Step::arguments:
      return argument_read(success, data);
    case Step::answers:
      return answer_written(success);
    case Step::status:
      if (success) ++done_;
      step_ = Step::idle;  // a queue that cannot be written goes on at its next doorbell
      if (success) next();
      return;
    case Step::idle:
    case Step::fence:
      return;
  }
}

void AdminQueue::command_read(bool success, std::span<const std::uint8_t> data) {
  if (!success) {
    ++refused_;
    step_ = Step::idle;
    return;
  }
  std::ranges::copy(data, command_.begin());
  reads_ = Admin::arguments(command_);
  arguments_.clear();
  failed_ = false;
  if (reads_.empty()) return execute();
  step_ = Step::arguments;
  memory_.read(reads_[0].address, reads_[0].size);
}

void AdminQueue::argument_read(bool success, std::span<const std::uint8_t> data) {
  if (!success) {
    status_ = AdminStatus::invalid_argument;
    return write_status();
  }
  arguments_.emplace_back(data.begin(), data.end());
  if (arguments_.size() == reads_.size()) return execute();
  const auto& read = reads_[arguments_.size()];
  memory_.read(read.address, read.size);
}

void AdminQueue::execute() {
  const auto answer = admin_.execute(command_, arguments_);
  status_ = answer.status;
  step_ = Step::answers;
  writes_left_ = answer.writes.size();
  for (const auto& write : answer.writes) memory_.write(write.address, write.bytes);
  if (answer.writes.empty()) conclude();
}

void AdminQueue::answer_written(bool success) {
  failed_ = failed_ || !success;
  if (--writes_left_ > 0) return;
  if (failed_)
    status_ = AdminStatus::invalid_argument;
  else
    admin_.written(command_);
  conclude();
}

void AdminQueue::conclude() {
  if (!Admin::ends_dma(command_)) return write_status();
  step_ = Step::fence;
  backend_.fence();
  if (backend_.fenced()) write_status();
}

void AdminQueue::proceed() {
  if (step_ == Step::fence) write_status();
}

void AdminQueue::write_status() {
  step_ = Step::status;
  if (status_ != AdminStatus::passed) ++refused_;
  std::array<std::uint8_t, 4> status{};
  store_be(status, 0, 4, static_cast<std::uint32_t>(status_));
  memory_.write(slot() + command::status.at, status);
}

}  // namespace peerpath::nic::gve
