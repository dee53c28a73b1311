#include "io/read_sources.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

#include "support/error_of.h"
#include "support/interrupting.h"
#include "support/latent_files.h"

namespace sheaf::internal {
namespace {

using testing::Interrupted;
using testing::Interrupting;
using testing::LatentClock;
using testing::LatentSource;

constexpr std::int64_t kLatency = LatentClock::kLatency;

/// Sources of two bytes each. A read requests both bytes of each source separately.
struct Reads {
  void add(std::int64_t latency, bool is_latent = true) {
    const std::string name = std::to_string(sources.size());
    const auto bytes = memory_source(name + "x", name);
    into.emplace_back("??");
    const std::span<std::byte> span = std::as_writable_bytes(std::span(into.back()));
    requests.push_back(
        {{.offset = 1, .into = span.subspan(1)}, {.offset = 0, .into = span.first(1)}});
    if (!is_latent) {
      sources.push_back({.source = bytes.get(), .requests = requests.back()});
      plain.push_back(bytes);
      return;
    }
    latent.push_back(std::make_shared<LatentSource>(bytes, clock, latency));
    sources.push_back({.source = latent.back().get(), .requests = requests.back()});
  }

  LatentClock clock;
  std::deque<std::string> into;
  std::deque<std::vector<ByteSource::Request>> requests;
  std::vector<std::shared_ptr<LatentSource>> latent;
  std::vector<std::shared_ptr<const ByteSource>> plain;
  std::vector<SourceRequests> sources;
};

TEST(ReadSources, ManyReadsRunConcurrently) {
  Reads reads;
  for (int i = 0; i < 9; ++i) reads.add(kLatency);
  read_sources(reads.sources);
  EXPECT_EQ(reads.clock.in_flight_max, 9);
  EXPECT_EQ(reads.clock.in_flight, 0);
  EXPECT_EQ(reads.clock.now, kLatency) << "as long as one of them";
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(reads.into[i], std::to_string(i) + "x");
}

TEST(ReadSources, SynchronousSourcesAreReadToo) {
  Reads reads;
  reads.add(0, false);
  reads.add(kLatency);
  reads.add(0, false);
  read_sources(reads.sources);
  EXPECT_EQ(reads.into, (std::deque<std::string>{"0x", "1x", "2x"}));
  read_sources({});
}

// Regardless of which read ends first.
TEST(ReadSources, TheErrorOfTheFirstSourceIsThrown) {
  const std::vector<std::vector<std::int64_t>> latencies = {
      {kLatency, kLatency, kLatency}, {9, 5, 1}, {1, 5, 9}, {5, 9, 1}};
  for (const std::vector<std::int64_t>& each : latencies) {
    Reads reads;
    for (const std::int64_t latency : each) reads.add(latency);
    reads.latent[1]->fail();
    reads.latent[2]->fail();
    EXPECT_EQ(testing::error_of<IoError>([&] { read_sources(reads.sources); }),
              "1: is not reached");
    const std::vector<std::exception_ptr> errors = try_read_sources(reads.sources);
    ASSERT_EQ(errors.size(), 3U);
    EXPECT_EQ(errors[0], nullptr);
    EXPECT_NE(errors[1], nullptr);
    EXPECT_EQ(testing::error_of<IoError>([&] { std::rethrow_exception(errors[2]); }),
              "2: is not reached");
    EXPECT_EQ(reads.into[0], "0x");
    EXPECT_EQ(reads.clock.in_flight, 0);
  }
}

TEST(ReadSources, AnInterruptionEndsRunningReads) {
  for (std::int64_t n = 1;; ++n) {
    Reads reads;
    for (int i = 0; i < 3; ++i) reads.add(kLatency);
    Interrupting interruption(n);
    const InterruptionScope scope(interruption);
    bool is_interrupted = false;
    try {
      read_sources(reads.sources);
    } catch (const Interrupted&) {
      is_interrupted = true;
    }
    EXPECT_EQ(is_interrupted, interruption.has_thrown()) << n;
    EXPECT_EQ(reads.clock.in_flight, 0) << n;
    if (!is_interrupted) break;
    ASSERT_LT(n, 100);
  }
}

}  // namespace
}  // namespace sheaf::internal
