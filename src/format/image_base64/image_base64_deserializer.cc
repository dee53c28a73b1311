#include "format/image_base64/image_base64_deserializer.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "format/image_base64/image_base64_errors.h"
#include "format/image_base64/image_base64_options.h"
#include "format/image_base64/image_base64_range.h"
#include "format/text/text_chunks.h"

namespace sheaf::image_base64 {
namespace {

/// Passes the chunks that are found to another sink, and accepts no sequences.
class FoundSink final : public DecodedSink {
 public:
  FoundSink(DecodedSink& to, std::int64_t view_count) : to_(to), views_(view_count) {}

  [[nodiscard]] std::int64_t chunk_count_max() const noexcept override { return 0; }
  void add(const ChunkRange& /*range*/, Kept /*kept*/, std::int64_t /*first*/) override {}
  void found(const ChunkInfo& chunk) override { to_.found(with_views(chunk, views_)); }

 private:
  DecodedSink& to_;
  const std::int64_t views_;
};

// Returns the options that change keys, locations or values. Streams are up to the reader.
std::string data_options_of(const FormatOptions& options, const Schema& schema) {
  std::string text = formatted("chunk={}", options.chunk_size_bytes);
  if (schema.form.has_keys()) {
    text += schema.form.keys == LineForm::Keys::texts ? ":keys=text" : ":keys=numeric";
  }
  if (schema.form.is_cntk) text += ":compatibility=cntk";
  if (schema.images.view_count > 1) text += formatted(":views={}", schema.images.view_count);
  if (schema.images.label && schema.images.class_count) {
    text += formatted(":classes={}", *schema.images.class_count);
  }
  if (schema.has_costs) text += ":pixels";
  return text;
}

}  // namespace

ImageBase64Deserializer::ImageBase64Deserializer(std::shared_ptr<const ByteSource> source,
                                                 const FormatOptions& options,
                                                 const Context& context)
    : source_(std::move(source)),
      schema_([&] {
        const internal::ImageStreams images = streams_of(options);  // checks before it reads data
        return schema_of(options, form_of(*source_, options), images);
      }()),
      data_options_(data_options_of(options, schema_)),
      fingerprint_(source_->fingerprint()),
      lines_(index_parts(options, context)),
      views_(schema_.images.view_count > 1
                 ? std::optional<ViewsIndex>(std::in_place, lines_, schema_.images.view_count)
                 : std::nullopt) {}

internal::ScannedIndex::Parts ImageBase64Deserializer::index_parts(const FormatOptions& options,
                                                                   const Context& context) const {
  using internal::BlockFormat;
  // The memory of a sequence depends on the streams.
  std::string text = "image_base64 1:" + data_options_;
  for (const Stream& stream : schema_.images.streams) text += "; " + to_string(stream);
  const bool has_keys = schema_.form.has_keys();
  return {
      .source = source_,
      .rows = {.begin = schema_.form.begin,
               .end = source_->size(),
               .chunk_size_bytes = schema_.chunk_size_bytes},
      .make_scanner =
          [this](const internal::ScanPart& part) { return make_scanner(*source_, schema_, part); },
      .blocks = BlockFormat{
          .schema = &schema_,
          .key_numbers = has_keys ? BlockFormat::Numbers::none : BlockFormat::Numbers::rows,
          .find_start = [this](std::int64_t from,
                               std::int64_t to) { return find_start(*source_, schema_, from, to); },
          .read = [this](const internal::ScanPart& part,
                         bool /*decodes*/) { return scan_block(*source_, schema_, part); }},
      .stream_count = std::ssize(schema_.streams),
      .may_repeat_keys = has_keys && !schema_.form.is_cntk,
      .fills_up = true,
      .cost_name = schema_.has_costs ? "pixels" : "",
      .options = options.index,
      .files = &context.file_system(),
      .identity = {.options = std::move(text),
                   .data = fingerprint_,
                   .modified_ns = source_->modified_ns()},
      .found = {},
      .warning_code = kIndexFileCode};
}

const Index& ImageBase64Deserializer::index() const noexcept {
  if (views_) return *views_;
  return lines_;
}

std::string ImageBase64Deserializer::fingerprint() const {
  return formatted("image_base64:{}:{}", to_string(fingerprint_), data_options_);
}

Chunk ImageBase64Deserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  return RangeReader(*source_, schema_, lines_, range, diagnostics).read();
}

Diagnostic ImageBase64Deserializer::location_of(ChunkIndex chunk, std::int64_t sequence,
                                                std::int64_t stream) const {
  const std::int64_t number = sequence / schema_.images.view_count;
  const ChunkInfo info = *lines_.chunk(chunk);
  const std::shared_ptr<const SequenceTable> table = lines_.sequences(chunk);
  Diagnostic location{.path = std::string(source_->name()),
                      .line = info.first_line + table->first_line(number),
                      .column = 1,
                      .byte_offset = Diagnostic::kNoOffset,
                      .sequence_key = to_string(table->key(number))};
  RowReader rows(*source_, info.offset_bytes + table->offset_bytes(number),
                 info.offset_bytes + info.size_bytes, location.line,
                 std::min(schema_.read_size_bytes, RowReader::kProbeSizeBytes));
  Row row;
  if (!rows.next(row)) internal::throw_changed_since_indexed(source_->name(), location.line);
  const Line line = split_line(row, schema_.form);
  if (line.is_blank || line.key != table->key(number)) {
    internal::throw_changed_since_indexed(source_->name(), location.line);
  }
  if (schema_.has_text_keys) location.sequence_key = line.key_text;
  if (!line.has_columns) return location;
  const auto wanted = static_cast<std::size_t>(stream);
  if (schema_.images.image == wanted) location.column = line.image.data() - row.begin + 1;
  if (schema_.images.label == wanted) location.column = line.label.data() - row.begin + 1;
  return location;
}

// A scan reads only the front of each line, which is many times faster than decoding.
void ImageBase64Deserializer::build_index(Executor& executor, DecodedSink* sink) const {
  if (sink == nullptr) return lines_.build(executor, nullptr);
  FoundSink found(*sink, schema_.images.view_count);
  lines_.build(executor, &found);
}

}  // namespace sheaf::image_base64
