// sheaf_minibatch_costs [ORDER [PACKING [REPEATS]]]: measures the time between decoded data and the
// caller: plan, fetch, pack and hand-over, on one thread. The data lie in memory and need no
// decoding. For each order and packing, prints the processor time in nanoseconds of a minibatch of
// 1, 16 and 256 sequences. Also prints the line through the first and the last: the time of a
// minibatch plus the time of each sequence.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/sheaf.h"

namespace {

constexpr std::int64_t kChunks = 8;
constexpr std::int64_t kSequences = 65'536;  // in a chunk
constexpr std::int64_t kBytes = 64;          // size of a sequence, which determines the units

/// Sequences of one sample with one value and one pair. All chunks borrow the same arrays.
class ReadyData final : public sheaf::Deserializer {
 public:
  ReadyData()
      : values_(static_cast<std::size_t>(kSequences), 1.0F),
        indices_(static_cast<std::size_t>(kSequences), 3),
        offsets_(static_cast<std::size_t>(kSequences) + 1) {
    for (std::size_t i = 0; i < offsets_.size(); ++i) offsets_[i] = static_cast<std::int64_t>(i);
    for (std::int64_t chunk = 0; chunk < kChunks; ++chunk) {
      sheaf::SequenceTable::Builder table;
      for (std::int64_t i = 0; i < kSequences; ++i) {
        table.push_back({.key = {static_cast<std::uint64_t>(chunk * kSequences + i)},
                         .offset_bytes = i * kBytes,
                         .first_line = i,
                         .sample_count = 1});
      }
      index_.add({.size_bytes = kSequences * kBytes, .decoded_size_bytes = kSequences * 32},
                 table.finish());
    }
  }

  [[nodiscard]] std::span<const sheaf::Stream> streams() const noexcept override {
    return streams_;
  }
  [[nodiscard]] const sheaf::Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override { return "ready"; }

  [[nodiscard]] sheaf::Chunk read(const sheaf::ChunkRange& range,
                                  sheaf::Diagnostics& /*diagnostics*/) const override {
    const auto count = static_cast<std::size_t>(range.count);
    std::vector<sheaf::Column> columns(streams_.size());
    columns[0].values = borrow(std::span(values_).first(count));
    columns[1].values = borrow(std::span(values_).first(count));
    columns[1].indices = borrow(std::span(indices_).first(count));
    columns[1].sample_offsets = borrow(std::span(offsets_).first(count + 1));
    return {streams_, range.count, std::move(columns)};
  }

 private:
  template <typename T>
  [[nodiscard]] sheaf::Buffer borrow(std::span<const T> values) const {
    return sheaf::Buffer::borrow(std::as_bytes(values), nullptr);
  }

  std::vector<sheaf::Stream> streams_ = {
      {.name = "x", .sample_shape = {1}},
      {.name = "y", .sample_shape = {10}, .storage = sheaf::Storage::sparse}};
  std::vector<float> values_;
  std::vector<std::int32_t> indices_;
  std::vector<std::int64_t> offsets_;
  sheaf::MemoryIndex index_;
};

/// Returns the processor time in nanoseconds of a minibatch of `size` sequences. Leaves out the
/// first minibatches, which fill the window.
double cost(const std::shared_ptr<const ReadyData>& data, sheaf::OrderAlgorithm algorithm,
            sheaf::Layout packing, std::int64_t size) {
  sheaf::OrderOptions order{.minibatch_size = size,
                            .unit = sheaf::MinibatchUnit::sequences,
                            .sweeps = {},
                            .algorithm = algorithm};
  if (algorithm != sheaf::OrderAlgorithm::file) order.window_chunks = sheaf::kAll;
  const std::shared_ptr<const sheaf::Counts> counts(data, &data->index());
  sheaf::Reader reader(data, sheaf::make_sequencer(counts, order), sheaf::make_packer(packing),
                       {.threads = 1});
  const std::int64_t minibatches = kChunks * kSequences / size / 2;
  for (std::int64_t i = 0; i < minibatches; ++i) static_cast<void>(reader.next());
  const std::clock_t start = std::clock();
  for (std::int64_t i = 0; i < minibatches; ++i) static_cast<void>(reader.next());
  return static_cast<double>(std::clock() - start) * (1e9 / CLOCKS_PER_SEC) /
         static_cast<double>(minibatches);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void run(std::string_view only_order, std::string_view only_packing, int repeats) {
  const auto data = std::make_shared<const ReadyData>();
  std::printf("%-6s %-7s %10s %10s %10s %14s %12s\n", "order", "packing", "1", "16", "256",
              "a minibatch", "a sequence");
  for (const auto algorithm :
       {sheaf::OrderAlgorithm::file, sheaf::OrderAlgorithm::cntk, sheaf::OrderAlgorithm::keyed}) {
    for (const auto packing : {sheaf::Layout::padded, sheaf::Layout::ragged, sheaf::Layout::packed,
                               sheaf::Layout::frames}) {
      const std::string_view order_name = to_string(algorithm);
      const std::string_view packing_name = to_string(packing);
      if (!only_order.empty() && only_order != order_name) continue;
      if (!only_packing.empty() && only_packing != packing_name) continue;
      constexpr std::array<std::int64_t, 3> kSizes = {1, 16, 256};
      std::array<std::vector<double>, kSizes.size()> all;
      for (int repeat = 0; repeat < repeats; ++repeat) {
        for (std::size_t i = 0; i < kSizes.size(); ++i) {
          all[i].push_back(cost(data, algorithm, packing, kSizes[i]));
        }
      }
      const double one = median(all[0]);
      const double most = median(all[2]);
      const double each = (most - one) / 255;
      std::printf("%-6s %-7s %10.0f %10.0f %10.0f %14.0f %12.1f\n", order_name.data(),
                  packing_name.data(), one, median(all[1]), most, one - each, each);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string_view> words(argv + 1, argv + argc);
    const auto word = [&](std::size_t i) { return i < words.size() ? words[i] : ""; };
    run(word(0), word(1), words.size() > 2 ? std::max(1, std::atoi(argv[3])) : 3);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
