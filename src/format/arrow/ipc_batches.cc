#include "format/arrow/ipc_batches.h"

#include <cstddef>
#include <utility>

#include "sheaf/extend/arrow_node.h"

#include "base/text.h"
#include "format/arrow/arrow_errors.h"
#include "format/arrow/ipc_body.h"

namespace sheaf::arrow {

IpcBatches::IpcBatches(std::shared_ptr<const ByteSource> source)
    : source_(std::move(source)),
      file_(find_messages(*source_)),
      dictionaries_(*source_, file_),
      schema_(nothing_taken<ArrowSchema>()) {
  export_schema(file_.schema.type, *schema_);
}

// An index file makes nothing faster but dictionaries, since lengths lie beside the values.
std::string_view IpcBatches::path() const noexcept {
  return file_.schema.dictionaries.empty() ? std::string_view() : source_->path();
}

std::string IpcBatches::fingerprint() const { return to_string(source_->fingerprint()); }

std::int64_t IpcBatches::batch_count() const noexcept { return std::ssize(file_.batches); }

std::int64_t IpcBatches::row_count(std::int64_t batch) const noexcept {
  return message(batch).row_count;
}

ArrowLocation IpcBatches::location(std::int64_t batch) const noexcept {
  const IpcLocation& location = message(batch);
  return {.offset_bytes = location.offset, .size_bytes = location.end() - location.offset};
}

std::shared_ptr<const ArrowArray> IpcBatches::read(const ArrowPart& part) const {
  const IpcLocation& location = message(part.batch);
  const IpcMetadata metadata(*source_, location);
  const IpcBatchHeader header(metadata.header(IpcKind::batch), file_.schema.all,
                              location.body_bytes);
  if (header.row_count() != location.row_count) {
    fail(*source_, kRows, location.offset,
         formatted("{} rows, where there were {} before", header.row_count(), location.row_count));
  }
  BodyOptions options{.body_offset = location.body_offset(), .lengths_only = part.lengths_only};
  if (part.needs_dictionaries) {
    options.dictionary = [&](std::size_t dictionary, bool is_all_null) {
      return dictionaries_.values(dictionary, location.dictionaries_before, is_all_null);
    };
  }
  BodyReader reader(header, std::move(options));
  ArrowNode rows{.format = "+s", .length = part.count, .buffers = {nullptr}};
  rows.children.resize(part.columns.size());
  for (std::size_t i = 0; i < part.columns.size(); ++i) {
    const auto column = static_cast<std::size_t>(part.columns[i]);
    reader.add(file_.schema.columns[column], {.begin = part.first, .end = part.first + part.count},
               rows.children[i]);
  }
  reader.run();
  std::shared_ptr<ArrowArray> array = nothing_taken<ArrowArray>();
  export_array(rows, nullptr, *array);
  return array;
}

std::shared_ptr<const ArrowBatches> open_ipc(std::shared_ptr<const ByteSource> source) {
  return std::make_shared<const IpcBatches>(std::move(source));
}

}  // namespace sheaf::arrow
