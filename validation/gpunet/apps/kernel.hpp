// All applications behind one entry.
#pragma once

#include "validation/gpunet/apps/clusters.hpp"
#include "validation/gpunet/apps/echo.hpp"
#include "validation/gpunet/apps/faces.hpp"
#include "validation/gpunet/apps/stream.hpp"
#include "validation/gpunet/apps/words.hpp"
#include "validation/gpunet/programs/desk.hpp"

namespace peerpath::gpunet::apps {

template <Threadblock Block>
constexpr void perform(Block& block, const Task& task) {
  switch (task.job) {
    case Job::dictation:
      return programs::take_dictation(block, *static_cast<programs::Desk*>(task.desk));
    case Job::echo_serve:
      return echo_serve(block, task);
    case Job::stream_send:
      return stream_send(block, task);
    case Job::stream_receive:
      return stream_receive(block, task);
    case Job::count_words:
      return count_words(block, task);
    case Job::cluster:
      return cluster(block, task);
    case Job::serve_faces:
      return serve_faces(block, task);
  }
}

}  // namespace peerpath::gpunet::apps
