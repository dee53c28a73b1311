#include "format/arrow/ipc_writer.h"

#include <array>

#include "format/arrow/array_body.h"
#include "format/arrow/ipc_fields.h"
#include "format/arrow/ipc_numbers.h"
#include "format/arrow/ipc_schema.h"

namespace sheaf::arrow {
namespace {

constexpr std::uint8_t kSchemaMessage = 1;
constexpr std::uint8_t kBatchMessage = 3;
constexpr std::int64_t kPrefixBytes = 8;

template <typename T>
void append_number(std::string& bytes, T number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace

IpcWriter::IpcWriter(ByteSink& sink, const ArrowNode& schema)
    : sink_(sink), schema_(schema_draft(schema)) {
  write(std::string("ARROW1\0\0", 8));
  (void)write_message(kSchemaMessage, schema_, 0);
}

void IpcWriter::add(const ArrowNode& batch) {
  const ArrayBody body(batch);
  append_number(blocks_, size_bytes_);
  const std::int64_t head_bytes = write_message(kBatchMessage, body.draft(), body.size_bytes());
  append_number(blocks_, head_bytes);  // 32 bits, and a gap of 32
  append_number(blocks_, body.size_bytes());
  ++batch_count_;
  for (const std::span<const std::byte> buffer : body.buffers()) {
    write(buffer);
    write_zeros((ArrayBody::kAlignment - std::ssize(buffer) % ArrayBody::kAlignment) %
                ArrayBody::kAlignment);
  }
}

void IpcWriter::finish() {
  write(std::string("\xff\xff\xff\xff\0\0\0\0", 8));
  FlatDraft footer;
  footer.number<std::int16_t>(kFooterVersion, kVersion5);
  footer.table(kFooterSchema, schema_);
  footer.vector(kFooterDictionaries, {}, 0, 8);
  footer.vector(kFooterBatches, blocks_, batch_count_, 8);
  std::string bytes = flat_bytes(footer);
  append_number(bytes, static_cast<std::int32_t>(bytes.size()));
  write(bytes.append("ARROW1"));
}

std::int64_t IpcWriter::write_message(std::uint8_t kind, const FlatDraft& header,
                                      std::int64_t body_bytes) {
  FlatDraft message;
  message.number<std::int16_t>(kMessageVersion, kVersion5);
  message.number<std::uint8_t>(kMessageKind, kind);
  message.table(kMessageHeader, header);
  message.number<std::int64_t>(kMessageBodyBytes, body_bytes);
  std::string metadata = flat_bytes(message);
  // The body begins at a multiple of 64 bytes of the file.
  const std::int64_t end = size_bytes_ + kPrefixBytes + std::ssize(metadata);
  const std::int64_t padding =
      (ArrayBody::kAlignment - end % ArrayBody::kAlignment) % ArrayBody::kAlignment;
  metadata.append(static_cast<std::size_t>(padding), '\0');
  std::string prefix("\xff\xff\xff\xff", 4);
  append_number(prefix, static_cast<std::int32_t>(metadata.size()));
  write(prefix);
  write(metadata);
  return kPrefixBytes + std::ssize(metadata);
}

void IpcWriter::write(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  sink_.write(bytes);
  size_bytes_ += std::ssize(bytes);
}

void IpcWriter::write(const std::string& bytes) { write(std::as_bytes(std::span(bytes))); }

void IpcWriter::write_zeros(std::int64_t count) {
  static constexpr std::array<std::byte, ArrayBody::kAlignment> kZeros{};
  write(std::span(kZeros).first(static_cast<std::size_t>(count)));
}

}  // namespace sheaf::arrow
