#include "format/webdataset/webdataset_serializer.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <set>
#include <span>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "format/webdataset/webdataset_errors.h"
#include "format/webdataset/webdataset_names.h"
#include "format/webdataset/webdataset_tar.h"
#include "format/writing.h"

namespace sheaf::webdataset {
namespace {

// Returns the suffix for a stream, such as "seg.png" for "seg_png". Only suffixes of images are
// split off.
std::string suffix_of(std::string_view name) {
  std::string suffix(name);
  const std::size_t last = suffix.find_last_of('_');
  if (last != std::string::npos && last > 0 && is_image_suffix(name.substr(last + 1))) {
    suffix[last] = '.';
  }
  return suffix;
}

template <typename T>
T value_at(const std::byte* values) {
  T value{};
  std::memcpy(&value, values, sizeof value);
  return value;
}

}  // namespace

/// Entries, one after the other, without an end mark.
class WebdatasetSerializer::Block final : public Serializer::Block {
 public:
  [[nodiscard]] std::int64_t memory_bytes() const noexcept override {
    return static_cast<std::int64_t>(archive.capacity() + keys.capacity() * sizeof(SequenceKey));
  }

  std::string archive;
  std::vector<SequenceKey> keys;  // of the texts, because keys are read back as texts
};

WebdatasetSerializer::WebdatasetSerializer(CreateRequest request) : sink_(std::move(request.sink)) {
  check_format_options("webdataset", kWriteOptions, request.options.extra, "for writing");
  internal::check_written_streams("webdataset", request.streams);
  replaces_dots_ = value_of(kDotsOption, request.options.extra) == "underscore";
  has_frames_ = value_of(kWrittenFramesOption, request.options.extra) == "true";
  for (const Stream& stream : request.streams) entries_.push_back(entry_of(stream));
  check_suffixes();
}

WebdatasetSerializer::Entry WebdatasetSerializer::entry_of(const Stream& stream) {
  if (stream.storage == Storage::sparse) {
    return {.stream = stream, .content = Content::one_hot, .suffix = std::string(kLabelSuffix)};
  }
  if (stream.element_type == ElementType::i32 && stream.sample_shape == Shape{1}) {
    return {.stream = stream, .content = Content::ids, .suffix = std::string(kLabelSuffix)};
  }
  if (stream.element_type != ElementType::bytes) {
    throw ConfigError(formatted(
        "stream {}: entries are opaque bytes, or labels: dense i32 samples of shape [1], or sparse "
        "samples; not {}",
        quoted(stream.name), to_string(stream)));
  }
  if (stream.name == kImageStream) {
    return {.stream = stream, .content = Content::image, .suffix = {}};
  }
  return {.stream = stream, .content = Content::bytes, .suffix = suffix_of(stream.name)};
}

void WebdatasetSerializer::check_suffixes() const {
  std::set<std::string> known;
  bool has_image = false;
  bool has_image_suffix = false;
  for (const Entry& each : entries_) {
    has_image |= each.content == Content::image;
    has_image_suffix |= is_image_suffix(each.suffix);
    if (each.content == Content::image) continue;
    const std::string name = "key." + each.suffix;
    const EntryName read = split_entry_name(name);
    const bool is_read =
        read.kind == EntryKind::data && read.suffix == each.suffix &&
        lower_case(each.suffix) == each.suffix &&
        std::ranges::all_of(each.suffix, [](char c) { return c > ' ' && c <= '~'; });
    if (!is_read) {
      throw ConfigError(formatted(
          "stream {}: the name becomes the suffix of entries: small letters and printable ASCII, "
          "without a slash",
          quoted(each.stream.name)));
    }
    if (!known.insert(each.suffix).second) {
      throw ConfigError(
          formatted("streams: two would be entries with the suffix {}; choose one", each.suffix));
    }
  }
  if (has_image && has_image_suffix) {
    throw ConfigError(
        "streams: image is written as jpg, png or webp, and another stream has such a suffix; "
        "choose one");
  }
}

std::string WebdatasetSerializer::key_of(const SequenceBatch& batch, std::size_t n) const {
  std::string key = internal::written_key(sink_->name(), batch, n, kWrittenKey.code);
  if (replaces_dots_) {
    const std::size_t slash = key.find_last_of('/');
    const auto last =
        slash == std::string::npos ? key.begin() : key.begin() + static_cast<std::ptrdiff_t>(slash);
    std::replace(last, key.end(), '.', '_');
  }
  const std::string name = key + ".x";
  const EntryName read = split_entry_name(name);
  const bool is_read = read.kind == EntryKind::data && read.key == key && !key.empty() &&
                       !key.ends_with('/') && !key.starts_with("./") &&
                       key.find('\0') == std::string::npos;
  if (is_read) return key;
  internal::throw_unwritable({.path = sink_->name(), .key = key}, kWrittenKey, quoted(key),
                             "webdataset.dots=underscore replaces the dots");
}

void WebdatasetSerializer::fail(const Part& part, const internal::ErrorKind& kind,
                                std::string found, std::string hint) const {
  internal::throw_unwritable(
      {.path = sink_->name(), .key = part.key, .stream = part.entry.stream.name}, kind,
      std::move(found), std::move(hint));
}

std::string_view WebdatasetSerializer::image_suffix_of(const Part& part,
                                                       std::string_view image) const {
  if (image.starts_with("\xFF\xD8\xFF")) return "jpg";
  if (image.starts_with("\x89PNG\r\n\x1A\n")) return "png";
  constexpr std::size_t kFormAt = 8;
  if (image.starts_with("RIFF") && image.size() > kFormAt &&
      image.substr(kFormAt).starts_with("WEBP")) {
    return "webp";
  }
  fail(part, kWrittenImage, quoted(image.substr(0, 16)),
       "a stream of another name is written with its name as the suffix");
}

std::string WebdatasetSerializer::label_of(const Part& part) const {
  const SequenceView& view = part.view;
  if (part.entry.content == Content::ids) {
    return formatted("{}", value_at<std::int32_t>(view.values));
  }
  const Stream& stream = part.entry.stream;
  const auto is_one = [&] {
    switch (stream.element_type) {
      case ElementType::f32:
        return value_at<float>(view.values) == 1.0F;
      case ElementType::f64:
        return value_at<double>(view.values) == 1.0;
      case ElementType::i32:
        return value_at<std::int32_t>(view.values) == 1;
      default:
        return false;
    }
  };
  if (view.value_count != 1 || !is_one()) {
    fail(part, kWrittenLabel, formatted("{} values", view.value_count));
  }
  return stream.index_type == ElementType::i32
             ? formatted("{}", value_at<std::int32_t>(view.indices))
             : formatted("{}", value_at<std::int64_t>(view.indices));
}

void WebdatasetSerializer::append_bytes(const Part& part, std::string& archive) const {
  const SequenceView& view = part.view;
  const std::string_view all(reinterpret_cast<const char*>(view.values),
                             static_cast<std::size_t>(view.value_count));
  std::size_t begin = 0;
  for (std::int64_t i = 0; i < view.sample_count; ++i) {
    const std::size_t end =
        view.sample_offsets == nullptr
            ? all.size()
            : static_cast<std::size_t>(view.sample_offsets[i + 1] - view.sample_offsets[0]);
    const std::string_view bytes = all.substr(begin, end - begin);
    begin = end;
    std::string suffix = part.entry.suffix;
    if (part.entry.content == Content::image) {
      suffix = image_suffix_of(part, bytes);
      if (has_frames_) suffix = formatted("{:06}.{}", i, suffix);
    }
    append_tar_header(formatted("{}.{}", part.key, suffix), std::ssize(bytes), archive);
    archive += bytes;
    append_tar_padding(std::ssize(bytes), archive);
  }
}

void WebdatasetSerializer::append_part(const Part& part, std::string& archive) const {
  if (!part.view.is_present) return;
  const bool takes_several = has_frames_ && part.entry.content == Content::image;
  if (takes_several ? part.view.sample_count == 0 : part.view.sample_count != 1) {
    fail(part, kWrittenCount, formatted("{} samples", part.view.sample_count),
         part.entry.content == Content::image && !takes_several
             ? "webdataset.frames=true writes several images as numbered frames"
             : "");
  }
  if (part.entry.content == Content::image || part.entry.content == Content::bytes) {
    append_bytes(part, archive);
    return;
  }
  const std::string label = label_of(part);
  append_tar_header(formatted("{}.{}", part.key, part.entry.suffix), std::ssize(label), archive);
  archive += label;
  append_tar_padding(std::ssize(label), archive);
}

std::unique_ptr<Serializer::Block> WebdatasetSerializer::encode(const SequenceBatch& batch) const {
  auto block = std::make_unique<Block>();
  block->keys.reserve(batch.keys.size());
  for (std::size_t n = 0; n < batch.keys.size(); ++n) {
    const std::string key = key_of(batch, n);
    block->keys.push_back(key_of_text(key));
    const std::size_t before = block->archive.size();
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      append_part({.entry = entries_[i], .view = batch.views[i][n], .key = key}, block->archive);
    }
    if (block->archive.size() == before) {
      internal::throw_unwritable({.path = sink_->name(), .key = key}, kWrittenNothing,
                                 "a sequence without any");
    }
  }
  return block;
}

void WebdatasetSerializer::append(std::unique_ptr<Serializer::Block> block) {
  const auto& encoded = static_cast<const Block&>(*block);
  internal::check_repeated(sink_->name(), keys_.add(encoded.keys), kWrittenRepeated);
  has_any_ |= !encoded.keys.empty();
  sink_->write(std::as_bytes(std::span(encoded.archive)));
}

void WebdatasetSerializer::finish() {
  if (!has_any_) {
    internal::throw_unwritable({.path = sink_->name()}, kWrittenNothing, "no sequence");
  }
  internal::check_repeated(sink_->name(), keys_.finish(), kWrittenRepeated);
  const std::string end = tar_end_mark();
  sink_->write(std::as_bytes(std::span(end)));
  sink_->finish();
}

}  // namespace sheaf::webdataset
