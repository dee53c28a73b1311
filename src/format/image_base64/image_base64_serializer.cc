#include "format/image_base64/image_base64_serializer.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/base64.h"
#include "base/text.h"
#include "core/element_cast.h"
#include "format/image_base64/image_base64_errors.h"
#include "format/image_base64/image_base64_options.h"
#include "format/images/class_id.h"
#include "format/writing.h"

namespace sheaf::image_base64 {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool checked_keys_option(const CreateRequest& request) {
  check_format_options("image_base64", kWriteOptions, request.options.extra, "for writing");
  internal::check_written_streams("image_base64", request.streams);
  return value_of(kKeysOption, request.options.extra) == "column";
}

bool is_image(const Stream& stream) {
  return stream.element_type == ElementType::bytes && stream.storage == Storage::dense;
}

bool is_label(const Stream& stream) {
  if (stream.element_type == ElementType::bytes) return false;
  return stream.storage == Storage::sparse || stream.sample_shape == Shape{1};
}

/// Returns a value as a whole number, or nothing if it is not whole.
std::optional<std::int64_t> whole_number(ElementType type, const std::byte* value) {
  std::int64_t number = 0;
  auto* const to = std::as_writable_bytes(std::span(&number, 1)).data();
  const bool is_lost = internal::cast_elements(type, value, ElementType::i64, to, 1) > 0;
  return is_lost ? std::nullopt : std::optional(number);
}

}  // namespace

/// Lines, one after the other.
class ImageBase64Serializer::Block final : public Serializer::Block {
 public:
  [[nodiscard]] std::int64_t memory_bytes() const noexcept override {
    return static_cast<std::int64_t>(text.capacity() + keys.capacity() * sizeof(SequenceKey));
  }

  std::string text;
  std::vector<SequenceKey> keys;  // of the texts; without a column of keys, the keys of the batch
};

ImageBase64Serializer::ImageBase64Serializer(CreateRequest request)
    : has_keys_(checked_keys_option(request)),
      sink_(std::move(request.sink)),
      streams_(std::move(request.streams)) {
  find_streams();
}

void ImageBase64Serializer::find_streams() {
  const auto find = [this](bool (*is_wanted)(const Stream&), std::string_view what) {
    const auto found = std::ranges::find_if(streams_, is_wanted);
    if (found != streams_.end()) return static_cast<std::size_t>(found - streams_.begin());
    throw ConfigError(formatted("streams: image_base64 needs {}", what));
  };
  image_ = find(is_image, "a stream of images, which are opaque bytes");
  label_ =
      find(is_label,
           "a stream of labels: dense class ids of shape [1], or sparse samples with a single 1");
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (i == image_ || i == label_) continue;
    throw ConfigError(
        formatted("stream {}: image_base64 holds one stream of images and one of labels, so there "
                  "is no place for {}",
                  quoted(streams_[i].name), to_string(streams_[i])));
  }
}

void ImageBase64Serializer::fail(const Part& part, const internal::ErrorKind& kind,
                                 std::string found) const {
  internal::throw_unwritable({.path = sink_->name(), .key = part.key, .stream = part.stream.name},
                             kind, std::move(found));
}

std::string ImageBase64Serializer::key_of(const SequenceBatch& batch, std::size_t n) const {
  std::string key = internal::written_key(sink_->name(), batch, n, kWrittenKey.code);
  const bool is_read = !key.empty() && key.find_first_of("\t\n") == std::string::npos &&
                       !key.starts_with(kByteOrderMark);
  if (is_read) return key;
  internal::throw_unwritable({.path = sink_->name(), .key = key}, kWrittenKey, quoted(key));
}

void ImageBase64Serializer::check_count(const Part& part) const {
  if (part.view.is_present && part.view.sample_count == 1) return;
  fail(part, kWrittenCount,
       part.view.is_present ? formatted("{} samples", part.view.sample_count) : "none");
}

std::int64_t ImageBase64Serializer::class_id_of(const Part& part) const {
  check_count(part);
  const Stream& stream = part.stream;
  std::optional<std::int64_t> id;
  if (stream.storage == Storage::sparse) {
    const bool is_one_hot =
        part.view.value_count == 1 && whole_number(stream.element_type, part.view.values) == 1;
    if (!is_one_hot) fail(part, kWrittenOneHot, formatted("{} values", part.view.value_count));
    id = whole_number(stream.index_type, part.view.indices);
  } else {
    id = whole_number(stream.element_type, part.view.values);
  }
  if (id && *id >= 0 && *id <= internal::kClassIdMax) return *id;
  fail(part, kWrittenLabel, id ? formatted("{}", *id) : "a number that is not whole");
}

void ImageBase64Serializer::append_image(const Part& part, std::string& text) const {
  check_count(part);
  if (part.view.value_count == 0) fail(part, kWrittenImage, "none");
  internal::append_base64({part.view.values, static_cast<std::size_t>(part.view.value_count)},
                          text);
}

std::unique_ptr<Serializer::Block> ImageBase64Serializer::encode(const SequenceBatch& batch) const {
  auto block = std::make_unique<Block>();
  block->keys.reserve(batch.keys.size());
  for (std::size_t n = 0; n < batch.keys.size(); ++n) {
    const std::string key = has_keys_ ? key_of(batch, n) : to_string(batch.keys[n]);
    block->keys.push_back(has_keys_ ? key_of_text(key) : batch.keys[n]);
    const auto part = [&](std::size_t stream) -> Part {
      return {.stream = streams_[stream], .view = batch.views[stream][n], .key = key};
    };
    if (has_keys_) block->text += key + '\t';
    block->text += formatted("{}\t", class_id_of(part(label_)));
    append_image(part(image_), block->text);
    block->text += '\n';
  }
  return block;
}

void ImageBase64Serializer::append(std::unique_ptr<Serializer::Block> block) {
  const auto& encoded = static_cast<const Block&>(*block);
  if (has_keys_) {
    internal::check_repeated(sink_->name(), keys_.add(encoded.keys), kWrittenRepeated);
  } else {
    internal::check_running(sink_->name(), encoded.keys, count_, kWrittenRunning);
  }
  count_ += std::ssize(encoded.keys);
  sink_->write(std::as_bytes(std::span(encoded.text)));
}

void ImageBase64Serializer::finish() {
  if (count_ == 0) {
    internal::throw_unwritable({.path = sink_->name()}, kWrittenNothing, "no sequence");
  }
  internal::check_repeated(sink_->name(), keys_.finish(), kWrittenRepeated);
  sink_->finish();
}

}  // namespace sheaf::image_base64
