#include "format/sheaf/container_merge.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"

#include "base/text.h"
#include "format/sheaf/container_errors.h"
#include "format/sheaf/container_file.h"
#include "format/sheaf/container_layout.h"

namespace sheaf::container {
namespace {

/// Copies containers into one.
class ContainerMerger {
 public:
  explicit ContainerMerger(ByteSink& sink) : sink_(sink) {}

  void add(std::shared_ptr<const ByteSource> source,
           const std::function<void(std::int64_t)>& progress) {
    const ContainerFile file = open_container(std::move(source));
    const Directory& directory = file.directory;
    if (written_ == 0) {
      note_.cost_name = directory.note().cost_name;
      write_head();
    }
    if (directory.note().cost_name != note_.cost_name) {
      throw ConfigError(formatted(
          "{}: the part has costs in {}, and the parts before it have costs in {}; write all parts "
          "anew",
          file.source->name(), quoted(directory.note().cost_name), quoted(note_.cost_name)));
    }
    if (chunks_.empty()) {  // a part without sequences does not tell the kind of its keys
      note_.has_text_keys = directory.note().has_text_keys;
      note_.streams = directory.note().streams;
    }
    for (std::int64_t chunk = 0; chunk < directory.chunk_count(); ++chunk) {
      check_interruption();
      copy(file, chunk);
      if (progress) progress(written_);
    }
    for (const auto& [key, sizes] : directory.note().storage) {
      StoredSizes& sum = note_.storage[key];
      sum.array_count += sizes.array_count;
      sum.content_bytes += sizes.content_bytes;
      sum.stored_bytes += sizes.stored_bytes;
    }
  }

  void finish() {
    if (written_ == 0) write_head();
    const std::string end = file_end(note_, chunks_, written_);
    write(std::as_bytes(std::span(end)));
    sink_.finish();
  }

 private:
  void write_head() {
    const std::string head = file_head(note_.has_costs() ? kVersionWithCosts : kVersion);
    write(std::as_bytes(std::span(head)));
  }

  // Copies the blocks, column by column, and then the table.
  void copy(const ContainerFile& file, std::int64_t chunk) {
    const ChunkTable table = read_table(file, chunk);
    ChunkEntry entry = file.directory.chunk(chunk);
    std::int64_t offset = file.directory.offset(chunk);
    for (const StoredColumn& column : table.columns) {
      const std::span<const std::byte> bytes =
          read(*file.source, offset, static_cast<std::int64_t>(column.size));
      if (hash_of(bytes) != column.hash) {
        throw_damaged(*file.source, offset, kHashError, "another hash");
      }
      write(bytes);
      offset += static_cast<std::int64_t>(column.size);
    }
    write(read(*file.source, offset, entry.table_size));
    chunks_.push_back(std::move(entry));
  }

  std::span<const std::byte> read(const ByteSource& source, std::int64_t offset,
                                  std::int64_t size) {
    if (std::ssize(buffer_) < size) buffer_.resize(static_cast<std::size_t>(size));
    const std::span bytes = std::span(buffer_).first(static_cast<std::size_t>(size));
    source.read_at(offset, bytes);
    return bytes;
  }

  void write(std::span<const std::byte> bytes) {
    sink_.write(bytes);
    written_ += std::ssize(bytes);
  }

  ByteSink& sink_;
  ContainerNote note_;
  std::vector<ChunkEntry> chunks_;
  std::vector<std::byte> buffer_;
  std::int64_t written_ = 0;
};

}  // namespace

void merge_containers(PartsRequest request) {
  ContainerMerger merger(*request.sink);
  for (std::shared_ptr<const ByteSource>& part : request.parts) {
    merger.add(std::move(part), request.progress);
  }
  merger.finish();
}

}  // namespace sheaf::container
