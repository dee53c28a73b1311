#include "conformance/read_all.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "sheaf/error.h"

namespace sheaf::conformance {
namespace {

/// Returns a value of up to eight bytes as a number.
std::uint64_t bits_at(const std::byte* values, std::int64_t i, std::int64_t size) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, values + i * size, static_cast<std::size_t>(size));
  return bits;
}

std::int64_t index_at(const Stream& stream, const std::byte* indices, std::int64_t i) {
  if (stream.index_type == ElementType::i32) {
    std::int32_t index = 0;
    std::memcpy(&index, indices + i * std::int64_t{sizeof index}, sizeof index);
    return index;
  }
  std::int64_t index = 0;
  std::memcpy(&index, indices + i * std::int64_t{sizeof index}, sizeof index);
  return index;
}

ReferenceDiagnostic to_reference(const Diagnostic& diagnostic, std::int64_t sequence) {
  return {.sequence = sequence,
          .byte_offset = diagnostic.byte_offset,
          .line = diagnostic.line,
          .column = diagnostic.column,
          .sequence_key = diagnostic.sequence_key,
          .stream = diagnostic.stream,
          .code = diagnostic.code,
          .severity = diagnostic.severity};
}

}  // namespace

ReferenceStream to_reference(const Stream& stream, const SequenceView& view) {
  ReferenceStream result{.is_present = view.is_present, .samples = {}};
  const std::int64_t rank = stream.sample_shape.rank();
  const std::int64_t size = element_size(stream.element_type);
  const std::int64_t first = view.sample_offsets == nullptr ? 0 : view.sample_offsets[0];
  for (std::int64_t s = 0; s < view.sample_count; ++s) {
    ReferenceSample sample;
    if (view.extents != nullptr) {
      sample.extents.assign(view.extents + s * rank, view.extents + (s + 1) * rank);
    }
    std::int64_t begin = s;
    std::int64_t end = s + 1;
    if (view.sample_offsets != nullptr) {
      begin = view.sample_offsets[s] - first;
      end = view.sample_offsets[s + 1] - first;
    } else {
      begin *= stream.sample_shape.size();
      end *= stream.sample_shape.size();
    }
    if (view.extents == nullptr && !stream.sample_shape.is_fixed()) {
      sample.extents = {end - begin};  // of a value of bytes, the extent is their number
    }
    for (std::int64_t i = begin; i < end; ++i) {
      sample.values.push_back(bits_at(view.values, i, size));
      if (view.indices != nullptr) sample.indices.push_back(index_at(stream, view.indices, i));
    }
    result.samples.push_back(std::move(sample));
  }
  return result;
}

std::vector<ReferenceSequence> to_reference(const Minibatch& minibatch) {
  std::vector<ReferenceSequence> sequences;
  for (std::int64_t i = 0; i < minibatch.sequence_count(); ++i) {
    ReferenceSequence sequence;
    sequence.key = minibatch.keys()[static_cast<std::size_t>(i)];
    if (!minibatch.key_texts().empty()) {
      sequence.key_text = minibatch.key_texts()[static_cast<std::size_t>(i)];
    }
    for (std::int64_t s = 0; s < std::ssize(minibatch.streams()); ++s) {
      sequence.streams.push_back(
          to_reference(minibatch.streams()[static_cast<std::size_t>(s)], minibatch.view(s, i)));
    }
    sequences.push_back(std::move(sequence));
  }
  return sequences;
}

namespace {

/// Returns `count` sequences of a range. In `chunk`, they begin at number `from`.
std::vector<ReferenceSequence> sequences_of(const Deserializer& deserializer,
                                            const ChunkRange& range, const Chunk& chunk,
                                            std::int64_t from, std::int64_t count) {
  const std::optional<ChunkInfo> info = deserializer.index().chunk(range.chunk);
  const auto table = deserializer.index().sequences(range.chunk);
  std::vector<ReferenceSequence> sequences;
  for (std::int64_t i = from; i < from + count; ++i) {
    const std::int64_t number = range.first + i - from;
    ReferenceSequence sequence;
    sequence.key = table->key(number);
    sequence.key_text = chunk.key_text(i);
    sequence.first_line = info->first_line == 0 ? 0 : info->first_line + table->first_line(number);
    sequence.sample_count = table->sample_count(number);
    sequence.is_hole = chunk.is_hole(i);
    for (std::int64_t s = 0; s < chunk.stream_count(); ++s) {
      sequence.streams.push_back(conformance::to_reference(
          deserializer.streams()[static_cast<std::size_t>(s)], chunk.view(s, i)));
    }
    sequences.push_back(std::move(sequence));
  }
  return sequences;
}

}  // namespace

RangeResult read_range(const Deserializer& deserializer, const ChunkRange& range) {
  constexpr std::int64_t kKeepAll = std::int64_t{1} << 40;
  Diagnostics diagnostics(kKeepAll);
  const Chunk chunk = deserializer.read(range, diagnostics);
  RangeResult result;
  result.sequences = sequences_of(deserializer, range, chunk, 0, chunk.sequence_count());
  for (const Diagnostics::Entry& entry : diagnostics.entries()) {
    const auto described = static_cast<std::size_t>(entry.description);
    result.diagnostics.push_back(to_reference(diagnostics.described()[described], entry.sequence));
  }
  return result;
}

std::vector<DecodedRange> build_index(const Deserializer& deserializer, Executor& executor,
                                      std::int64_t chunk_count_max) {
  class Sink final : public DecodedSink {
   public:
    explicit Sink(std::int64_t chunk_count_max) : chunk_count_max_(chunk_count_max) {}

    [[nodiscard]] std::int64_t chunk_count_max() const noexcept override {
      return chunk_count_max_;
    }
    void add(const ChunkRange& range, Kept kept, std::int64_t first) override {
      ranges.push_back({range, std::static_pointer_cast<const Chunk>(std::move(kept)), first});
    }

    std::vector<DecodedRange> ranges;

   private:
    std::int64_t chunk_count_max_;
  };

  Sink sink(chunk_count_max);
  deserializer.build_index(executor, &sink);
  return std::move(sink.ranges);
}

RangeResult decoded_range(const Deserializer& deserializer, const DecodedRange& range) {
  RangeResult result;
  result.sequences =
      sequences_of(deserializer, range.range, *range.chunk, range.first, range.range.count);
  return result;
}

ReferenceResult read_all(const Deserializer& deserializer) {
  ReferenceResult result;
  for (ChunkIndex chunk{}; deserializer.index().chunk(chunk); chunk = next(chunk)) {
    const std::int64_t first = std::ssize(result.sequences);
    RangeResult part = read_range(deserializer, {.chunk = chunk});
    std::ranges::move(part.sequences, std::back_inserter(result.sequences));
    for (ReferenceDiagnostic& diagnostic : part.diagnostics) {
      diagnostic.sequence += first;
      result.diagnostics.push_back(std::move(diagnostic));
    }
  }
  std::sort(result.diagnostics.begin(), result.diagnostics.end());
  return result;
}

ReferenceResult read_all(const Format& format, std::shared_ptr<const ByteSource> source,
                         const FormatOptions& options) {
  return read_all(format, OpenRequest{.source = std::move(source), .options = options});
}

ReferenceResult read_all(const Format& format, const OpenRequest& request) {
  try {
    return read_all(*format.open(request));
  } catch (const DataError& error) {
    ReferenceResult result;
    result.fatal = to_reference(error.diagnostics().back(), 0);
    result.fatal->severity = Severity::error;  // the field `fatal` says it already
    return result;
  }
}

ReferenceResult read_all(const Format& format, std::string bytes, const FormatOptions& options) {
  return read_all(format, memory_source(std::move(bytes), std::string(kMemoryName)), options);
}

}  // namespace sheaf::conformance
