// Files and streams in Arrow's IPC formats as batches of rows.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sheaf/extend/arrow_data.h"
#include "sheaf/extend/arrow_interface.h"
#include "sheaf/extend/byte_source.h"

#include "format/arrow/ipc_dictionaries.h"
#include "format/arrow/ipc_messages.h"

namespace sheaf::arrow {

/// The batches of a file or a stream. read() reads only the buffers of the wanted columns. If no
/// batch is compressed, read() reads only the bytes of the wanted rows.
///
/// Offsets of lists and texts are checked: they ascend, and stay within their values. ArrowBatches
/// leaves this check to the caller.
class IpcBatches final : public ArrowBatches {
 public:
  /// Throws: DataError, IoError.
  explicit IpcBatches(std::shared_ptr<const ByteSource> source);

  [[nodiscard]] const ArrowSchema& schema() const noexcept override { return *schema_; }
  [[nodiscard]] std::string_view name() const noexcept override { return source_->name(); }
  [[nodiscard]] std::string_view path() const noexcept override;
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] std::int64_t batch_count() const noexcept override;
  [[nodiscard]] std::int64_t row_count(std::int64_t batch) const noexcept override;
  [[nodiscard]] ArrowLocation location(std::int64_t batch) const noexcept override;
  [[nodiscard]] bool reads_parts() const noexcept override { return !file_.is_compressed; }
  [[nodiscard]] bool reads_lengths() const noexcept override { return true; }
  [[nodiscard]] std::shared_ptr<const ArrowArray> read(const ArrowPart& part) const override;

 private:
  [[nodiscard]] const IpcLocation& message(std::int64_t batch) const noexcept {
    return file_.batches[static_cast<std::size_t>(batch)];
  }

  const std::shared_ptr<const ByteSource> source_;
  const IpcFile file_;
  const IpcDictionaries dictionaries_;
  Taken<ArrowSchema> schema_;
};

/// Opens a file or a stream.
///
/// Throws: DataError if the source is neither, or is damaged; IoError.
[[nodiscard]] std::shared_ptr<const ArrowBatches> open_ipc(
    std::shared_ptr<const ByteSource> source);

}  // namespace sheaf::arrow
