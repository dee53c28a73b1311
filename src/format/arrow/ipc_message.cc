#include "format/arrow/ipc_message.h"

#include "base/text.h"
#include "format/arrow/arrow_errors.h"
#include "format/arrow/ipc_numbers.h"

namespace sheaf::arrow {
namespace {

constexpr std::int64_t kPairBytes = 16;

}  // namespace

void check_version(const FlatBytes& bytes, std::int16_t version) {
  if (version == kVersion4 || version == kVersion5) return;
  fail(*bytes.file, kVersion, bytes.offset, formatted("version V{}", version + 1));
}

IpcMessage read_message(const FlatBytes& metadata) {
  const FlatTable message = flat_root(metadata);
  const auto version = message.number<std::int16_t>(kMessageVersion);
  check_version(metadata, version);
  const auto kind = message.number<std::uint8_t>(kMessageKind);
  if (kind < 1 || kind > 3) {
    fail(*metadata.file, kMessage, message.location(),
         kind == 4 || kind == 5 ? "a tensor" : formatted("a message of kind {}", kind));
  }
  const std::optional<FlatTable> header = message.table(kMessageHeader);
  if (!header) fail(*metadata.file, kMessage, message.location(), "a message without a header");
  const auto body_bytes = message.number<std::int64_t>(kMessageBodyBytes);
  if (body_bytes < 0) {
    fail(*metadata.file, kMessage, message.location(), formatted("a body of {} bytes", body_bytes));
  }
  return {.kind = static_cast<IpcKind>(kind),
          .version = version,
          .body_bytes = body_bytes,
          .header = *header};
}

std::int64_t row_count_of(const FlatTable& batch) {
  const auto rows = batch.number<std::int64_t>(kBatchRows);
  if (rows < 0) fail(*batch.bytes().file, kRows, batch.location(), formatted("{} rows", rows));
  return rows;
}

IpcCodec codec_of(const FlatTable& batch) {
  const std::optional<FlatTable> compression = batch.table(kBatchCompression);
  if (!compression) return IpcCodec::none;
  const auto codec = compression->number<std::int8_t>(0);
  const auto method = compression->number<std::int8_t>(1);
  if (method == 0 && codec == 0) return IpcCodec::lz4;
  if (method == 0 && codec == 1) return IpcCodec::zstd;
  fail(*batch.bytes().file, kCompression, compression->location(),
       formatted("codec {} with method {}", codec, method));
}

IpcBatchHeader::IpcBatchHeader(const FlatTable& table, const IpcCounts& all,
                               std::int64_t body_bytes)
    : file_(table.bytes().file),
      row_count_(row_count_of(table)),
      body_bytes_(body_bytes),
      codec_(codec_of(table)),
      nodes_(table.vector(kBatchNodes, kPairBytes)),
      buffers_(table.vector(kBatchBuffers, kPairBytes)) {
  const FlatVector counts = table.vector(kBatchViewBuffers, 8);
  bool is_right = nodes_.size() == all.nodes && counts.size() >= all.views;
  std::int64_t sum = 0;
  view_buffers_.push_back(sum);
  for (std::int64_t view = 0; is_right && view < all.views; ++view) {
    const auto count = counts.number<std::int64_t>(view);
    is_right = count >= 0 && count <= buffers_.size() - sum;
    if (is_right) sum += count;
    view_buffers_.push_back(sum);
  }
  if (is_right && buffers_.size() == all.buffers + sum) return;
  fail(*file_, kBatch, table.location(),
       formatted("{} nodes, {} buffers and {} counts of buffers of views; the schema needs {} "
                 "nodes, {} buffers and {} counts",
                 nodes_.size(), buffers_.size(), counts.size(), all.nodes, all.buffers + sum,
                 all.views));
}

IpcPair IpcBatchHeader::node(const IpcField& field) const {
  const std::int64_t i = field.before.nodes;
  const IpcPair node{.first = nodes_.number<std::int64_t>(i),
                     .second = nodes_.number<std::int64_t>(i, 8),
                     .location = nodes_.location(i)};
  if (node.first < 0 || node.second < 0 || node.second > node.first) {
    fail(*file_, kNode, node.location,
         formatted("{} values with {} nulls in {}", node.first, node.second, quoted(field.path)));
  }
  return node;
}

IpcPair IpcBatchHeader::buffer(const IpcField& field, std::int64_t number) const {
  const std::int64_t i =
      field.before.buffers + view_buffers_[static_cast<std::size_t>(field.before.views)] + number;
  const IpcPair buffer{.first = buffers_.number<std::int64_t>(i),
                       .second = buffers_.number<std::int64_t>(i, 8),
                       .location = buffers_.location(i)};
  const bool is_inside = buffer.first >= 0 && buffer.second >= 0 && buffer.first <= body_bytes_ &&
                         buffer.second <= body_bytes_ - buffer.first;
  if (!is_inside) {
    fail(*file_, kBuffer, buffer.location,
         formatted("{} bytes at {} in a body of {} bytes", buffer.second, buffer.first,
                   body_bytes_));
  }
  return buffer;
}

std::int64_t IpcBatchHeader::view_buffer_count(const IpcField& field) const {
  if (field.layout.kind != LayoutKind::views) return 0;
  const auto view = static_cast<std::size_t>(field.before.views);
  return view_buffers_[view + 1] - view_buffers_[view];
}

IpcDictionaryHeader read_dictionary_header(const FlatTable& table) {
  const std::optional<FlatTable> batch = table.table(kDictionaryValues);
  if (!batch) {
    fail(*table.bytes().file, kDictionary, table.location(), "a dictionary without values");
  }
  return {.id = table.number<std::int64_t>(kDictionaryId),
          .is_delta = table.number<std::uint8_t>(kDictionaryIsDelta) != 0,
          .batch = *batch};
}

}  // namespace sheaf::arrow
