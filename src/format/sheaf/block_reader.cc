#include "format/sheaf/block_reader.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "format/sheaf/container_errors.h"
#include "index/units.h"

namespace sheaf::container {
namespace {

/// Contiguous bytes of the file.
struct Extent {
  std::int64_t file_offset = 0;
  std::int64_t size = 0;
  std::int64_t offset = 0;  // in the bytes that are read
};

/// Reads one run of blocks. Can be used once.
class BlockRun {
 public:
  BlockRun(const ContainerFile& file, const ContainerSchema& schema, std::int64_t chunk,
           const ChunkTable& table)
      : file_(file),
        schema_(schema),
        table_(table),
        entry_(file.directory.chunk(chunk)),
        offset_(file.directory.offset(chunk)),
        units_(table.sequences.size(), table.block_count) {}

  ReadBlocks read(std::int64_t first, std::int64_t count) {
    const std::int64_t begin = units_.of(first);
    const std::int64_t end = units_.of(first + count - 1) + 1;
    plan(begin, end);
    fetch();
    for (std::size_t i = 0; i < result_.blocks.size(); ++i) open(i);
    return std::move(result_);
  }

 private:
  void plan(std::int64_t begin, std::int64_t end) {
    const std::int64_t column_count = file_.directory.column_count();
    std::int64_t at = offset_;
    for (std::int64_t block = 0; block < end; ++block) {
      ReadBlock read{.first = units_.first(block),
                     .count = units_.first(block + 1) - units_.first(block)};
      std::size_t next = 0;  // among the wanted columns
      for (std::int64_t column = 0; column < column_count; ++column) {
        const auto size =
            static_cast<std::int64_t>(container::stored_column(table_, block, column).size);
        const bool is_wanted =
            next < schema_.columns_in_file.size() && schema_.columns_in_file[next] == column;
        if (block >= begin && is_wanted) {
          read.offsets.push_back(at);
          offsets_.push_back(add_extent(at, size));
          sizes_.push_back(size);
        }
        next += is_wanted ? 1 : 0;
        at += size;
      }
      if (block < begin) continue;
      numbers_.push_back(block);
      result_.blocks.push_back(std::move(read));
    }
  }

  std::int64_t add_extent(std::int64_t file_offset, std::int64_t size) {
    const std::int64_t offset = size_;
    size_ += size;
    if (!extents_.empty() && extents_.back().file_offset + extents_.back().size == file_offset) {
      extents_.back().size += size;
    } else {
      extents_.push_back({file_offset, size, offset});
    }
    return offset;
  }

  void fetch() {
    Buffer buffer;
    buffer.reserve(size_);
    buffer.resize(size_);
    std::vector<ByteSource::Request> requests;
    for (const Extent& extent : extents_) {
      requests.push_back(
          {extent.file_offset,
           {buffer.mutable_data() + extent.offset, static_cast<std::size_t>(extent.size)}});
    }
    file_.source->read_many(requests);
    result_.bytes = std::make_shared<const Buffer>(std::move(buffer));
  }

  void open(std::size_t number) {
    ReadBlock& block = result_.blocks[number];
    const std::size_t wanted = schema_.columns_in_file.size();
    for (std::size_t i = 0; i < wanted && !block.damage; ++i) {
      const std::int64_t column = schema_.columns_in_file[i];
      const std::size_t k = number * wanted + i;
      const std::span<const std::byte> bytes(result_.bytes->data() + offsets_[k],
                                             static_cast<std::size_t>(sizes_[k]));
      const auto damaged = [&](const internal::ErrorKind& kind, std::string found) {
        block.damage = BlockDamage{.kind = &kind,
                                   .found = std::move(found),
                                   .byte_offset = block.offsets[i],
                                   .stream = schema_.stream_of(column)};
      };
      if (hash_of(bytes) != container::stored_column(table_, numbers_[number], column).hash) {
        damaged(kHashError, "another hash");
        continue;
      }
      std::optional<BlockColumn> opened =
          BlockColumn::open(bytes, file_.directory.note().stream_of(column), block.count,
                            entry_.contents[static_cast<std::size_t>(column)]);
      if (!opened) {
        damaged(kContentError, "arrays that do not fit each other");
        continue;
      }
      block.columns.push_back(*std::move(opened));
    }
  }

  const ContainerFile& file_;
  const ContainerSchema& schema_;
  const ChunkTable& table_;
  const ChunkEntry entry_;
  const std::int64_t offset_;
  const internal::Units units_;

  std::vector<std::int64_t> numbers_;  // numbers of the blocks
  std::vector<std::int64_t> offsets_;  // [block][wanted column]: offsets in the bytes that are read
  std::vector<std::int64_t> sizes_;
  std::vector<Extent> extents_;
  std::int64_t size_ = 0;
  ReadBlocks result_;
};

}  // namespace

const StoredColumn& stored_column(const ChunkTable& table, std::int64_t block,
                                  std::int64_t column) noexcept {
  const std::int64_t column_count = std::ssize(table.columns) / table.block_count;
  return table.columns[static_cast<std::size_t>(block * column_count + column)];
}

ReadBlocks read_blocks(const ContainerFile& file, const ContainerSchema& schema, std::int64_t chunk,
                       const ChunkTable& table, std::int64_t first, std::int64_t count) {
  return BlockRun(file, schema, chunk, table).read(first, count);
}

}  // namespace sheaf::container
