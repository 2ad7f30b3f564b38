#include "peerpath/scenario/describe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "scenario/kinds.hpp"
#include "scenario/options.hpp"
#include "scenario/test_files.hpp"
#include "scenario/value.hpp"
#include "scenario/write.hpp"

namespace peerpath::scenario {
namespace {

using testing::HasSubstr;

TEST(ToJson, LoadsBackToTheSame) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator{shipped_scenarios()}) {
    const auto below = entry.path().lexically_relative(shipped_scenarios());
    if (entry.path().extension() != ".json" || *below.begin() == "hardware") continue;
    if (is_of_network(below)) continue;
    const auto first = load(entry.path());
    ASSERT_TRUE(first.has_value()) << lines_of(first.error());
    if (std::ranges::any_of(first->captures, [](const auto& file) { return !file.empty(); })) continue;
    const auto text = to_json(first->scenario);
    const auto second = load_text(text, "again.json", in_memory({}));
    ASSERT_TRUE(second.has_value()) << lines_of(second.error());
    EXPECT_EQ(to_json(second->scenario), text);
  }
}

TEST(Explain, KnowsAKeyWithoutItsKind) {
  const auto acs = explain("acs");
  ASSERT_TRUE(acs.has_value());
  for (const auto* whose : {"pcie_switch.acs: ", "root_complex.acs: ", "event.acs: "})
    EXPECT_THAT(*acs, HasSubstr(whose));
  EXPECT_THAT(explain("iommu").value_or(""), HasSubstr("root_complex.iommu.walkers: "));
  EXPECT_EQ(explain("iommu.walkers").value_or("").find("root_complex.iommu.walkers: "), 0U);
  EXPECT_THAT(explain("event.generation").value_or(""), HasSubstr("at most the link's own"));
  EXPECT_THAT(explain("event.width").value_or(""), HasSubstr("(1, 2, 4, 8, 12 or 16), at most the link's own"));
  EXPECT_FALSE(explain("acsx").has_value());
  EXPECT_FALSE(explain("").has_value());
}

TEST(ToText, SaysWhatHappens) {
  EXPECT_EQ(to_text(Event{
                .what = event::Acs{.acs = {pcie::AcsControl::request_redirect, pcie::AcsControl::completion_redirect}},
                .device = "sw0"}),
            "ACS of sw0: RR CR");
  EXPECT_EQ(to_text(Event{.what = event::Retrain{.generation = 3, .width = 8, .outage = 5us}, .device = "gpu0"}),
            "the link above gpu0 trains to Gen3 x8 after 5us in recovery");
  EXPECT_EQ(to_text(Event{.what = event::CreditLeak{.way = LinkWay::down, .headers = 2, .data = 3}, .device = "gpu0"}),
            "the link above gpu0, way down, loses 2 header and 3 data credits, posted");
  EXPECT_EQ(to_text(Event{.what = event::WrongRequesterId{}, .device = "nic0"}),
            "payload of nic0 carries an unknown requester ID from now on");
  for_each_alternative<decltype(Event::what)>(
      [](const auto& what) { EXPECT_THAT(to_text(Event{.what = what, .device = "x9"}), HasSubstr("x9")); });
}

TEST(ToJson, SpellsUnitsInOneWay) {
  LoadOptions options;
  options.overrides = {"devices.nic0.rx_fifo=524288B"};
  const auto loaded = load(testdata() / "good.json", options);
  ASSERT_TRUE(loaded.has_value());
  const auto json = nlohmann::json::parse(to_json(loaded->scenario));
  EXPECT_EQ(json["devices"]["nic0"]["rx_fifo"], "512KiB");
  EXPECT_EQ(json["devices"]["nic0"]["function"]["max_payload"], "256B");
  EXPECT_EQ(json["run"]["measure"], "100us");
  EXPECT_EQ(json["traffic"][0]["sizes"], nlohmann::json::array({"4KiB"}));
}

TEST(Origins, CoverEveryValue) {
  const auto loaded = load(testdata() / "good.json");
  ASSERT_TRUE(loaded.has_value());
  const auto origins = written_origins(*loaded);
  const auto json = nlohmann::json::parse(to_json(loaded->scenario)).flatten();
  for (const auto& [pointer, value] : json.items())
    EXPECT_TRUE(origins.contains(pointer) || pointer == "/description") << pointer;
  EXPECT_EQ(origins.size() + 1, json.size());
  EXPECT_THAT(resolved_text(*loaded), HasSubstr("good.json:18:23"));
}

TEST(Absent, MeansWhatTheTextOfTheOptionSays) {
  EXPECT_EQ(meaning_of_absence("Limit of reads; absent: unlimited"), "unlimited");
  EXPECT_EQ(meaning_of_absence("Time. Absent: 20us; 0ns with `bytes`. At least 1us"), "20us; 0ns with `bytes`");
  EXPECT_EQ(meaning_of_absence("Number of queues"), "");
}

TEST(Absent, IsShownBesideTheValuesOfItsObject) {
  const auto loaded = load(testdata() / "good.json");
  ASSERT_TRUE(loaded.has_value());
  const auto left_out = absent(loaded->scenario);
  EXPECT_EQ(left_out.at("/devices/rc/iommu"), "IOMMU off");
  EXPECT_EQ(left_out.at("/devices/rc/peer_to_peer"), "unlimited");
  EXPECT_EQ(left_out.at("/devices/rc/credits"), "unlimited");
  EXPECT_TRUE(left_out.contains("/links/0/vc1"));
  const auto values = nlohmann::json::parse(to_json(loaded->scenario));
  for (const auto& [pointer, meaning] : left_out)
    EXPECT_FALSE(values.contains(nlohmann::json::json_pointer{pointer})) << pointer;
  EXPECT_THAT(resolved_text(*loaded), testing::ContainsRegex("\n/devices/rc/iommu +\\(absent\\) +IOMMU off\n"));
}

TEST(Absent, IsNoLongerThereOnceGiven) {
  LoadOptions options;
  options.overrides = {"devices.rc.iommu.entries=128", "devices.rc.peer_to_peer.read_rate=100Gbps"};
  const auto loaded = load(testdata() / "good.json", options);
  ASSERT_TRUE(loaded.has_value()) << lines_of(loaded.error());
  const auto left_out = absent(loaded->scenario);
  EXPECT_FALSE(left_out.contains("/devices/rc/iommu"));
  EXPECT_FALSE(left_out.contains("/devices/rc/peer_to_peer"));
  EXPECT_TRUE(left_out.contains("/devices/rc/credits"));
}

/// Names below `prefix` of the groups of options that are absent unless a file names them, and whose text does not say
/// what their absence means.
template <class Config>
void silent_groups(const std::string& prefix, std::vector<std::string>& names) {
  const auto each = [&]<class Owner, class T>(const Field<Owner, T>& f) {
    using Group = typename group_of<T>::type;
    const auto name = prefix + "." + std::string{f.name};
    if (is_optional<T> && Configurable<Group> && meaning_of_absence(f.doc).empty()) names.push_back(name);
    if constexpr (Configurable<Group>) silent_groups<Group>(name, names);
  };
  std::apply([&](const auto&... f) { (each(f), ...); }, fields_of<Config>);
}

TEST(Absent, EveryGroupThatMayBeAbsentSaysWhatThatMeans) {
  std::vector<std::string> names;
  for_each_topic(
      [&]<class Config>(const Kind<Config>& topic) { silent_groups<Config>(std::string{topic.name}, names); });
  EXPECT_THAT(names, testing::IsEmpty());
}

TEST(Explain, SaysDefaultRangeAndSource) {
  const auto queues = explain("nic.queues");
  ASSERT_TRUE(queues.has_value());
  EXPECT_EQ(*queues,
            "queues: whole number; default 4; at least 1; at most 1024\n"
            "    Number of receive queues, and of transmit queues\n");
  EXPECT_THAT(*explain("pcie_switch"), HasSubstr("default from: typical"));
  EXPECT_THAT(*explain("gpu.function"), HasSubstr("function.max_read_request: size such as 4KiB; default 512B"));
  EXPECT_THAT(*explain("traffic"), HasSubstr("one of receive, transmit, write, read"));
  EXPECT_FALSE(explain("nic.quues").has_value());
  EXPECT_EQ(nearest_topic("nic.quues"), "nic.queues");
  EXPECT_EQ(nearest_topic("gpuu"), "gpu");
  EXPECT_EQ(nearest_topic("iommu.walker"), "iommu.walkers") << "explain takes names without their device too";
  EXPECT_EQ(nearest_topic("wakers"), "walkers");
}

TEST(List, NamesEveryKind) {
  std::vector<std::string> names;
  for (const auto& kind : device_kinds()) names.push_back(kind.name);
  EXPECT_THAT(names, testing::IsSupersetOf(
                         {"root_complex", "host_memory", "host_cpu", "pcie_switch", "nic", "gpu", "dma_card"}));
  for (const auto& name : names) EXPECT_FALSE(options_of(name).empty()) << name;
}

TEST(Schema, HasABranchForEachKindAndEveryOption) {
  const auto schema = nlohmann::json::parse(schema_json());
  EXPECT_EQ(schema["$schema"], "http://json-schema.org/draft-07/schema#");
  const auto& branches = schema["properties"]["devices"]["additionalProperties"]["allOf"];
  ASSERT_EQ(branches.size(), device_kinds().size());
  for (const auto& branch : branches) {
    const std::string kind = branch["if"]["properties"]["kind"]["const"];
    EXPECT_EQ(branch["if"]["required"], nlohmann::json::array({"kind"}));
    for (const auto& option : options_of(kind)) {
      const auto top = option.key.substr(0, option.key.find('.'));
      EXPECT_TRUE(branch["then"]["properties"].contains(top)) << kind << "." << top;
    }
  }
  for (const std::string section : {"traffic", "events"}) {  // each key is of one kind at least
    const auto& entry = schema["properties"][section]["items"];
    for (const auto& [key, option] : entry["properties"].items()) {
      std::size_t forbidden = 0;
      for (const auto& branch : entry["allOf"]) forbidden += branch["then"]["properties"].contains(key) ? 1 : 0;
      EXPECT_LT(forbidden, entry["allOf"].size()) << section << "." << key;
    }
  }
  const auto& receive = schema["properties"]["traffic"]["items"]["allOf"][0];
  EXPECT_EQ(receive["if"]["properties"]["kind"]["const"], "receive");
  EXPECT_FALSE(receive["if"].contains("required")) << "an entry without kind receives";
  EXPECT_EQ(receive["then"]["properties"]["window"], false);
  EXPECT_FALSE(receive["then"]["properties"].contains("bytes"));
  const auto& width = schema["properties"]["links"]["items"]["properties"]["width"];
  EXPECT_EQ(width["type"], "integer");
  EXPECT_EQ(width["maximum"], 16);
  EXPECT_EQ(width["default"], 16);
}

}  // namespace
}  // namespace peerpath::scenario
