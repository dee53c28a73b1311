#include "sheaf/extend/checked.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "base/text.h"
#include "core/column_gatherer.h"

namespace sheaf {
namespace {

/// Part of a decoded chunk: `count` sequences from number `first` on. In the index, these have the
/// numbers from `first_of_index` on.
struct DecodedPart {
  const Chunk& chunk;
  ChunkIndex index;
  std::int64_t first;
  std::int64_t first_of_index;
  std::int64_t count;
};

std::int64_t index_at(const Stream& stream, const std::byte* indices, std::int64_t i) {
  if (stream.index_type == ElementType::i64) {
    std::int64_t index = 0;
    std::memcpy(&index, indices + i * 8, sizeof(index));
    return index;
  }
  std::int32_t index = 0;
  std::memcpy(&index, indices + i * 4, sizeof(index));
  return index;
}

/// Copies a chunk without its keys. The sink takes the chunk, and the copy is checked later.
std::shared_ptr<const Chunk> copy_of(const Chunk& chunk, std::span<const Stream> streams) {
  std::vector<Column> columns;
  const std::int64_t count = chunk.sequence_count();
  for (std::int64_t s = 0; s < chunk.stream_count(); ++s) {
    internal::ColumnGatherer gatherer(streams[static_cast<std::size_t>(s)]);
    for (std::int64_t i = 0; i < count; ++i) gatherer.count(chunk.view(s, i));
    gatherer.reserve(count);
    for (std::int64_t i = 0; i < count; ++i) gatherer.add(chunk.view(s, i));
    columns.push_back(gatherer.finish());
  }
  const std::span<const std::int64_t> holes = chunk.holes();
  return std::make_shared<const Chunk>(streams.first(columns.size()), count, std::move(columns),
                                       std::vector(holes.begin(), holes.end()));
}

class CheckedData final : public Deserializer {
 public:
  explicit CheckedData(std::shared_ptr<const Deserializer> data) : data_(std::move(data)) {}

  [[nodiscard]] std::span<const Stream> streams() const noexcept override {
    return data_->streams();
  }
  [[nodiscard]] const Index& index() const noexcept override { return data_->index(); }
  [[nodiscard]] std::string fingerprint() const override { return data_->fingerprint(); }
  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return data_->has_fast_random_access();
  }
  [[nodiscard]] Diagnostic location_of(ChunkIndex chunk, std::int64_t sequence,
                                       std::int64_t stream) const override {
    return data_->location_of(chunk, sequence, stream);
  }
  void visit_named_files(const std::function<void(const std::string& path)>& visit) const override {
    data_->visit_named_files(visit);
  }
  [[nodiscard]] std::vector<StorageNote> storage() const override { return data_->storage(); }
  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return data_->warnings(); }

  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override {
    Chunk chunk = data_->read(range, diagnostics);
    const std::int64_t wanted = range.count == ChunkRange::kAll
                                    ? index().sequences(range.chunk)->size() - range.first
                                    : range.count;
    if (chunk.sequence_count() != wanted) {
      throw broken(range.chunk, formatted("{} sequences were asked for, {} came", wanted,
                                          chunk.sequence_count()));
    }
    check({chunk, range.chunk, 0, range.first, wanted});
    check_costs(range.chunk);
    return chunk;
  }

  void build_index(Executor& executor, DecodedSink* sink) const override {
    CheckingSink checking(*this, sink);
    data_->build_index(executor, sink != nullptr ? &checking : nullptr);
  }

 private:
  /// Checks the chunks that a sink gets.
  class CheckingSink final : public DecodedSink {
   public:
    CheckingSink(const CheckedData& data, DecodedSink* sink) : data_(data), sink_(sink) {}

    [[nodiscard]] std::int64_t chunk_count_max() const noexcept override {
      return sink_->chunk_count_max();
    }
    [[nodiscard]] Kept keep(Chunk decoded) override {
      std::shared_ptr<const Chunk> copy = copy_of(decoded, data_.streams());
      return std::make_shared<const Checked>(std::move(copy), sink_->keep(std::move(decoded)));
    }
    void add(const ChunkRange& range, Kept kept, std::int64_t first) override {
      if (kept == nullptr) {
        sink_->add(range, nullptr, first);
        return;
      }
      const auto& checked = *std::static_pointer_cast<const Checked>(kept);
      data_.check({*checked.decoded, range.chunk, first, range.first, range.count});
      sink_->add(range, checked.kept, first);
    }
    void found(const ChunkInfo& chunk) override { sink_->found(chunk); }

   private:
    /// A chunk that waits for its check, which needs the complete index.
    struct Checked {
      Checked(std::shared_ptr<const Chunk> checked, Kept checked_kept) noexcept
          : decoded(std::move(checked)), kept(std::move(checked_kept)) {}

      std::shared_ptr<const Chunk> decoded;
      Kept kept;
    };

    const CheckedData& data_;
    DecodedSink* sink_;
  };

  [[nodiscard]] static InternalError broken(ChunkIndex chunk, const std::string& promise) {
    return InternalError(
        formatted("Deserializer::read of chunk {}: {}", static_cast<std::int64_t>(chunk), promise));
  }

  void check(const DecodedPart& part) const {
    if (part.chunk.stream_count() != std::ssize(streams())) {
      throw broken(part.index, formatted("streams() has {} streams, the chunk has {}",
                                         streams().size(), part.chunk.stream_count()));
    }
    const auto table = index().sequences(part.index);
    for (std::int64_t i = 0; i < part.count; ++i) {
      if (part.chunk.is_hole(part.first + i)) continue;
      check_length(part, i, table->sample_count(part.first_of_index + i));
      check_indices(part, i);
    }
  }

  void check_costs(ChunkIndex chunk) const {
    const std::optional<SampleCounts> costs = index().costs(chunk);
    const std::string name = index().cost_measure().name;
    if (costs.has_value() == name.empty()) {
      throw broken(chunk, formatted("cost_measure() is named {}, and there are {}costs",
                                    quoted(std::string_view(name)), costs ? "" : "no "));
    }
    if (!costs) return;
    const std::int64_t size = index().sequences(chunk)->size();
    if (costs->size() != size) {
      throw broken(chunk, formatted("{} sequences have {} costs", size, costs->size()));
    }
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t cost = (*costs)[i];
      if (cost < 0 || __builtin_add_overflow(sum, cost, &sum)) {
        throw broken(chunk,
                     formatted("the cost {} of sequence {} is negative or too large", cost, i));
      }
    }
    if (const std::int64_t said = index().chunk_cost(chunk); said != sum) {
      throw broken(chunk,
                   formatted("chunk_cost() is {}, and the costs are {} together", said, sum));
    }
  }

  void check_length(const DecodedPart& part, std::int64_t i, std::int64_t indexed) const {
    std::int64_t length = 0;
    for (std::int64_t s = 0; s < part.chunk.stream_count(); ++s) {
      const std::int64_t samples = part.chunk.view(s, part.first + i).sample_count;
      if (streams()[static_cast<std::size_t>(s)].defines_minibatch_size) {
        length = samples;
        break;
      }
      length = std::max(length, samples);
    }
    if (length == indexed) return;
    throw broken(part.index, formatted("sequence {} has {} samples, and {} in the index",
                                       part.first_of_index + i, length, indexed));
  }

  void check_indices(const DecodedPart& part, std::int64_t i) const {
    for (std::int64_t s = 0; s < part.chunk.stream_count(); ++s) {
      const Stream& stream = streams()[static_cast<std::size_t>(s)];
      if (stream.storage != Storage::sparse || !stream.sample_shape.is_fixed()) continue;
      const std::int64_t dim = stream.sample_shape.size();
      const SequenceView view = part.chunk.view(s, part.first + i);
      for (std::int64_t value = 0; value < view.value_count; ++value) {
        const std::int64_t found = index_at(stream, view.indices, value);
        if (found >= 0 && found < dim) continue;
        throw broken(
            part.index,
            formatted("sequence {} has the index {} in stream {}, whose dim is {}",
                      part.first_of_index + i, found, quoted(std::string_view(stream.name)), dim));
      }
    }
  }

  std::shared_ptr<const Deserializer> data_;
};

}  // namespace

std::shared_ptr<const Deserializer> checked(std::shared_ptr<const Deserializer> data) {
  return std::make_shared<const CheckedData>(std::move(data));
}

}  // namespace sheaf
