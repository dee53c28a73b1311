// A range holds consecutive frames with the same label. Times count in 100 ns. Readers recognise
// that for every range, because no range is shorter than a frame.

#include "format/mlf/mlf_serializer.h"

#include <cstddef>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/buffer.h"
#include "sheaf/extend/file_system.h"

#include "base/text.h"
#include "base/unaligned.h"
#include "core/element_cast.h"
#include "format/mlf/mlf_errors.h"
#include "format/writing.h"

namespace sheaf::mlf {
namespace {

constexpr std::string_view kNotInKeys("\"*?\n\r\0", 6);
constexpr std::string_view kNotInStates(" \t\r\0", 4);

// Returns the single stream of labels.
Stream label_stream(std::span<const Stream> streams) {
  const Stream& stream = internal::only_stream("mlf", streams);
  const bool is_sparse = stream.storage == Storage::sparse;
  const bool is_one_value = stream.sample_shape.is_fixed() && stream.sample_shape.size() == 1;
  if (stream.element_type == ElementType::bytes || (!is_sparse && !is_one_value)) {
    throw ConfigError(
        formatted("stream {}: labels are one-hot sparse samples, or dense ids of shape [1], not {}",
                  quoted(std::string_view(stream.name)), to_string(stream)));
  }
  return stream;
}

std::optional<States> states_of(const WriteOptions& options, FileSystem* files) {
  if (options.states_path.empty()) return std::nullopt;
  return States(*(files != nullptr ? *files : system_files()).open(options.states_path));
}

/// Returns the values as whole numbers. `wrong` is the first value that is not whole.
std::vector<std::int64_t> whole_numbers(const Stream& stream, const SequenceView& view,
                                        std::int64_t& wrong) {
  const std::int64_t count = view.value_count;
  wrong = internal::first_lost(stream.element_type, view.values, ElementType::i64, count);
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  internal::cast_elements(stream.element_type, view.values, ElementType::i64,
                          std::as_writable_bytes(std::span(numbers)).data(), count);
  return numbers;
}

}  // namespace

/// The text of some utterances.
class MlfSerializer::Block final : public Serializer::Block {
 public:
  Block(Buffer bytes, std::vector<SequenceKey> of_texts)
      : text(std::move(bytes)), keys(std::move(of_texts)) {}

  [[nodiscard]] std::int64_t memory_bytes() const noexcept override {
    return text.capacity_bytes() + static_cast<std::int64_t>(keys.capacity() * sizeof(SequenceKey));
  }

  const Buffer text;
  const std::vector<SequenceKey> keys;  // of their texts, because keys are read back as texts
};

MlfSerializer::MlfSerializer(CreateRequest request, std::int64_t frames_max)
    : sink_(std::move(request.sink)),
      stream_(label_stream(request.streams)),
      options_(write_options_of(request.options)),
      states_(states_of(options_, request.files)),
      frames_max_(frames_max) {
  const std::string_view mark = "#!MLF!#\n";
  sink_->write(std::as_bytes(std::span(mark)));
}

// Returns the key. Quotes must be able to hold it, and reading must not change it.
std::string MlfSerializer::key_of(const SequenceBatch& batch, std::size_t n) const {
  std::string key = internal::written_key(sink_->name(), batch, n, kWrittenKey.code);
  if (key.empty() || key.find_first_of(kNotInKeys) != std::string::npos) {
    fail(key, kWrittenKey, quoted(key));
  }
  return key;
}

std::vector<std::int64_t> MlfSerializer::dense_ids(const SequenceView& view,
                                                   std::string_view key) const {
  std::int64_t wrong = 0;
  std::vector<std::int64_t> ids = whole_numbers(stream_, view, wrong);
  if (wrong < view.value_count) {
    fail(key, kWrittenId, formatted("another number at frame {}", wrong));
  }
  return ids;
}

std::vector<std::int64_t> MlfSerializer::one_hot_ids(const SequenceView& view,
                                                     std::string_view key) const {
  for (std::int64_t t = 0; t < view.sample_count; ++t) {
    const std::int64_t count = view.sample_offsets[t + 1] - view.sample_offsets[t];
    if (count != 1) fail(key, kOneHot, formatted("{} at frame {}", count, t));
  }
  std::int64_t wrong = 0;
  const std::vector<std::int64_t> values = whole_numbers(stream_, view, wrong);
  std::vector<std::int64_t> ids;
  ids.reserve(values.size());
  for (std::int64_t t = 0; t < std::ssize(values); ++t) {
    if (t == wrong || values[static_cast<std::size_t>(t)] != 1) {
      fail(key, kOneHot, formatted("another value at frame {}", t));
    }
    ids.push_back(stream_.index_type == ElementType::i64
                      ? internal::load<std::int64_t>(view.indices, t)
                      : internal::load<std::int32_t>(view.indices, t));
  }
  return ids;
}

std::vector<std::int64_t> MlfSerializer::ids_of(const SequenceView& view,
                                                std::string_view key) const {
  if (!view.is_present) fail(key, kEmpty, "none: the stream is absent");
  if (view.sample_count == 0) fail(key, kEmpty, "none");
  if (view.sample_count > frames_max_) {
    fail(key, kWrittenFrames, formatted("{}", view.sample_count));
  }
  return stream_.storage == Storage::sparse ? one_hot_ids(view, key) : dense_ids(view, key);
}

// Returns the column of the state. Without a state list, returns two columns, of which readers take
// the second.
std::string MlfSerializer::label_of(std::int64_t id, std::int64_t frame,
                                    std::string_view key) const {
  const std::int64_t count = states_ ? states_->size() : kIdCount;
  if (id < 0 || id >= count) {
    fail(key, states_ ? kWrittenState : kWrittenId, formatted("{} at frame {}", id, frame));
  }
  if (!states_) return formatted("{0} {0}", id);
  const std::string& name = states_->name(id);
  if (name.find_first_of(kNotInStates) != std::string::npos) {
    fail(key, kWrittenName, formatted("{} at frame {}", quoted(std::string_view(name)), frame));
  }
  return name;
}

void MlfSerializer::write_ranges(std::span<const std::int64_t> ids, std::string_view key,
                                 internal::TextBuffer& text) const {
  std::int64_t first = 0;
  for (std::int64_t t = 1; t <= std::ssize(ids); ++t) {
    const std::int64_t id = ids[static_cast<std::size_t>(first)];
    if (t < std::ssize(ids) && ids[static_cast<std::size_t>(t)] == id) continue;
    text.append(formatted("{} {} {}\n", first * options_.frame_period, t * options_.frame_period,
                          label_of(id, first, key)));
    first = t;
  }
}

std::unique_ptr<Serializer::Block> MlfSerializer::encode(const SequenceBatch& batch) const {
  constexpr std::int64_t kBytesPerUtterance = 512;  // approximate
  internal::TextBuffer text(batch.size() * kBytesPerUtterance);
  std::vector<SequenceKey> keys;
  keys.reserve(batch.keys.size());
  for (std::size_t n = 0; n < batch.keys.size(); ++n) {
    const std::string key = key_of(batch, n);
    const std::vector<std::int64_t> ids = ids_of(batch.views.front()[n], key);
    text.append(formatted("\"{}.lab\"\n", key));
    write_ranges(ids, key, text);
    text.append(".\n");
    keys.push_back(key_of_text(key));
  }
  return std::make_unique<Block>(std::move(text).finish(), std::move(keys));
}

void MlfSerializer::append(std::unique_ptr<Serializer::Block> block) {
  const auto& encoded = static_cast<const Block&>(*block);
  internal::check_repeated(sink_->name(), keys_.add(encoded.keys), kRepeated);
  sink_->write(encoded.text.as<std::byte>());
  utterance_count_ += std::ssize(encoded.keys);
}

void MlfSerializer::finish() {
  if (utterance_count_ == 0) fail("", kWrittenUtterances, "none");
  internal::check_repeated(sink_->name(), keys_.finish(), kRepeated);
  sink_->finish();
}

void MlfSerializer::fail(std::string_view key, const internal::ErrorKind& kind,
                         std::string found) const {
  internal::throw_unwritable({.path = sink_->name(), .key = key, .stream = stream_.name}, kind,
                             std::move(found));
}

}  // namespace sheaf::mlf
