// Stands between an initiator and a target of TLM-2.0 and holds both against the base protocol.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <tlm>

#include "peerpath/sc/time.hpp"

namespace peerpath::sc {

/// Rules of IEEE 1666-2011, 14.7 (attributes), 15.2 (phases, exclusion, timing annotation). What breaks one is a test
/// failure.
struct ProtocolChecker : sc_core::sc_module, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<> {
  explicit ProtocolChecker(const sc_core::sc_module_name& name) : sc_core::sc_module{name} {
    in.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    out.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  }

  struct Asked {
    std::uint64_t address = 0;
    unsigned char* data = nullptr;
    unsigned length = 0;
    tlm::tlm_command command{};
    bool answered = false;
  };

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    const bool begins = phase == tlm::BEGIN_REQ;
    if (begins) {
      begin(payload, delay);
    } else {
      EXPECT_EQ(phase, tlm::END_RESP) << "the initiator's phases are BEGIN_REQ and END_RESP";
      EXPECT_EQ(response, &payload) << "END_RESP ends the response that has begun";
      end_response(payload);
    }
    const auto reply = out->nb_transport_fw(payload, phase, delay);
    if (!begins) return reply;
    if (reply == tlm::TLM_COMPLETED || (reply == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)) {
      end_request(payload, delay);
      begin_response(payload);
      if (reply == tlm::TLM_COMPLETED) end_response(payload);
    } else if (reply == tlm::TLM_UPDATED) {
      EXPECT_EQ(phase, tlm::END_REQ);
      end_request(payload, delay);
    }
    return reply;
  }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase == tlm::END_REQ) {
      end_request(payload, delay);
    } else {
      EXPECT_EQ(phase, tlm::BEGIN_RESP) << "the target's phases are END_REQ and BEGIN_RESP";
      if (request == &payload) end_request(payload, delay);
      begin_response(payload);
    }
    const bool responds = phase == tlm::BEGIN_RESP;
    const auto reply = in->nb_transport_bw(payload, phase, delay);
    if (!responds || reply == tlm::TLM_ACCEPTED) return reply;
    if (reply == tlm::TLM_UPDATED) {
      EXPECT_EQ(phase, tlm::END_RESP);
    }
    end_response(payload);
    return reply;
  }

  void begin(const tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
    EXPECT_EQ(request, nullptr) << "BEGIN_REQ before the end of the request before it";
    if (in_order) {
      EXPECT_GE(sc_core::sc_time_stamp() + delay, free) << "BEGIN_REQ before the time that END_REQ has";
    }
    EXPECT_FALSE(under_way.contains(&payload)) << "a payload is used again before its end";
    EXPECT_TRUE(payload.has_mm());
    EXPECT_GE(payload.get_ref_count(), 1);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
    EXPECT_FALSE(payload.is_dmi_allowed());
    EXPECT_NE(payload.get_data_ptr(), nullptr);
    EXPECT_GT(payload.get_data_length(), 0U);
    EXPECT_GE(payload.get_streaming_width(), payload.get_data_length());
    EXPECT_EQ(payload.get_byte_enable_ptr(), nullptr);
    request = &payload;
    under_way[&payload] = {payload.get_address(), payload.get_data_ptr(), payload.get_data_length(),
                           payload.get_command()};
  }
  void end_request(const tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
    EXPECT_EQ(request, &payload) << "END_REQ ends the request that has begun";
    request = nullptr;
    free = sc_core::sc_time_stamp() + delay;
  }
  void begin_response(const tlm::tlm_generic_payload& payload) {
    EXPECT_EQ(response, nullptr) << "BEGIN_RESP before the end of the response before it";
    EXPECT_TRUE(under_way.contains(&payload)) << "a response that nobody asked for";
    auto& asked = under_way[&payload];
    EXPECT_FALSE(asked.answered);
    asked.answered = true;
    EXPECT_NE(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
    EXPECT_EQ(payload.get_address(), asked.address);
    EXPECT_EQ(payload.get_data_ptr(), asked.data);
    EXPECT_EQ(payload.get_data_length(), asked.length);
    EXPECT_EQ(payload.get_command(), asked.command);
    response = &payload;
  }
  void end_response(const tlm::tlm_generic_payload& payload) {
    response = nullptr;
    under_way.erase(&payload);
    ++over;
  }

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    out->b_transport(payload, delay);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
    return out->get_direct_mem_ptr(payload, dmi);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override { return out->transport_dbg(payload); }
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
    in->invalidate_direct_mem_ptr(first, last);
  }

  tlm::tlm_target_socket<> in{"in"};
  tlm::tlm_initiator_socket<> out{"out"};
  const tlm::tlm_generic_payload *request = nullptr, *response = nullptr;
  sc_core::sc_time free;
  bool in_order = true;  ///< the initiator annotates no times that go back
  std::map<const tlm::tlm_generic_payload*, Asked> under_way;
  int over = 0;
};

}  // namespace peerpath::sc
