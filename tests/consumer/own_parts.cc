// Builds a reader by hand from components of the program: a format, an order and a packer. Also
// uses a packer without a reader, to pack delivered minibatches again.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/sheaf.h"

#include "check.h"
#include "lines_deserializer.h"

namespace {

using Values = std::vector<double>;

constexpr std::string_view kText = "1,2,3\n4\n5,6\n7,8,9,10\n11";

/// Delivers all sequences once, in reverse order, one in each minibatch.
class ReverseSequencer final : public sheaf::Sequencer {
 public:
  explicit ReverseSequencer(const sheaf::Counts& counts) {
    for (sheaf::ChunkIndex chunk{}; counts.chunk_counts(chunk); chunk = next(chunk)) {
      const sheaf::SampleCounts samples = counts.sample_counts(chunk);
      for (std::int64_t i = 0; i < samples.size(); ++i) order_.push_back({{chunk, i}, samples[i]});
    }
    std::ranges::reverse(order_);
  }

  [[nodiscard]] std::string_view algorithm() const noexcept override { return "reverse"; }
  [[nodiscard]] std::map<std::string, std::string> options() const override { return {}; }

  [[nodiscard]] std::optional<sheaf::Step> step(const sheaf::Place& from,
                                                sheaf::OrderCursor& /*cursor*/,
                                                const sheaf::StepRoom& /*room*/) const override {
    if (from.sweep > 0) return std::nullopt;
    const auto& [ref, samples] = order_.at(static_cast<std::size_t>(from.sequence));
    const bool is_last = from.sequence + 1 == std::ssize(order_);
    sheaf::Step step;
    step.sequences = {ref};
    step.sample_count = samples;
    step.ends_sweep = is_last;
    step.next = is_last
                    ? sheaf::Place{.sweep = 1}
                    : sheaf::Place{.sequence = from.sequence + 1, .sample = from.sample + samples};
    if (ref.sequence == 0) step.passed = {{ref.chunk}};
    return step;
  }

 private:
  std::vector<std::pair<sheaf::SequenceRef, std::int64_t>> order_;
};

/// Packs the first sample of every sequence.
class FirstSamplePacker final : public sheaf::Packer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "first-sample"; }

  void check(std::span<const sheaf::Stream> streams) const override {
    for (const sheaf::Stream& stream : streams) {
      if (stream.storage == sheaf::Storage::dense && stream.sample_shape.is_fixed()) continue;
      throw sheaf::ConfigError(to_string(stream) + ": first-sample takes dense streams");
    }
  }

  [[nodiscard]] sheaf::Minibatch pack(const sheaf::SequenceList& sequences,
                                      std::pmr::memory_resource& memory) const override {
    const std::vector<sheaf::Stream>& streams = *sequences.streams();
    std::vector<sheaf::StreamBatch> batches;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      const std::int64_t size =
          streams[i].sample_shape.size() * sheaf::element_size(streams[i].element_type);
      sheaf::StreamBatch batch{.layout = sheaf::Layout::padded,
                               .sequence_count = sequences.size(),
                               .sample_count = sequences.size(),
                               .sample_count_max = 1};
      batch.values = sheaf::Buffer(memory);
      for (const sheaf::SequenceView& view : sequences.views(static_cast<std::int64_t>(i))) {
        for (std::int64_t k = 0; k < size; ++k) batch.values.push_back(view.values[k]);
        batch.lengths.push_back(std::int64_t{1});
        batch.mask.push_back(std::uint8_t{1});
      }
      batches.push_back(std::move(batch));
    }
    const std::span<const sheaf::SequenceKey> keys = sequences.keys();
    return {sequences.streams(), std::move(batches), {keys.begin(), keys.end()}};
  }
};

std::shared_ptr<const sheaf::Deserializer> lines(std::string_view text = kText) {
  return std::make_shared<LinesDeserializer>(std::string(text), 2);
}

/// Returns the index of a deserializer. The index keeps the deserializer alive.
std::shared_ptr<const sheaf::Counts> counts_of(
    const std::shared_ptr<const sheaf::Deserializer>& d) {
  return {d, &d->index()};
}

std::unique_ptr<sheaf::Sequencer> file_order(const std::shared_ptr<const sheaf::Deserializer>& data,
                                             std::int64_t sequences_each) {
  return std::make_unique<sheaf::LinearSequencer>(
      counts_of(data), sheaf::OrderOptions{.minibatch_size = sequences_each,
                                           .unit = sheaf::MinibatchUnit::sequences});
}

Values values_of(const sheaf::Minibatch& minibatch) {
  const std::span<const double> values = minibatch.batch("value").values.as<double>();
  return {values.begin(), values.end()};
}

std::vector<sheaf::Minibatch> all_of(sheaf::Reader& reader) {
  std::vector<sheaf::Minibatch> result;
  while (std::optional<sheaf::Minibatch> minibatch = reader.next()) {
    result.push_back(*std::move(minibatch));
  }
  return result;
}

void a_format_of_ones_own_reads() {
  const auto data = lines();
  sheaf::Reader reader(data, file_order(data, 3), sheaf::ragged_packer(), {.threads = 2});
  const std::vector<sheaf::Minibatch> minibatches = all_of(reader);
  CHECK(minibatches.size() == 2);
  CHECK(values_of(minibatches[0]) == (Values{1, 2, 3, 4, 5, 6}));
  CHECK(values_of(minibatches[1]) == (Values{7, 8, 9, 10, 11}));
  CHECK(minibatches[0].keys()[2].low == 2);
  CHECK(minibatches[1].ends_sweep && !minibatches[0].ends_sweep);
  const auto offsets = minibatches[0].batch(0).sequence_offsets.as<std::int64_t>();
  CHECK(std::ranges::equal(offsets, std::vector<std::int64_t>{0, 3, 4, 6}));
}

void it_goes_on_at_a_position() {
  const auto data = lines();
  sheaf::Reader reader(data, file_order(data, 2), sheaf::ragged_packer());
  CHECK(reader.next().has_value());
  const std::string stored = to_json(reader.position());

  sheaf::Reader second(data, file_order(data, 2), sheaf::ragged_packer(),
                       {.start = sheaf::position_from_json(stored)});
  CHECK(values_of(second.next().value()) == (Values{5, 6, 7, 8, 9, 10}));
}

void a_bad_line_is_a_counted_hole() {
  const auto data = lines("1,2\n3,x\n4\n");
  sheaf::Reader reader(data, file_order(data, 9), sheaf::ragged_packer(), {.max_errors = 1});
  const sheaf::Minibatch minibatch = reader.next().value();
  CHECK(values_of(minibatch) == (Values{1, 2, 4}));
  CHECK(minibatch.hole_count == 1);
  CHECK(reader.diagnostics().size() == 1);
  CHECK(reader.diagnostics()[0].line == 2 && reader.diagnostics()[0].column == 3);

  sheaf::Reader strict(data, file_order(data, 9), sheaf::ragged_packer());
  bool is_thrown = false;
  try {
    static_cast<void>(strict.next());
  } catch (const sheaf::DataError& error) {
    is_thrown = error.diagnostics().back().code == "lines-number";
  }
  CHECK(is_thrown);
}

void an_order_and_a_packing_of_ones_own() {
  const auto data = lines();
  sheaf::Reader reader(data, std::make_unique<ReverseSequencer>(data->index()),
                       std::make_unique<FirstSamplePacker>());
  Values firsts;
  std::vector<std::uint64_t> keys;
  for (const sheaf::Minibatch& minibatch : all_of(reader)) {
    CHECK(minibatch.batch(0).values.size_bytes() == 8);
    firsts.push_back(values_of(minibatch)[0]);
    keys.push_back(minibatch.keys()[0].low);
  }
  CHECK(firsts == (Values{11, 7, 5, 4, 1}));
  CHECK(keys == (std::vector<std::uint64_t>{4, 3, 2, 1, 0}));
  CHECK(reader.position().run->algorithm == "reverse");
}

// Packs the sequences of all delivered minibatches again, longest first.
void minibatches_are_packed_again_outside_a_reader() {
  const auto data = lines();
  sheaf::Reader reader(data, file_order(data, 2), sheaf::ragged_packer());
  const std::vector<sheaf::Minibatch> delivered = all_of(reader);

  std::vector<std::pair<std::int64_t, std::pair<std::size_t, std::int64_t>>> by_length;
  for (std::size_t m = 0; m < delivered.size(); ++m) {
    for (std::int64_t i = 0; i < delivered[m].sequence_count(); ++i) {
      by_length.push_back({-delivered[m].view(0, i).sample_count, {m, i}});
    }
  }
  std::ranges::stable_sort(by_length);

  const auto streams = std::make_shared<const std::vector<sheaf::Stream>>(reader.streams().begin(),
                                                                          reader.streams().end());
  sheaf::SequenceList longest(streams);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [m, sequence] = by_length[i].second;
    longest.add(delivered[m], sequence);
  }
  const sheaf::Minibatch packed = sheaf::padded_packer()->pack(longest);
  CHECK(values_of(packed) == (Values{7, 8, 9, 10, 1, 2, 3, 0, 5, 6, 0, 0}));
  CHECK(packed.keys()[0].low == 3 && packed.keys()[1].low == 0 && packed.keys()[2].low == 2);
}

}  // namespace

int main() {
  a_format_of_ones_own_reads();
  it_goes_on_at_a_position();
  a_bad_line_is_a_counted_hole();
  an_order_and_a_packing_of_ones_own();
  minibatches_are_packed_again_outside_a_reader();
  std::puts("own parts: all as expected");
}
