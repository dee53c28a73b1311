#include "format/image_base64/image_base64_scanner.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "format/image_base64/image_base64_options.h"
#include "format/images/image_columns.h"
#include "format/images/pixel_count.h"

namespace sheaf::image_base64 {
namespace {

// Returns the number of pixels. Decodes only the text that the image header takes.
std::int64_t pixel_count_of_base64(std::string_view text) {
  std::vector<std::byte> bytes;
  const std::int64_t size_max = internal::base64_bytes_max(std::ssize(text));
  return internal::pixel_count_of(size_max, [&](std::int64_t size) -> std::span<const std::byte> {
    // A group of four characters makes three bytes. The last group may be shorter, so the whole
    // text is decoded if all bytes are requested.
    const std::int64_t groups = (size + 2) / 3;
    const std::string_view part =
        size == size_max ? text : text.substr(0, static_cast<std::size_t>(4 * groups));
    bytes.resize(static_cast<std::size_t>(3 * groups));
    const internal::DecodedBase64 decoded = internal::decode_base64(part, bytes.data());
    if (!decoded.is_right()) return {};
    return std::span(bytes).first(static_cast<std::size_t>(std::min(size, decoded.size_bytes)));
  });
}

class LineScanner final : public internal::Scanner {
 public:
  LineScanner(const ByteSource& source, const Schema& schema, const internal::ScanPart& part)
      : schema_(schema),
        block_(part.block),
        end_(part.end),
        rows_(source, part.begin, part.end, part.first_line, schema.read_size_bytes,
              schema.row_size_max_bytes),
        builder_(schema, part) {}

  std::optional<internal::ScannedChunk> next() override {
    Row row;
    while (rows_.next(row)) {
      const Line line = split_line(row, schema_.form);
      if (line.is_blank) continue;
      std::optional<internal::ScannedChunk> chunk = end_sequence(row.offset);
      has_sequence_ = true;
      sequence_ = {.key = line.key,
                   .offset = row.offset,
                   .end = 0,
                   .line = row.line,
                   .sample_count = 1,
                   .key_text_size = key_text_bytes(line)};
      if (schema_.has_costs) sequence_.cost = pixel_count_of_base64(line.image);
      if (chunk) return chunk;
    }
    if (block_ != nullptr) block_->row_count = rows_.row_count();
    // If the last sequence has a chunk of its own, next() is called once more.
    std::optional<internal::ScannedChunk> chunk = end_sequence(end_);
    return chunk ? std::move(chunk) : builder_.finish();
  }

  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return {}; }

 private:
  /// Returns the memory of the key texts of all views, without the one short text that the builder
  /// counts.
  [[nodiscard]] std::int64_t key_text_bytes(const Line& line) const noexcept {
    constexpr auto kStringBytes = std::int64_t{sizeof(std::string)};
    return schema_.images.view_count * (kStringBytes + std::ssize(line.key_text) + 1);
  }

  /// Puts the current sequence, which ends at `end`, into the chunk.
  std::optional<internal::ScannedChunk> end_sequence(std::int64_t end) {
    if (!std::exchange(has_sequence_, false)) return std::nullopt;
    sequence_.end = end;
    const internal::ImageStreams& images = schema_.images;
    std::int64_t bytes = images.view_count * internal::image_overhead_bytes(images);
    if (images.image) bytes += image_bytes_max(end - sequence_.offset);
    return builder_.add(sequence_, std::array{internal::StreamCounts{.sample_count = bytes}});
  }

  const Schema& schema_;
  internal::ScannedBlock* const block_;
  const std::int64_t end_;
  RowReader rows_;
  internal::ChunkBuilder builder_;
  bool has_sequence_ = false;
  internal::ChunkBuilder::Sequence sequence_;  // the current sequence
};

}  // namespace

Schema schema_of(const FormatOptions& options, const LineForm& form,
                 const internal::ImageStreams& images) {
  const std::int64_t limit = options.index.memory_limit_bytes.value_or(0);
  Schema schema;
  schema.streams = {{.name = "bytes", .element_type = ElementType::u8, .sample_shape = Shape{1}}};
  schema.chunk_size_bytes = options.chunk_size_bytes;
  schema.read_size_bytes = options.read_size_bytes;
  schema.row_size_max_bytes = internal::row_size_max(limit, options.read_size_bytes);
  schema.table_size_max_bytes = internal::table_size_max(limit);
  schema.fills_up = true;
  schema.has_text_keys = form.keys == LineForm::Keys::texts;
  schema.has_costs = value_of(kHeadersOption, options.extra) == "read";
  schema.form = form;
  schema.images = images;
  return schema;
}

std::int64_t find_start(const ByteSource& source, const Schema& schema, std::int64_t from,
                        std::int64_t to) {
  const std::int64_t first = internal::find_row(source, from, to);
  if (first == to) return to;
  RowReader rows(source, first, source.size(), 1,
                 std::min(schema.read_size_bytes, RowReader::kProbeSizeBytes),
                 schema.row_size_max_bytes);
  Row row;
  while (rows.next(row) && row.offset < to) {
    if (!is_blank_row(row)) return row.offset;
  }
  return to;
}

internal::ScannedBlock scan_block(const ByteSource& source, const Schema& schema,
                                  internal::ScanPart part) {
  internal::ScannedBlock block(source);
  part.block = &block;
  static_cast<void>(LineScanner(source, schema, part).next());
  return block;
}

std::unique_ptr<internal::Scanner> make_scanner(const ByteSource& source, const Schema& schema,
                                                const internal::ScanPart& part) {
  return std::make_unique<LineScanner>(source, schema, part);
}

}  // namespace sheaf::image_base64
