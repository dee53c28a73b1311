#include "reference/sheaf_layout.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "reference/sheaf_bytes.h"

namespace sheaf::conformance::container {
namespace {

void append(std::string& to, std::uint64_t word) {
  to.append(reinterpret_cast<const char*>(&word), sizeof word);
}

}  // namespace

bool FileStream::is_fixed() const {
  return std::ranges::find(shape, Shape::kVariable) == shape.end();
}

std::int64_t FileStream::sample_size() const {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size = product_of(size, extent);
  return size;
}

std::string_view part_of(std::string_view file, std::int64_t at, std::int64_t size) {
  if (at < 0 || size < 0 || at > std::ssize(file) || size > std::ssize(file) - at) {
    throw Malformed();
  }
  return file.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
}

FileDirectory read_directory(std::string_view file, std::int64_t at, std::int64_t size) {
  ByteReader bytes(part_of(file, at, size));
  FileDirectory directory;
  const std::string_view note = bytes.take(bytes.take_count());
  directory.columns = columns_of_note(note);
  directory.has_costs = note_has_costs(note);
  const std::int64_t count = bytes.take_count();
  if (count > bytes.left() / 16) throw Malformed();  // two hashes for each chunk
  directory.chunks.resize(static_cast<std::size_t>(count));
  const auto take = [&](const auto& set) {
    const std::vector<std::int64_t> numbers = bytes.take_counts(count);
    for (std::size_t i = 0; i < numbers.size(); ++i) set(directory.chunks[i], numbers[i]);
  };
  take([](FileChunk& chunk, std::int64_t number) { chunk.blocks_size = number; });
  take([](FileChunk& chunk, std::int64_t number) { chunk.table_size = number; });
  take([](FileChunk& chunk, std::int64_t number) { chunk.sequences = number; });
  take([](FileChunk& chunk, std::int64_t number) { chunk.blocks = number; });
  take([](FileChunk& chunk, std::int64_t number) { chunk.samples = number; });
  for (std::size_t i = 0; i < directory.columns.size(); ++i) {
    take([](FileChunk& chunk, std::int64_t number) { chunk.contents.push_back(number); });
    take([](FileChunk& chunk, std::int64_t number) { chunk.column_samples.push_back(number); });
  }
  for (FileChunk& chunk : directory.chunks) {
    chunk.table_hash_at = at + bytes.at();
    chunk.table_hash = bytes.take_word();
  }
  std::int64_t location = kHeadSize;
  for (FileChunk& chunk : directory.chunks) {
    chunk.content_hash_at = at + bytes.at();
    chunk.content_hash = bytes.take_word();
    chunk.at = location;
    chunk.table_at = sum_of(location, chunk.blocks_size);
    location = sum_of(chunk.table_at, chunk.table_size);
  }
  if (bytes.left() > 0) throw Malformed();
  return directory;
}

void check_directory(const FileDirectory& directory, std::int64_t at) {
  std::int64_t end = kHeadSize;
  std::int64_t sequences = 0;
  for (const FileChunk& chunk : directory.chunks) {
    end = sum_of(chunk.table_at, chunk.table_size);
    if (chunk.blocks_size % kAlignment != 0 || chunk.table_size % kAlignment != 0) {
      throw Malformed();
    }
    if (chunk.blocks < 1 || chunk.blocks > chunk.sequences) throw Malformed();
    if (directory.has_text_keys() && chunk.column_samples[0] != chunk.sequences) throw Malformed();
    for (const std::int64_t content : chunk.contents) {
      // The length of each sequence takes 8 bytes.
      if (content / 8 < chunk.sequences) throw Malformed();
    }
    sequences = sum_of(sequences, chunk.sequences);
    if (sequences > kCountMax) throw TooLarge();
  }
  if (end != at) throw Malformed();
}

FileLocations read_locations(std::string_view file, const FileDirectory& directory,
                             const FileChunk& chunk) {
  ByteReader bytes(part_of(file, chunk.table_at, chunk.table_size));
  if (bytes.take_count() != chunk.sequences) throw Malformed();
  if (bytes.take_count() != chunk.blocks) throw Malformed();
  FileLocations locations;
  std::int64_t at = chunk.at;
  for (std::int64_t block = 0; block < chunk.blocks; ++block) {
    locations.columns.emplace_back();
    for (std::size_t i = 0; i < directory.columns.size(); ++i) {
      StoredColumn location{.at = at, .size = bytes.take_count()};
      location.hashes_at = chunk.table_at + bytes.at();
      location.stored_hash = bytes.take_word();
      location.content_hash = bytes.take_word();
      at = sum_of(at, location.size);
      locations.columns.back().push_back(location);
    }
  }
  locations.end = chunk.table_at + bytes.at();
  return locations;
}

FileSequences read_sequences(std::string_view file, const FileChunk& chunk,
                             const FileLocations& locations) {
  const std::int64_t end = chunk.table_at + chunk.table_size;
  const std::string_view rest = part_of(file, locations.end, end - locations.end);
  ByteReader bytes(rest);
  FileSequences sequences;
  const std::vector<std::uint64_t> low = bytes.take_list(chunk.sequences);
  const std::vector<std::uint64_t> high = bytes.take_list(chunk.sequences);
  for (std::size_t i = 0; i < low.size(); ++i) {
    sequences.keys.push_back({.low = low[i], .high = high[i]});
  }
  sequences.offsets = bytes.take_counts(chunk.sequences);
  sequences.sample_counts = bytes.take_counts(chunk.sequences);
  const std::uint8_t form = bytes.take_byte();
  if (form > 7) throw Malformed();
  sequences.has_costs = (form & 2U) != 0;
  sequences.has_sources = (form & 4U) != 0;
  sequences.first_lines = bytes.take_list(chunk.sequences);
  if (form % 2 == 1) {
    std::uint64_t samples = 0;
    for (std::size_t i = 0; i < low.size(); ++i) {
      sequences.first_lines[i] += samples;
      samples += static_cast<std::uint64_t>(sequences.sample_counts[i]);
    }
  }
  if (sequences.has_costs) static_cast<void>(bytes.take_counts(chunk.sequences));
  sequences.bytes = rest.substr(0, static_cast<std::size_t>(bytes.at()));
  sequences.padding = bytes.take(bytes.left());
  return sequences;
}

void check_table(const FileDirectory& directory, const FileChunk& chunk,
                 const FileLocations& locations, const FileSequences& sequences) {
  std::int64_t at = chunk.at;
  for (const std::vector<StoredColumn>& block : locations.columns) {
    for (const StoredColumn& location : block) {
      if (location.size % kAlignment != 0) throw Malformed();
      at = sum_of(at, location.size);
    }
  }
  if (at != chunk.table_at) throw Malformed();
  if (sequences.has_costs != directory.has_costs || sequences.has_sources) throw Malformed();
  if (std::ssize(sequences.padding) >= kAlignment) throw Malformed();
  if (sequences.padding.find_first_not_of('\0') != std::string_view::npos) throw Malformed();
  for (const std::uint64_t line : sequences.first_lines) {
    if (line != 0) throw Malformed();
  }
  for (const SequenceKey& key : sequences.keys) {
    if ((key.high != 0) != directory.has_text_keys()) throw Malformed();
  }
  std::int64_t samples = 0;
  for (const std::int64_t count : sequences.sample_counts) samples = sum_of(samples, count);
  if (samples != chunk.samples) throw Malformed();
  std::int64_t content = 0;
  for (const std::int64_t size : chunk.contents) content = sum_of(content, size);
  if (sequences.offsets.front() != 0 || sequences.offsets.back() > content) throw Malformed();
  if (!std::ranges::is_sorted(sequences.offsets)) throw Malformed();
  if (chunk_hash(chunk, locations, sequences) != chunk.content_hash) throw Malformed();
}

std::uint64_t chunk_hash(const FileChunk& chunk, const FileLocations& locations,
                         const FileSequences& sequences) {
  std::string words;
  append(words, static_cast<std::uint64_t>(chunk.sequences));
  append(words, static_cast<std::uint64_t>(chunk.blocks));
  for (const std::vector<StoredColumn>& block : locations.columns) {
    for (const StoredColumn& location : block) append(words, location.content_hash);
  }
  append(words, hash_of(sequences.bytes));
  return hash_of(words);
}

}  // namespace sheaf::conformance::container
