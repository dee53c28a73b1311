#include "format/sheaf/container_test_file.h"

#include <cstddef>
#include <cstring>
#include <optional>

#include "reference/sheaf_bytes.h"
#include "reference/sheaf_columns.h"
#include "reference/sheaf_layout.h"

namespace sheaf::testing {
namespace {

namespace container = conformance::container;
using container::FileChunk;
using container::FileDirectory;
using container::FileLocations;
using container::part_of;

// Returns the result of a function, or nothing if it cannot follow the bytes.
template <typename Function>
auto attempt(const Function& function) -> std::optional<decltype(function())> {
  try {
    return function();
  } catch (const container::Malformed&) {
    return std::nullopt;
  } catch (const container::TooLarge&) {
    return std::nullopt;
  }
}

void set_word(std::string& file, std::int64_t at, std::uint64_t word) {
  std::memcpy(file.data() + at, &word, sizeof word);
}

// The offset of the directory, and those of its parts that can be found.
struct Found {
  std::int64_t foot = 0;
  std::int64_t at = 0;
  std::optional<FileDirectory> directory;
};

// Returns nothing if the foot does not lead to a directory.
std::optional<Found> find_directory(std::string_view file) {
  return attempt([&] {
    Found found;
    found.foot = std::ssize(file) - container::kFootSize;
    container::ByteReader foot(part_of(file, found.foot, container::kFootSize));
    found.at = foot.take_count();
    const std::int64_t size = foot.take_count();
    if (found.at < container::kHeadSize) throw container::Malformed();
    if (found.at > found.foot || size != found.foot - found.at) throw container::Malformed();
    found.directory = attempt([&] { return container::read_directory(file, found.at, size); });
    return found;
  });
}

std::optional<FileLocations> find_locations(std::string_view file, const FileDirectory& directory,
                                            const FileChunk& chunk) {
  if (chunk.blocks < 1 || chunk.sequences > container::kCountMax) return std::nullopt;
  return attempt([&] { return container::read_locations(file, directory, chunk); });
}

void reseal_columns(std::string& file, const FileDirectory& directory, const FileChunk& chunk,
                    const FileLocations& locations) {
  for (std::int64_t j = 0; j < chunk.blocks; ++j) {
    const std::int64_t count = chunk.first_of(j + 1) - chunk.first_of(j);
    for (std::size_t i = 0; i < directory.columns.size(); ++i) {
      const container::StoredColumn& location = locations.columns[static_cast<std::size_t>(j)][i];
      const auto stored = attempt([&] { return part_of(file, location.at, location.size); });
      if (!stored) continue;
      const std::uint64_t hash = container::hash_of(*stored);
      const auto content = attempt([&] {
        const container::FileColumn& column = directory.columns[i];
        return container::content_hash(container::read_arrays(*stored, column, count), column);
      });
      set_word(file, location.hashes_at, hash);
      if (content) set_word(file, location.hashes_at + 8, *content);
    }
  }
}

void reseal_chunk(std::string& file, const FileDirectory& directory, const FileChunk& chunk) {
  if (const auto locations = find_locations(file, directory, chunk)) {
    reseal_columns(file, directory, chunk, *locations);
    const auto content = attempt([&] {
      const FileLocations changed = container::read_locations(file, directory, chunk);
      return container::chunk_hash(chunk, changed, container::read_sequences(file, chunk, changed));
    });
    if (content) set_word(file, chunk.content_hash_at, *content);
  }
  const auto table = attempt([&] { return part_of(file, chunk.table_at, chunk.table_size); });
  if (table) set_word(file, chunk.table_hash_at, container::hash_of(*table));
}

}  // namespace

std::vector<ContainerPart> parts_of(std::string_view file) {
  std::vector<ContainerPart> parts;
  if (std::ssize(file) < container::kHeadSize + container::kFootSize) return parts;
  parts.push_back({"head", 0, container::kHeadSize});
  const std::optional<Found> found = find_directory(file);
  if (found && found->directory) {
    for (std::size_t c = 0; c < found->directory->chunks.size(); ++c) {
      const FileChunk& chunk = found->directory->chunks[c];
      const std::string of_chunk = " of chunk " + std::to_string(c);
      const auto locations = find_locations(file, *found->directory, chunk);
      for (std::size_t j = 0; locations && j < locations->columns.size(); ++j) {
        for (std::size_t i = 0; i < locations->columns[j].size(); ++i) {
          const container::StoredColumn& location = locations->columns[j][i];
          if (!attempt([&] { return part_of(file, location.at, location.size); })) continue;
          parts.push_back(
              {"column " + std::to_string(i) + " of block " + std::to_string(j) + of_chunk,
               location.at, location.size});
        }
      }
      if (!attempt([&] { return part_of(file, chunk.table_at, chunk.table_size); })) continue;
      parts.push_back({"table" + of_chunk, chunk.table_at, chunk.table_size});
    }
  }
  if (found) parts.push_back({"directory", found->at, found->foot - found->at});
  parts.push_back({"foot", std::ssize(file) - container::kFootSize, container::kFootSize});
  return parts;
}

std::string resealed(std::string file) {
  if (std::ssize(file) < container::kHeadSize + container::kFootSize) return file;
  const std::int64_t foot = std::ssize(file) - container::kFootSize;
  if (const std::optional<Found> found = find_directory(file)) {
    if (found->directory) {
      for (const FileChunk& chunk : found->directory->chunks) {
        reseal_chunk(file, *found->directory, chunk);
      }
    }
    const std::string_view directory = part_of(file, found->at, foot - found->at);
    set_word(file, foot + 16, container::hash_of(directory));
  }
  set_word(file, foot + 24, container::hash_of(part_of(file, foot, 24)));
  return file;
}

}  // namespace sheaf::testing
