// The batches of an Arrow C stream, in memory.

#include "format/columns/stream_batches.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/arrow_data.h"
#include "sheaf/extend/arrow_interface.h"
#include "sheaf/extend/interruption.h"

#include "base/text.h"
#include "format/columns/array_size.h"

namespace sheaf {
namespace {

using SharedArray = std::shared_ptr<const ArrowArray>;

void check_stream(ArrowArrayStream& stream, int code) {
  if (code == 0) return;
  const char* const text = stream.get_last_error(&stream);
  throw IoError("the Arrow stream failed: " + std::string(text == nullptr ? "" : text));
}

void check_batch(const ArrowSchema& schema, const ArrowArray& batch, const std::string& name,
                 std::size_t number) {
  if (batch.n_children != schema.n_children) {
    throw ConfigError(formatted("{}: batch {}: expected {} columns as in the schema, found {}",
                                name, number, schema.n_children, batch.n_children));
  }
  if (columns::has_null_rows(batch)) {
    throw ConfigError(formatted(
        "{}: batch {}: expected rows, found a row that is null as a whole; drop these rows", name,
        number));
  }
}

/// Some columns of a batch, with the same buffers.
struct Rows {
  ArrowArray root = {};
  std::vector<ArrowArray*> children;
  SharedArray batch;
};

class StreamBatches final : public ArrowBatches {
 public:
  StreamBatches(Taken<ArrowSchema> schema, std::vector<SharedArray> batches, std::string name,
                std::string fingerprint)
      : schema_(std::move(schema)),
        batches_(std::move(batches)),
        name_(std::move(name)),
        fingerprint_(std::move(fingerprint)) {
    std::int64_t offset = 0;
    for (const SharedArray& batch : batches_) {
      locations_.push_back(
          {.offset_bytes = offset, .size_bytes = columns::array_size_bytes(*schema_, *batch)});
      offset += locations_.back().size_bytes;
    }
  }

  [[nodiscard]] const ArrowSchema& schema() const noexcept override { return *schema_; }
  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  [[nodiscard]] std::string fingerprint() const override { return fingerprint_; }
  [[nodiscard]] bool reads_parts() const noexcept override { return true; }

  [[nodiscard]] std::int64_t batch_count() const noexcept override {
    return static_cast<std::int64_t>(batches_.size());
  }
  [[nodiscard]] std::int64_t row_count(std::int64_t batch) const noexcept override {
    return batches_[static_cast<std::size_t>(batch)]->length;
  }
  // In memory, the offset of a batch is the sum of the sizes of the batches before it.
  [[nodiscard]] ArrowLocation location(std::int64_t batch) const noexcept override {
    return locations_[static_cast<std::size_t>(batch)];
  }

  [[nodiscard]] std::optional<std::int64_t> null_count(std::int64_t batch,
                                                       std::int64_t column) const override {
    const std::int64_t known =
        batches_[static_cast<std::size_t>(batch)]->children[column]->null_count;
    return known == 0 ? std::optional(known) : std::nullopt;
  }

  [[nodiscard]] SharedArray read(const ArrowPart& part) const override {
    const auto rows = std::make_shared<Rows>();
    rows->batch = batches_[static_cast<std::size_t>(part.batch)];
    for (const std::int64_t column : part.columns) {
      rows->children.push_back(rows->batch->children[column]);
    }
    rows->root = *rows->batch;
    rows->root.offset += part.first;
    rows->root.length = part.count;
    rows->root.n_children = std::ssize(rows->children);
    rows->root.children = rows->children.data();
    rows->root.release = nullptr;
    return {rows, &rows->root};
  }

 private:
  const Taken<ArrowSchema> schema_;
  const std::vector<SharedArray> batches_;
  const std::string name_;
  const std::string fingerprint_;
  std::vector<ArrowLocation> locations_;
};

}  // namespace

namespace columns {

bool has_null_rows(const ArrowArray& batch) noexcept {
  if (batch.null_count == 0 || batch.n_buffers < 1 || batch.buffers[0] == nullptr) return false;
  const auto* const bits = static_cast<const std::uint8_t*>(batch.buffers[0]);
  for (std::int64_t row = batch.offset; row < batch.offset + batch.length; ++row) {
    if ((bits[row / 8] >> (row % 8) & 1) == 0) return true;
  }
  return false;
}

void check_is_table(const ArrowSchema& schema, std::string_view name) {
  if (std::string_view(schema.format) == "+s") return;
  throw ConfigError(formatted("{}: expected a table, or structs, found the Arrow format \"{}\"",
                              name, schema.format));
}

}  // namespace columns

std::shared_ptr<const ArrowBatches> batches_of_stream(Taken<ArrowArrayStream> stream,
                                                      std::string name, std::string fingerprint) {
  Taken<ArrowSchema> schema = nothing_taken<ArrowSchema>();
  check_stream(*stream, stream->get_schema(stream.get(), schema.get()));
  columns::check_is_table(*schema, name);
  std::vector<SharedArray> batches;
  while (true) {
    check_interruption();
    Taken<ArrowArray> batch = nothing_taken<ArrowArray>();
    check_stream(*stream, stream->get_next(stream.get(), batch.get()));
    if (batch->release == nullptr) break;
    check_batch(*schema, *batch, name, batches.size());
    if (batch->length > 0) batches.emplace_back(std::move(batch));
  }
  return std::make_shared<const StreamBatches>(std::move(schema), std::move(batches),
                                               std::move(name), std::move(fingerprint));
}

}  // namespace sheaf
