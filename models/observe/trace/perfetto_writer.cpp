#include "observe/trace/perfetto_writer.hpp"

#include "perfetto.pb.h"

namespace peerpath::trace {
namespace {

using perfetto::TracePacket;
using perfetto::TrackEvent;

void fill(TrackEvent& made, PerfettoWriter::Track track, const PerfettoEvent& event) {
  made.set_track_uuid(track);
  made.set_name(event.name);
  made.add_categories(event.category);
  for (const auto flow : event.flows) made.add_flow_ids(flow);
  for (const auto& [name, text] : event.texts) {
    auto* annotation = made.add_debug_annotations();
    annotation->set_name(name);
    annotation->set_string_value(text);
  }
  for (const auto& [name, number] : event.numbers) {
    auto* annotation = made.add_debug_annotations();
    annotation->set_name(name);
    annotation->set_int_value(number);
  }
}

}  // namespace

/// A trace is its packets one after the other, so each may be written as a trace of one.
void PerfettoWriter::write(TracePacket& packet) {
  perfetto::Trace trace;
  packet.set_trusted_packet_sequence_id(1);
  trace.add_packet()->Swap(&packet);
  out_ << trace.SerializeAsString();
}

PerfettoWriter::Track PerfettoWriter::add_track(const std::string& name, Track parent) {
  TracePacket packet;
  auto* track = packet.mutable_track_descriptor();
  track->set_uuid(++tracks_);
  track->set_name(name);
  if (parent != 0) track->set_parent_uuid(parent);
  write(packet);
  return tracks_;
}

PerfettoWriter::Track PerfettoWriter::add_counter(const std::string& name, const std::string& unit, Track parent) {
  TracePacket packet;
  auto* track = packet.mutable_track_descriptor();
  track->set_uuid(++tracks_);
  track->set_name(name);
  track->mutable_counter()->set_unit_name(unit);
  if (parent != 0) track->set_parent_uuid(parent);
  write(packet);
  return tracks_;
}

void PerfettoWriter::slice(Track track, std::uint64_t begin, std::uint64_t end, const PerfettoEvent& event) {
  TracePacket first, last;
  first.set_timestamp(begin);
  first.mutable_track_event()->set_type(TrackEvent::TYPE_SLICE_BEGIN);
  fill(*first.mutable_track_event(), track, event);
  write(first);
  last.set_timestamp(end);
  last.mutable_track_event()->set_type(TrackEvent::TYPE_SLICE_END);
  last.mutable_track_event()->set_track_uuid(track);
  write(last);
  ++events_;
}

void PerfettoWriter::instant(Track track, std::uint64_t when, const PerfettoEvent& event) {
  TracePacket packet;
  packet.set_timestamp(when);
  packet.mutable_track_event()->set_type(TrackEvent::TYPE_INSTANT);
  fill(*packet.mutable_track_event(), track, event);
  write(packet);
  ++events_;
}

void PerfettoWriter::counter(Track track, std::uint64_t when, std::int64_t value) {
  TracePacket packet;
  packet.set_timestamp(when);
  auto* event = packet.mutable_track_event();
  event->set_type(TrackEvent::TYPE_COUNTER);
  event->set_track_uuid(track);
  event->set_counter_value(value);
  write(packet);
  ++events_;
}

}  // namespace peerpath::trace
