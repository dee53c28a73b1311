#include "reference/sheaf_reference.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/sheaf_bytes.h"
#include "reference/sheaf_columns.h"
#include "reference/sheaf_layout.h"
#include "reference/sheaf_values.h"

namespace sheaf::conformance {
namespace container {
namespace {

struct WrongFile {
  std::int64_t at;
  const char* code;
};

// The first error in a block.
struct WrongPart {
  std::int64_t at;
  const char* code;
  std::size_t column;
};

// A stream as the options request it.
struct WantedStream {
  std::size_t column;
  std::string name;
  ElementType type;
};

class Parser {
 public:
  Parser(std::string_view file, const FormatOptions& options) : file_(file), options_(options) {}

  ReferenceResult parse() {
    ReferenceResult only;
    try {
      read_file();
      std::sort(result_.diagnostics.begin(), result_.diagnostics.end());
      return result_;
    } catch (const WrongFile& wrong) {
      only.fatal.emplace();
      only.fatal->byte_offset = wrong.at;
      only.fatal->code = wrong.code;
    } catch (const Malformed&) {
      only.is_forged = true;
    } catch (const TooLarge&) {
      only.is_forged = true;
    }
    return only;
  }

 private:
  // The wanted columns of a block, by column.
  struct Block {
    std::map<std::size_t, std::vector<ReferenceStream>> streams;
    std::optional<std::vector<std::string>> key_texts;
    std::optional<WrongPart> wrong;
  };

  [[nodiscard]] std::uint64_t word(std::int64_t at) const {
    return ByteReader(part_of(file_, at, 8)).take_word();
  }

  void read_file() {
    read_ends();
    const std::int64_t foot = std::ssize(file_) - kFootSize;
    const std::uint64_t offset = word(foot);
    const std::uint64_t size = word(foot + 8);
    const auto end = static_cast<std::uint64_t>(foot);
    if (word(foot + 24) != hash_of(part_of(file_, foot, 24))) throw WrongFile{foot, "sheaf-foot"};
    const bool fits = offset >= kHeadSize && offset <= end && size == end - offset;
    if (!fits || offset % kAlignment != 0) throw WrongFile{foot, "sheaf-foot"};
    const auto at = static_cast<std::int64_t>(offset);
    if (word(foot + 16) != hash_of(part_of(file_, at, foot - at))) {
      throw WrongFile{at, "sheaf-directory"};
    }
    directory_ = read_directory(file_, at, foot - at);
    check_directory(directory_, at);
    if (directory_.has_costs != (word(8) == 2)) throw Malformed();
    choose_streams();
    for (const FileChunk& chunk : directory_.chunks) read_chunk(chunk);
  }

  void read_ends() const {
    const std::int64_t size = std::ssize(file_);
    if (size < kHeadSize + kFootSize) throw WrongFile{0, "sheaf-magic"};
    if (!file_.starts_with(kHeadMagic)) throw WrongFile{0, "sheaf-magic"};
    if (word(8) != 1 && word(8) != 2) throw WrongFile{8, "sheaf-version"};
    if (part_of(file_, 16, 48) != std::string(48, '\0')) throw WrongFile{0, "sheaf-magic"};
    if (!file_.ends_with(kFootMagic)) throw WrongFile{size - 8, "sheaf-magic"};
  }

  // Streams missing from the file are refused earlier.
  void choose_streams() {
    const auto add = [&](std::size_t column, const std::string& name,
                         std::optional<ElementType> type) {
      const ElementType own = directory_.columns[column].stream.type;
      if (!type && own != ElementType::bytes) type = options_.dtype;
      wanted_.push_back({.column = column, .name = name, .type = type.value_or(own)});
    };
    for (std::size_t i = 0; i < directory_.columns.size(); ++i) {
      const FileColumn& column = directory_.columns[i];
      if (options_.streams.empty() && !column.has_keys) add(i, column.stream.name, std::nullopt);
    }
    for (const StreamOptions& each : options_.streams) {
      const std::string& name = each.alias.empty() ? each.name : each.alias;
      for (std::size_t i = 0; i < directory_.columns.size(); ++i) {
        const FileColumn& column = directory_.columns[i];
        if (!column.has_keys && column.stream.name == name) add(i, each.name, each.dtype);
      }
    }
  }

  [[nodiscard]] bool is_wanted(std::size_t column) const {
    return directory_.columns[column].has_keys ||
           std::ranges::find(wanted_, column, &WantedStream::column) != wanted_.end();
  }

  // Returns the requested name of a column, or nothing for the keys.
  [[nodiscard]] std::string name_of(std::size_t column) const {
    const auto found = std::ranges::find(wanted_, column, &WantedStream::column);
    return found == wanted_.end() ? "" : found->name;
  }

  void read_chunk(const FileChunk& chunk) {
    const std::string_view table = part_of(file_, chunk.table_at, chunk.table_size);
    if (hash_of(table) != chunk.table_hash) throw WrongFile{chunk.table_at, "sheaf-table"};
    const FileLocations locations = read_locations(file_, directory_, chunk);
    const FileSequences sequences = read_sequences(file_, chunk, locations);
    check_table(directory_, chunk, locations, sequences);
    std::vector<Block> blocks;
    for (std::int64_t j = 0; j < chunk.blocks; ++j) {
      const std::vector<StoredColumn>& columns = locations.columns[static_cast<std::size_t>(j)];
      Block block = read_block(chunk, j, columns, sequences);
      const std::int64_t first = chunk.first_of(j);
      for (std::int64_t n = first; n < chunk.first_of(j + 1); ++n) {
        add_sequence(columns, block, sequences, static_cast<std::size_t>(n),
                     static_cast<std::size_t>(n - first));
      }
      blocks.push_back(std::move(block));
    }
    check_sizes(chunk, sequences, blocks);
  }

  [[nodiscard]] Block read_block(const FileChunk& chunk, std::int64_t number,
                                 const std::vector<StoredColumn>& locations,
                                 const FileSequences& sequences) const {
    const std::int64_t first = chunk.first_of(number);
    const std::int64_t count = chunk.first_of(number + 1) - first;
    Block block;
    const auto note = [&](std::size_t column, const char* code) {
      if (!block.wrong) block.wrong = WrongPart{locations[column].at, code, column};
    };
    std::size_t last = 0;
    for (std::size_t i = 0; i < locations.size(); ++i) {
      if (!is_wanted(i)) continue;
      last = i;
      const std::string_view stored = part_of(file_, locations[i].at, locations[i].size);
      if (hash_of(stored) != locations[i].stored_hash) {
        note(i, "sheaf-hash");
        continue;
      }
      try {
        const FileColumn& column = directory_.columns[i];
        const ColumnArrays arrays = read_arrays(stored, column, count);
        check_arrays(arrays, column);
        if (content_hash(arrays, column) != locations[i].content_hash) throw Malformed();
        if (column.has_keys) {
          take_keys(texts_of(arrays), sequences, first, block);
        } else {
          block.streams[i] = streams_of(arrays, column.stream);
        }
      } catch (const Malformed&) {
        note(i, "sheaf-content");
      }
    }
    if (!block.wrong && !has_right_lengths(block, sequences, first, count)) {
      note(last, "sheaf-content");
    }
    return block;
  }

  static void take_keys(std::vector<std::string> texts, const FileSequences& sequences,
                        std::int64_t first, Block& block) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const SequenceKey& key = sequences.keys[static_cast<std::size_t>(first) + i];
      if (key_of_text(texts[i]) != key) throw Malformed();
    }
    block.key_texts = std::move(texts);
  }

  // Returns whether the streams have as many samples as the table says.
  [[nodiscard]] bool has_right_lengths(const Block& block, const FileSequences& sequences,
                                       std::int64_t first, std::int64_t count) const {
    std::optional<std::size_t> defining;
    std::size_t stream_count = 0;
    for (std::size_t i = 0; i < directory_.columns.size(); ++i) {
      if (directory_.columns[i].has_keys) continue;
      ++stream_count;
      if (directory_.columns[i].stream.defines_size) defining = i;
    }
    if (defining && !is_wanted(*defining)) return true;
    for (std::size_t n = 0; n < static_cast<std::size_t>(count); ++n) {
      const std::int64_t said = sequences.sample_counts[static_cast<std::size_t>(first) + n];
      std::int64_t longest = 0;
      for (const auto& [column, streams] : block.streams) {
        if (defining && column != *defining) continue;
        longest = std::max(longest, std::ssize(streams[n].samples));
      }
      const bool is_exact = defining || block.streams.size() == stream_count;
      if (is_exact ? longest != said : longest > said) return false;
    }
    return true;
  }

  void add_sequence(const std::vector<StoredColumn>& locations, const Block& block,
                    const FileSequences& sequences, std::size_t in_chunk, std::size_t in_block) {
    ReferenceSequence sequence;
    sequence.key = sequences.keys[in_chunk];
    std::string shown = to_string(sequence.key);
    if (directory_.has_text_keys()) {
      if (block.key_texts) sequence.key_text = (*block.key_texts)[in_block];
      if (!sequence.key_text.empty()) shown = sequence.key_text;
    } else if (options_.keys == KeyType::text) {
      sequence.key_text = shown;
      sequence.key = key_of_text(shown);
    }
    sequence.sample_count = sequences.sample_counts[in_chunk];
    const auto note = [&](std::int64_t at, const char* code, const std::string& stream) {
      sequence.is_hole = true;
      result_.diagnostics.push_back({.sequence = std::ssize(result_.sequences),
                                     .byte_offset = at,
                                     .sequence_key = shown,
                                     .stream = stream,
                                     .code = code});
    };
    if (block.wrong) note(block.wrong->at, block.wrong->code, name_of(block.wrong->column));
    for (const WantedStream& wanted : wanted_) {
      ReferenceStream& content = sequence.streams.emplace_back();
      if (block.wrong) continue;
      content = block.streams.at(wanted.column)[in_block];
      const ElementType from = directory_.columns[wanted.column].stream.type;
      if (!convert(content, from, wanted.type)) {
        note(locations[wanted.column].at, "sheaf-value", wanted.name);
      }
    }
    if (sequence.is_hole) {
      for (ReferenceStream& content : sequence.streams) content = {};
    }
    result_.sequences.push_back(std::move(sequence));
  }

  // Returns whether the other type can hold all values.
  static bool convert(ReferenceStream& content, ElementType from, ElementType to) {
    for (ReferenceSample& sample : content.samples) {
      for (std::uint64_t& value : sample.values) {
        const std::optional<std::uint64_t> result = converted(value, from, to);
        if (!result) return false;
        value = *result;
      }
    }
    return true;
  }

  // Throws if the directory or the table has sizes that sound blocks do not have.
  void check_sizes(const FileChunk& chunk, const FileSequences& sequences,
                   const std::vector<Block>& blocks) const {
    for (const Block& block : blocks) {
      if (block.wrong) return;
    }
    std::vector<std::int64_t> contents(sequences.keys.size());  // bytes of each sequence
    std::size_t known = 0;
    for (std::size_t i = 0; i < directory_.columns.size(); ++i) {
      if (!is_wanted(i)) continue;
      ++known;
      const FileColumn& column = directory_.columns[i];
      std::int64_t content = 0;
      std::int64_t samples = 0;
      std::size_t n = 0;
      for (const Block& block : blocks) {
        const std::size_t count =
            column.has_keys ? block.key_texts->size() : block.streams.at(i).size();
        for (std::size_t k = 0; k < count; ++k, ++n) {
          const std::int64_t size = column.has_keys
                                        ? content_size((*block.key_texts)[k])
                                        : content_size(block.streams.at(i)[k], column.stream);
          content += size;
          contents[n] += size;
          samples += column.has_keys ? 1 : std::ssize(block.streams.at(i)[k].samples);
        }
      }
      if (content != chunk.contents[i] || samples != chunk.column_samples[i]) throw Malformed();
    }
    if (known < directory_.columns.size()) return;
    std::int64_t at = 0;
    for (std::size_t n = 0; n < contents.size(); ++n) {
      if (sequences.offsets[n] != at) throw Malformed();
      at += contents[n];
    }
  }

  std::string_view file_;
  const FormatOptions& options_;
  FileDirectory directory_;
  std::vector<WantedStream> wanted_;
  ReferenceResult result_;
};

}  // namespace
}  // namespace container

ReferenceResult parse_sheaf(std::string_view bytes, const FormatOptions& options) {
  return container::Parser(bytes, options).parse();
}

}  // namespace sheaf::conformance
