// A list names its archive by the path of the output, because Kaldi's programs look for files from
// the working directory.

#include "format/kaldi/kaldi_serializer.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "base/text.h"
#include "base/unaligned.h"
#include "format/kaldi/kaldi_archive.h"
#include "format/kaldi/kaldi_compressed.h"
#include "format/kaldi/kaldi_data_errors.h"
#include "format/kaldi/kaldi_encode.h"
#include "format/kaldi/kaldi_errors.h"
#include "format/kaldi/kaldi_values.h"
#include "format/named_file.h"
#include "format/writing.h"

namespace sheaf::kaldi {
namespace {

constexpr std::int64_t kCountMax = (std::int64_t{1} << 31) - 1;  // of rows, columns and values

// Returns the single stream of an archive.
Stream checked_stream(std::span<const Stream> streams, const WriteOptions& options) {
  const Stream& stream = internal::only_stream("kaldi", streams);
  const auto refuse = [&](const std::string& why) {
    throw ConfigError(formatted("stream \"{}\": {}", stream.name, why));
  };
  const ElementType type = stream.element_type;
  const bool is_integer = type == ElementType::i32;
  const bool is_sparse = stream.storage == Storage::sparse;
  if (!stream.sample_shape.is_fixed()) {
    refuse(formatted("objects of Kaldi have samples of one fixed shape, not {}",
                     to_string(stream.sample_shape)));
  }
  if (const std::int64_t dim = stream.sample_shape.size(); dim < 1 || dim > kCountMax) {
    refuse(formatted("objects of Kaldi have samples of 1 to {} values, not {}", kCountMax, dim));
  }
  if (type != ElementType::f32 && (is_sparse || (type != ElementType::f64 && !is_integer))) {
    refuse(formatted("objects of Kaldi hold {}, not {}",
                     is_sparse ? "sparse f32" : "f32, f64 and i32", to_string(type)));
  }
  if (is_integer && stream.sample_shape.size() != 1) {
    refuse("vectors of integers have one value a sample");
  }
  const bool is_compressed = options.compression != Compressed::none;
  if (is_compressed && (is_sparse || type != ElementType::f32 || options.is_text)) {
    refuse("kaldi.compression: binary objects of dense f32 can be compressed");
  }
  if (is_sparse && options.is_text && !options.has_posteriors) {
    refuse("kaldi.form=text: sparse samples are written as text with kaldi.sparse=posterior");
  }
  return stream;
}

void check_listed_path(std::string_view path) {
  const bool is_good = path.find_first_of("|\n\r") == std::string_view::npos &&
                       !path.starts_with(' ') && !path.starts_with('\t');
  if (is_good) return;
  throw ConfigError(formatted("{}: a list of this name cannot name its archive", quoted(path)));
}

template <typename T>
std::vector<T> values_of(const SequenceView& view) {
  std::vector<T> values(static_cast<std::size_t>(view.value_count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = internal::load<T>(view.values, static_cast<std::int64_t>(i));
  }
  return values;
}

}  // namespace

/// Entries of an archive, one after the other.
class KaldiSerializer::Block final : public Serializer::Block {
 public:
  struct Entry {
    std::string key;
    std::int64_t object_begin = 0;  // in the bytes
  };

  [[nodiscard]] std::int64_t memory_bytes() const noexcept override {
    auto size = static_cast<std::int64_t>(bytes.capacity() + keys.capacity() * sizeof(SequenceKey));
    for (const Entry& entry : entries) {
      size += static_cast<std::int64_t>(sizeof entry + entry.key.capacity());
    }
    return size;
  }

  std::string bytes;
  std::vector<Entry> entries;
  std::vector<SequenceKey> keys;  // of the texts, because keys are read back as texts
};

KaldiSerializer::KaldiSerializer(CreateRequest request)
    : path_(request.sink->name()),
      stream_(checked_stream(request.streams, write_options_of(request.options))),
      options_(write_options_of(request.options)) {
  if (!path_.ends_with(".scp")) {
    archive_ = std::move(request.sink);
    return;
  }
  internal::check_has_location("kaldi", path_, request.create_file != nullptr);
  check_listed_path(path_);
  list_ = std::move(request.sink);
  archive_ = request.create_file(
      internal::beside(path_, std::string(internal::file_stem(path_)) + ".ark"));
}

std::string KaldiSerializer::key_of(const SequenceBatch& batch, std::size_t n) const {
  std::string key = internal::written_key(path_, batch, n, kWrittenKey.code);
  const bool is_good = !key.empty() && std::ssize(key) <= kEntryKeyMax &&
                       key.find_first_of(kSpace) == std::string::npos &&
                       key.find('\0') == std::string::npos;
  if (!is_good) fail(key, kWrittenKey, quoted(key));
  return key;
}

void KaldiSerializer::encode_floats(const SequenceView& view, std::string_view key,
                                    std::string& to) const {
  const std::int64_t dim = stream_.sample_shape.size();
  const std::int64_t rows = view.sample_count;
  const std::int64_t cols = rows == 0 ? 0 : dim;
  const auto encode = [&](const auto& values) {
    if (options_.is_text) {
      internal::encode_text_matrix(std::span(values), rows, cols, to);
    } else {
      internal::encode_matrix(std::span(values), rows, cols, to);
    }
  };
  if (stream_.element_type == ElementType::f64) {
    const std::vector<double> values = values_of<double>(view);
    check_text<double>(values, key);
    return encode(std::span<const double>(values));
  }
  const std::vector<float> values = values_of<float>(view);
  check_text<float>(values, key);
  if (options_.compression == Compressed::none) return encode(std::span<const float>(values));
  const auto method =
      options_.compression == Compressed::automatic  ? internal::KaldiMethod::automatic
      : options_.compression == Compressed::two_byte ? internal::KaldiMethod::two_byte
                                                     : internal::KaldiMethod::one_byte;
  if (!internal::encode_compressed(values, rows, cols, method, to)) {
    fail(key, kWrittenValues, "others");
  }
}

void KaldiSerializer::encode_integers(const SequenceView& view, std::string& to) const {
  const std::vector<std::int32_t> values = values_of<std::int32_t>(view);
  if (options_.is_text) {
    internal::encode_text_integers(values, to);
  } else {
    internal::encode_integers(values, to);
  }
}

// Checks that no value is -inf, which Kaldi cannot read from a text.
template <typename T>
void KaldiSerializer::check_text(std::span<const T> values, std::string_view key) const {
  const bool is_good =
      !options_.is_text ||
      std::ranges::find(values, -std::numeric_limits<T>::infinity()) == values.end();
  if (!is_good) fail(key, kWrittenText, "-inf");
}

// Sorts the values of each sample by index.
void KaldiSerializer::sort_samples(std::span<float> values, std::span<std::int32_t> indices,
                                   std::span<const std::int64_t> counts,
                                   std::string_view key) const {
  std::size_t first = 0;
  for (const std::int64_t count : counts) {
    const auto size = static_cast<std::size_t>(count);
    const auto repeated =
        internal::sort_sparse_sample(values.subspan(first, size), indices.subspan(first, size));
    if (repeated) fail(key, internal::kKaldiRepeatedClass, std::to_string(*repeated));
    first += size;
  }
}

void KaldiSerializer::encode_sparse(const SequenceView& view, std::string_view key,
                                    std::string& to) const {
  std::vector<float> values = values_of<float>(view);
  const std::int64_t dim = stream_.sample_shape.size();
  std::vector<std::int32_t> indices(values.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t index = stream_.index_type == ElementType::i64
                                   ? internal::load<std::int64_t>(view.indices, at)
                                   : internal::load<std::int32_t>(view.indices, at);
    if (index < 0 || index >= dim) fail(key, kClass, formatted("{} of {}", index, dim));
    indices[i] = static_cast<std::int32_t>(index);
  }
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i < view.sample_count; ++i) {
    const bool has_offsets = view.sample_offsets != nullptr;  // otherwise each sample has one value
    counts.push_back(has_offsets ? view.sample_offsets[i + 1] - view.sample_offsets[i] : 1);
  }
  sort_samples(values, indices, counts, key);
  check_text<float>(values, key);
  if (!options_.has_posteriors) {
    internal::encode_sparse(values, indices, counts, dim, to);
  } else if (options_.is_text) {
    internal::encode_text_posterior(values, indices, counts, to);
  } else {
    internal::encode_posterior(values, indices, counts, to);
  }
}

void KaldiSerializer::encode_object(const SequenceView& view, std::string_view key,
                                    std::string& to) const {
  if (!view.is_present) fail(key, kWrittenStream, "none");
  if (view.sample_count > kCountMax || view.value_count > kCountMax) {
    fail(key, kWrittenCount, formatted("{} values", view.value_count));
  }
  if (stream_.storage == Storage::sparse) {
    encode_sparse(view, key, to);
  } else if (stream_.element_type == ElementType::i32) {
    encode_integers(view, to);
  } else {
    encode_floats(view, key, to);
  }
}

std::unique_ptr<Serializer::Block> KaldiSerializer::encode(const SequenceBatch& batch) const {
  auto block = std::make_unique<Block>();
  for (std::size_t n = 0; n < batch.keys.size(); ++n) {
    std::string key = key_of(batch, n);
    block->keys.push_back(key_of_text(key));
    block->bytes += key;
    block->bytes += ' ';
    const std::int64_t begin = std::ssize(block->bytes);
    encode_object(batch.views.front()[n], key, block->bytes);
    block->entries.push_back({std::move(key), begin});
  }
  return block;
}

void KaldiSerializer::append(std::unique_ptr<Serializer::Block> block) {
  const auto& encoded = static_cast<const Block&>(*block);
  internal::check_repeated(path_, keys_.add(encoded.keys), kRepeatedKey);
  archive_->write(std::as_bytes(std::span(encoded.bytes)));
  if (list_ != nullptr) {
    std::string lines;
    for (const Block::Entry& entry : encoded.entries) {
      lines +=
          formatted("{} {}:{}\n", entry.key, archive_->name(), size_bytes_ + entry.object_begin);
    }
    list_->write(std::as_bytes(std::span(lines)));
  }
  size_bytes_ += std::ssize(encoded.bytes);
  sequence_count_ += std::ssize(encoded.entries);
}

void KaldiSerializer::finish() {
  if (sequence_count_ == 0) fail("", kNoSequence, "none");
  internal::check_repeated(path_, keys_.finish(), kRepeatedKey);
  archive_->finish();
  if (list_ != nullptr) list_->finish();
}

void KaldiSerializer::fail(std::string_view key, const internal::ErrorKind& kind,
                           std::string found) const {
  internal::throw_unwritable({.path = path_, .key = key, .stream = stream_.name}, kind,
                             std::move(found));
}

}  // namespace sheaf::kaldi
