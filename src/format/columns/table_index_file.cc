#include "format/columns/table_index_file.h"

#include <span>
#include <string_view>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/types.h"

#include "base/saturated.h"
#include "base/text.h"
#include "format/columns/column_errors.h"

namespace sheaf::columns {
namespace {

using internal::IndexFile;
using internal::IndexFileKeeper;
using internal::IndexRecord;

/// Represents a table to the code for index files. The index file lies beside the first file of the
/// table.
class TableSource final : public ByteSource {
 public:
  explicit TableSource(const ArrowBatches& table)
      : name_(table.name()), path_(table.path()), content_(content_of(table)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  [[nodiscard]] std::string_view path() const noexcept override { return path_; }
  [[nodiscard]] std::int64_t size() const noexcept override { return content_.size_bytes; }
  void read_at(std::int64_t /*offset*/, std::span<std::byte> /*into*/) const override {
    throw InternalError(formatted("{}: a table has no bytes", name_));
  }
  [[nodiscard]] Fingerprint fingerprint() const override { return content_; }

 private:
  const std::string name_;
  const std::string path_;
  const Fingerprint content_;
};

IndexFileKeeper::Parts keeper_parts(const TableIndexFile::Parts& parts) {
  auto source = std::make_shared<const TableSource>(*parts.batches);
  const Fingerprint content = source->fingerprint();
  return {.source = std::move(source),
          .files = &parts.context.file_system(),
          .options = parts.options,
          .identity = {.options = (parts.class_notes.empty() ? std::string("table 1:")
                                                             : std::string(kOptionsWithClasses)) +
                                  parts.identity,
                       .data = content},
          .warning_code = kIndexFileCode};
}

std::vector<std::int64_t> first_rows_of(std::span<const std::int64_t> row_counts) {
  std::vector<std::int64_t> first_rows;
  std::int64_t row = 0;
  for (const std::int64_t count : row_counts) {
    first_rows.push_back(row);
    row += count;
  }
  return first_rows;
}

}  // namespace

Fingerprint content_of(const ArrowBatches& table) {
  Fingerprint content{.size_bytes = 0, .hash = key_of_text(table.fingerprint()).low};
  for (std::int64_t batch = 0; batch < table.batch_count(); ++batch) {
    content.size_bytes =
        internal::saturated_sum(content.size_bytes, table.location(batch).size_bytes);
  }
  return content;
}

TableIndexFile::TableIndexFile(Parts parts)
    : row_counts_(std::move(parts.row_counts)),
      first_rows_(first_rows_of(row_counts_)),
      has_row_numbers_(parts.has_row_numbers),
      class_notes_(parts.class_notes),
      keeper_(keeper_parts(parts)) {
  keeper_.open([this](const IndexFile& file) { return fault_of(file); });
}

std::string TableIndexFile::fault_of(const IndexFile& file) const {
  if (file.notes() != class_notes_) return "its notes are not the classes of the columns";
  if (file.chunk_count() != std::ssize(row_counts_)) {
    return formatted("it has {} chunks, not {}", file.chunk_count(), row_counts_.size());
  }
  for (std::int64_t chunk = 0; chunk < file.chunk_count(); ++chunk) {
    const std::int64_t count = row_counts_[static_cast<std::size_t>(chunk)];
    if (file.info(chunk).sequence_count != count) {
      return formatted("its chunk {} has {} rows, not {}", chunk, file.info(chunk).sequence_count,
                       count);
    }
  }
  return {};
}

bool TableIndexFile::fits(std::int64_t chunk, const IndexRecord& record) const {
  const SequenceTable& table = *record.sequences;
  std::int64_t rest = record.info.sample_count;
  for (std::int64_t i = 0; i < table.size(); ++i) {
    const std::int64_t count = table.sample_count(i);
    if (count < 0 || count > rest) return false;
    rest -= count;
    const std::int64_t row = first_rows_[static_cast<std::size_t>(chunk)] + i;
    if (has_row_numbers_ && table.key(i) != SequenceKey{.low = static_cast<std::uint64_t>(row)}) {
      return false;
    }
  }
  return rest == 0 && record.info.decoded_size_bytes >= 0;
}

IndexRecord TableIndexFile::read(std::int64_t chunk) const {
  return keeper_.read(chunk, [&](const IndexRecord& record) { return fits(chunk, record); });
}

void TableIndexFile::add(std::int64_t chunk, IndexRecord record) {
  const std::scoped_lock lock(mutex_);
  if (is_over_ || chunk < next_) return;
  if (next_ == 0 && waiting_.empty()) {
    keeper_.begin_writing();
    is_over_ = !keeper_.is_writing();
    if (is_over_) return;
  }
  waiting_.insert_or_assign(chunk, std::move(record));
  for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_; ++next_) {
    keeper_.add(first->second);
    first = waiting_.erase(first);
  }
  const bool is_whole = next_ == std::ssize(row_counts_);
  if (is_whole) keeper_.finish_writing(class_notes_);
  is_over_ = is_whole || !keeper_.is_writing() || waiting_.size() > kWaitingMax;
  if (!is_over_) return;
  waiting_.clear();
  keeper_.stop_writing();
}

std::vector<Diagnostic> TableIndexFile::warnings() const {
  std::vector<Diagnostic> warnings;
  if (keeper_.use_warning()) warnings.push_back(*keeper_.use_warning());
  if (std::optional<Diagnostic> warning = keeper_.write_warning()) {
    warnings.push_back(*std::move(warning));
  }
  return warnings;
}

}  // namespace sheaf::columns
