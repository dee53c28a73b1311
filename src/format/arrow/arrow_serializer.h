// Writes tables as Arrow files: a row for each sequence.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sheaf/extend/serializer.h"

#include "core/error_kind.h"
#include "format/arrow/ipc_writer.h"
#include "format/arrow/table_rows.h"
#include "format/columns/column_streams.h"

namespace sheaf::arrow {

inline constexpr std::array<std::string_view, 2> kKeysValues = {"column", "drop"};
inline constexpr FormatOption kKeysOption = {
    .name = "arrow.keys",
    .values = kKeysValues,
    .help = "column: the column sequence_key has the keys; drop: nothing has them"};
inline constexpr std::array kWriteOptions = {kKeysOption};

/// Writes a batch as soon as its rows reach the chunk size.
class ArrowSerializer final : public Serializer {
 public:
  /// Throws: ConfigError for streams that Arrow cannot hold.
  explicit ArrowSerializer(CreateRequest request);

  [[nodiscard]] std::unique_ptr<Block> encode(const SequenceBatch& batch) const override;
  void append(std::unique_ptr<Block> block) override;
  void finish() override;

 private:
  class Rows;

  void write_batch();
  void begin(bool are_texts);

  const std::unique_ptr<ByteSink> sink_;
  const std::vector<Stream> streams_;
  const std::int64_t batch_size_bytes_;
  bool has_keys_ = true;

  // Used by append() and finish() only.
  std::optional<IpcWriter> writer_;  // set by the first sequence, which tells the type of keys
  bool are_texts_ = false;
  TableRows rows_;  // of the current batch
  std::int64_t size_bytes_ = 0;
};

}  // namespace sheaf::arrow
