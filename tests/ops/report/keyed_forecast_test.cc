#include "ops/report/keyed_forecast.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/order_report.h"
#include "sheaf/mixture.h"
#include "sheaf/open.h"
#include "sheaf/order.h"
#include "sheaf/report.h"

#include "ops/report/report_data.h"
#include "support/error_of.h"
#include "support/fake_deserializer.h"

namespace sheaf::internal {
namespace {

class KeyedForecast : public ::testing::Test, protected testing::ReportData {
 protected:
  static std::string sequences(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += std::to_string(i) + " |x " + std::to_string(i) + ".5\n";
    return text;
  }

  [[nodiscard]] Json forecast_of_chunks(const std::string& text, std::int64_t chunk_size_bytes) {
    write("in.ctf", text);
    FilesSpec spec{.files = {"in.ctf"}};
    spec.format.chunk_size_bytes = chunk_size_bytes;
    const DataReport report =
        sheaf::report(DataSpec{.content = spec}, "in.ctf", {}, {.files = &files()});
    return Json::parse(report.json)["order"]["keyed"];
  }
};

TEST_F(KeyedForecast, DataWithinTheWindowMixLikeAFullShuffle) {
  const Json keyed = forecast_of_chunks(sequences(20'000), 10'000);
  EXPECT_EQ(keyed["minibatch_sequences"], 256);
  EXPECT_EQ(keyed["window_chunks"], (std::int64_t{4} << 30) / 10'000);
  ASSERT_EQ(keyed["workers"].size(), 3U);
  const Json& one = keyed["workers"][0];
  EXPECT_EQ(one["workers"], 1);
  EXPECT_LT(one["noise"].get<double>(), 1.3);
  EXPECT_GT(one["chunks"].get<double>(), 10);
  EXPECT_EQ(one["excess"], 0);
  EXPECT_GT(one["held_bytes"].get<std::int64_t>(), 0);
}

TEST_F(KeyedForecast, AWindowOfAPartOfTheDataMixesLess) {
  write("in.ctf", sequences(5'000));
  FilesSpec spec{.files = {"in.ctf"}};
  spec.format.chunk_size_bytes = 1'000;  // about 70 chunks
  OpenedData data = sheaf::open(DataSpec{.content = spec}, {.files = &files()});
  const auto one_worker = [&](std::int64_t window_chunks) {
    data.window_chunks = window_chunks;
    const DataReport report = sheaf::report(data, "in.ctf");
    return Json::parse(report.json)["order"]["keyed"]["workers"][0];
  };
  const Json few = one_worker(2);
  EXPECT_GT(few["noise"].get<double>(), 2 * one_worker(kAll)["noise"].get<double>());
  EXPECT_LT(few["held_share"].get<double>(), 0.1);
  EXPECT_EQ(one_worker(kAll)["held_share"], 1);
}

TEST_F(KeyedForecast, ManyWorkersShareAMinibatch) {
  const Json workers = forecast_of_chunks(sequences(5'000), 1'000)["workers"];
  EXPECT_EQ(workers[1]["workers"], 8);
  EXPECT_EQ(workers[2]["workers"], 64);
  EXPECT_LT(workers[2]["held_bytes"].get<std::int64_t>(),
            workers[0]["held_bytes"].get<std::int64_t>());
}

// Returns reports on `count` sequences of one chunk.
//
// Each sequence is a unit of the order. Planning n such units costs as much as planning 4 n
// sequences before the first step. A step of m sequences then costs 5 m.
std::vector<OrderReport> reports_on(std::size_t count) {
  testing::FakeData data;
  data.lengths = {std::vector<std::int64_t>(count, 1)};
  data.sample_size_bytes = 1;
  return keyed_reports({.data = std::make_shared<testing::FakeDeserializer>(data)});
}

// With n sequences, the plan has room for (50,000 - 4 n) / (5 n) steps of all sequences.
TEST(KeyedReports, PlanAtMost100Steps) {
  EXPECT_EQ(reports_on(98)[0].steps, 100);  // room for 101
  EXPECT_EQ(reports_on(99)[0].steps, 100);  // room for 100
  EXPECT_EQ(reports_on(100)[0].steps, 99);  // room for 99
}

// 38 steps of up to 256 sequences cost 38 * 5 * 256 = 48,640.
TEST(KeyedReports, PlanAtMost50000Sequences) {
  EXPECT_EQ(reports_on(339)[0].steps, 38);  // 48,640 + 4 * 339 = 49,996
  EXPECT_EQ(reports_on(340)[0].steps, 38);  // 50,000
  EXPECT_EQ(reports_on(341)[0].steps, 37);  // 50,004
}

TEST(KeyedReports, WorkersShareThePlannedSequences) {
  const std::vector<OrderReport> reports = reports_on(98);
  ASSERT_EQ(reports.size(), 3U);
  EXPECT_EQ(reports[1].steps, 11);  // of 8 workers: (50,000 / 8 - 392) / 490, rounded down
}

TEST(WorkerForecast, ASmallShareOfLargeDataIsAboveZero) {
  const OrderReport report{.samples = 3'000'000, .held_samples = 300};
  EXPECT_EQ(worker_forecast(report, 64)["held_share"], 0.0001);
  EXPECT_FALSE(worker_forecast({}, 64).contains("held_share"));  // no samples, no share
}

TEST_F(KeyedForecast, AMinibatchOfAllSequencesHasNoNoise) {
  const Json one = forecast_of_chunks(sequences(3), 1'000)["workers"][0];
  EXPECT_FALSE(one.contains("noise"));
  EXPECT_EQ(one["chunks"], 1);
}

TEST_F(KeyedForecast, EmptyDataHaveNoForecast) {
  EXPECT_FALSE(json_of("0 |x z\n")["order"].contains("keyed"));
}

TEST_F(KeyedForecast, AMixtureWhoseWeightsTheOrderRefusesHasNone) {
  write("few.ctf", "0 |x 1\n1 |x 2\n");
  write("many.ctf", "10 |x 1\n11 |x 2\n12 |x 3\n13 |x 4\n14 |x 5\n");
  const auto order_of_mixture = [&](Exhausted exhausted) {
    const MixtureSpec mixture{.members = {files_spec("few.ctf"), files_spec("many.ctf")},
                              .options = {.weights = {1, 1}, .exhausted = exhausted}};
    const DataReport report =
        sheaf::report(DataSpec{.content = mixture}, "mixture", {}, {.files = &files()});
    return Json::parse(report.json)["order"];
  };
  EXPECT_FALSE(order_of_mixture(Exhausted::error).contains("keyed"));
  EXPECT_TRUE(order_of_mixture(Exhausted::repeat).contains("keyed"));
}

TEST_F(KeyedForecast, OtherErrorsPropagate) {
  write("in.ctf", sequences(3));
  OpenedData data = sheaf::open(files_spec("in.ctf"), {.files = &files()});
  data.window_chunks = 0;
  EXPECT_EQ(
      testing::error_of<ConfigError>([&] { static_cast<void>(sheaf::report(data, "in.ctf")); }),
      "window_chunks must be at least 1: got 0");
}

}  // namespace
}  // namespace sheaf::internal
