#include "format/sheaf/container_builder.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "format/sheaf/container_bytes.h"
#include "reference/sheaf_bytes.h"
#include "reference/sheaf_columns.h"
#include "reference/sheaf_layout.h"

namespace sheaf::testing {
namespace {

namespace container = conformance::container;
using container::FileColumn;
using container::hash_of;
using Json = nlohmann::ordered_json;

// Appends values in runs of whole words, a form that fits any numbers.
void put_list(std::string& to, const std::vector<std::uint64_t>& numbers) {
  if (numbers.empty()) return;
  to.push_back('\1');
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i % 64 == 0) to.push_back('\x40');
    put_word(to, numbers[i]);
  }
}

// Returns the value of an i64 array that may be too short.
std::int64_t count_at(const BuiltArray& array, std::int64_t i) {
  const auto entry = static_cast<std::size_t>(i);
  return entry < array.bits.size() ? static_cast<std::int64_t>(array.bits[entry]) : 0;
}

class Builder {
 public:
  explicit Builder(const BuiltContainer& built) : built_(built) {
    if (built.has_text_keys) columns_.push_back({.has_keys = true, .stream = {}});
    for (const BuiltStream& stream : built.streams) columns_.push_back(column_of(stream));
  }

  std::string build() {
    file_ = container::kHeadMagic;
    put_word(file_, built_.cost_name.empty() ? 1 : 2);
    pad(file_);
    lists_.resize(5 + 2 * columns_.size());
    for (const BuiltChunk& chunk : built_.chunks) add_chunk(chunk);
    std::string directory;
    const std::string note = built_.note ? *built_.note : note_of();
    put_word(directory, note.size());
    directory += note;
    put_word(directory, built_.chunks.size());
    for (const std::vector<std::uint64_t>& list : lists_) put_list(directory, list);
    directory += table_hashes_ + content_hashes_;
    std::string foot;
    put_word(foot, file_.size());
    put_word(foot, directory.size());
    put_word(foot, hash_of(directory));
    put_word(foot, hash_of(foot));
    return file_ + directory + foot + std::string(container::kFootMagic);
  }

 private:
  // Adds the stored form of a column, and its offset.
  void add_column(std::size_t number, const std::vector<BuiltArray>& arrays) {
    const FileColumn& column = columns_[number];
    const BuiltColumn stored = built_column(column, arrays);
    put_word(column_entries_, stored.bytes.size());
    put_word(column_entries_, hash_of(stored.bytes));
    put_word(column_entries_, stored.content_hash);
    put_word(hash_words_, stored.content_hash);
    file_ += stored.bytes;
    const std::vector<std::string> names = container::array_names(column);
    for (std::size_t i = 0; i < std::min(names.size(), arrays.size()); ++i) {
      const auto size = static_cast<std::size_t>(element_size(array_type(column, names[i])));
      note_storage(number, names[i], arrays[i], arrays[i].bits.size() * size,
                   stored.array_sizes[i]);
    }
  }

  // Returns how many bytes of content a sequence has. Its samples begin with number `sample`, and
  // its values with number `value`. Advances both.
  static std::int64_t take_content(const FileColumn& column, const std::vector<BuiltArray>& arrays,
                                   std::int64_t samples, std::int64_t& sample,
                                   std::int64_t& value) {
    const container::FileStream& stream = column.stream;
    const std::int64_t rank = std::ssize(stream.shape);
    std::int64_t values = 0;
    std::int64_t size = 8;
    for (; samples > 0; --samples, ++sample) {
      std::int64_t count = stream.is_sparse ? count_at(arrays[2], sample) : stream.sample_size();
      if (stream.is_sparse) size += 8;
      if (!stream.is_sparse && !stream.is_fixed()) {
        count = 1;
        for (std::int64_t axis = 0; axis < rank; ++axis) {
          const std::int64_t extent =
              std::max<std::int64_t>(count_at(arrays[2], sample * rank + axis), 0);
          count = container::product_of(count, extent);
        }
        size += 8 * rank;
      }
      values += clipped(count, std::ssize(arrays.back().bits) - value - values);
    }
    value += values;
    size += values * element_size(stream.type);
    return stream.is_sparse ? size + values * element_size(stream.index_type) : size;
  }

  void add_contents(std::size_t number, const std::vector<BuiltArray>& arrays, std::size_t first,
                    std::size_t count) {
    const FileColumn& column = columns_[number];
    std::int64_t sample = 0;
    std::int64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      std::int64_t samples = 1;
      std::int64_t content = 8;
      if (column.has_keys) {
        content += count_at(arrays[0], static_cast<std::int64_t>(i));
      } else if (arrays.size() == container::array_names(column).size()) {
        constexpr std::int64_t kMost = std::int64_t{1} << 20;
        samples = clipped(count_at(arrays[1], static_cast<std::int64_t>(i)), kMost);
        content = take_content(column, arrays, samples, sample, value);
      }
      contents_[first + i] += content;
      lists_[5 + 2 * number].back() += static_cast<std::uint64_t>(content);
      lists_[6 + 2 * number].back() += static_cast<std::uint64_t>(samples);
    }
  }

  void add_chunk(const BuiltChunk& chunk) {
    const std::size_t count = chunk.sample_counts.size();
    const std::size_t begin = file_.size();
    column_entries_.clear();
    hash_words_.clear();
    contents_.assign(count, 0);
    for (std::vector<std::uint64_t>& list : lists_) list.push_back(0);
    for (std::size_t j = 0; j < chunk.blocks.size(); ++j) {
      const std::size_t first = j * count / chunk.blocks.size();
      const std::size_t end = (j + 1) * count / chunk.blocks.size();
      std::vector<std::vector<BuiltArray>> columns = chunk.blocks[j].columns;
      if (built_.has_text_keys) {
        BuiltArray sizes{.codec = chunk.blocks[j].key_sizes};
        BuiltArray text{.codec = chunk.blocks[j].key_text};
        for (std::size_t n = first; n < end; ++n) {
          sizes.bits.push_back(chunk.key_texts[n].size());
          for (const char c : chunk.key_texts[n]) {
            text.bits.push_back(static_cast<unsigned char>(c));
          }
        }
        columns.insert(columns.begin(), {std::move(sizes), std::move(text)});
      }
      for (std::size_t i = 0; i < columns.size(); ++i) {
        add_column(i, columns[i]);
        add_contents(i, columns[i], first, end - first);
      }
    }
    add_table(chunk, file_.size() - begin);
  }

  void add_table(const BuiltChunk& chunk, std::size_t blocks_size) {
    const std::size_t count = chunk.sample_counts.size();
    std::vector<std::uint64_t> low;
    std::vector<std::uint64_t> high;
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint64_t> samples;
    std::uint64_t offset = 0;
    for (std::size_t n = 0; n < count; ++n) {
      SequenceKey key{.low = n < chunk.keys.size() ? chunk.keys[n] : n};
      if (built_.has_text_keys) key = key_of_text(chunk.key_texts[n]);
      low.push_back(key.low);
      high.push_back(key.high);
      offsets.push_back(offset);
      offset += static_cast<std::uint64_t>(contents_[n]);
      samples.push_back(static_cast<std::uint64_t>(chunk.sample_counts[n]));
      lists_[4].back() += samples.back();
    }
    std::string sequences;
    for (const auto& list : {low, high, offsets, samples}) put_list(sequences, list);
    const bool has_costs = !built_.cost_name.empty();
    sequences.push_back(has_costs ? '\2' : '\0');  // first lines are stored uncompressed
    put_list(sequences, std::vector<std::uint64_t>(count));
    if (has_costs) put_list(sequences, chunk.costs);
    std::string table;
    put_word(table, count);
    put_word(table, chunk.blocks.size());
    std::string words = table + hash_words_;
    put_word(words, hash_of(sequences));
    table += column_entries_ + sequences;
    pad(table);
    lists_[0].back() = blocks_size;
    lists_[1].back() = table.size();
    lists_[2].back() = count;
    lists_[3].back() = chunk.blocks.size();
    put_word(table_hashes_, hash_of(table));
    put_word(content_hashes_, hash_of(words));
    file_ += table;
  }

  // The bytes of the arrays with one kind and codec.
  struct StorageLine {
    std::int64_t arrays = 0;
    std::size_t content = 0;
    std::size_t stored = 0;
  };

  void note_storage(std::size_t column, const std::string& name, const BuiltArray& array,
                    std::size_t content, std::size_t stored) {
    StorageLine& storage = storage_[{column, name, static_cast<int>(array.codec)}];
    ++storage.arrays;
    storage.content += content;
    storage.stored += stored;
  }

  [[nodiscard]] std::string note_of() const {
    Json note = {{"keys", built_.has_text_keys ? "texts" : "numbers"}, {"streams", Json::array()}};
    for (const BuiltStream& stream : built_.streams) {
      Json json = {{"name", stream.name}, {"storage", to_string(stream.storage)}};
      json["type"] = to_string(stream.type);
      if (stream.storage == Storage::sparse) json["index_type"] = to_string(stream.index_type);
      json["shape"] = stream.shape;
      if (stream.defines_minibatch_size) json["defines_minibatch_size"] = true;
      if (!stream.class_names.empty()) json["class_names"] = stream.class_names;
      note["streams"].push_back(std::move(json));
    }
    if (!built_.cost_name.empty()) note["costs"] = built_.cost_name;
    note["storage"] = Json::array();
    const char* codecs[] = {"raw", "constant", "packed", "delta", "decimal", "lz4", "zstd"};
    for (const auto& [entry, storage] : storage_) {
      const auto& [column, name, codec] = entry;
      note["storage"].push_back({{"column", column},
                                 {"array", name},
                                 {"codec", codecs[codec]},
                                 {"arrays", storage.arrays},
                                 {"content_bytes", storage.content},
                                 {"stored_bytes", storage.stored}});
    }
    return note.dump();
  }

  const BuiltContainer& built_;
  std::vector<FileColumn> columns_;
  std::string file_;
  std::vector<std::vector<std::uint64_t>> lists_;  // lists of the directory
  std::string table_hashes_;
  std::string content_hashes_;
  std::map<std::tuple<std::size_t, std::string, int>, StorageLine> storage_;

  // Fields of the current chunk.
  std::string column_entries_;
  std::string hash_words_;
  std::vector<std::int64_t> contents_;  // bytes of each sequence
};

}  // namespace

std::string build_container(const BuiltContainer& built) { return Builder(built).build(); }

}  // namespace sheaf::testing
