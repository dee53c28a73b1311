#include "reference/cbf_reference.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sheaf::conformance {
namespace {

constexpr std::string_view kMagic = "nib_ktnc";

struct Fatal {
  std::int64_t at;
  const char* code;
  std::string stream;
};

// An error after which nothing else can be found.
struct Damage {
  std::int64_t at;
  const char* code;
  std::size_t stream;
};

// Returns whether bytes are UTF-8 without zeros, by decoding them.
bool is_utf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[i]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (lead == 0 || (lead >= 0x80 && lead < 0xC0) || lead > 0xF7) return false;
    std::uint32_t point = size == 1 ? lead : lead & (0xFFU >> (size + 1));
    for (std::size_t k = 1; k < size; ++k) {
      if (i + k >= bytes.size()) return false;
      const auto byte = static_cast<unsigned char>(bytes[i + k]);
      if (byte < 0x80 || byte > 0xBF) return false;
      point = point << 6U | (byte & 0x3FU);
    }
    const std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool is_surrogate = point >= 0xD800 && point < 0xE000;
    if (point < least[size] || point > 0x10FFFF || is_surrogate) return false;
    i += size;
  }
  return true;
}

struct FileStream {
  std::string name;
  bool is_sparse = false;
  bool is_double = false;
  std::int64_t dim = 0;
};

struct FileChunk {
  std::int64_t entry_at = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t sequences = 0;
  std::int64_t samples = 0;
};

struct Entry {  // a sample
  std::vector<std::int64_t> indices;
  std::vector<std::uint64_t> values;
};

struct WrongPart {
  std::int64_t at;
  const char* code;
};

// The checks have the right hash, but do not fit a chunk.
struct Forged {};

struct Block {
  std::vector<Entry> samples;
  std::optional<WrongPart> wrong;
};

class Parser {
 public:
  Parser(std::string_view bytes, const FormatOptions& options) : bytes_(bytes), options_(options) {}

  ReferenceResult parse() {
    try {
      read_header();
      choose_streams();
      read_checks();
      for (std::size_t i = 0; i < chunks_.size(); ++i) {
        if (chunks_[i].sequences > 0) read_chunk(chunks_[i]);
      }
    } catch (const Forged&) {
      ReferenceResult only;
      only.is_forged = true;
      return only;
    } catch (const Fatal& fatal) {
      ReferenceResult only;
      only.fatal.emplace();
      only.fatal->byte_offset = fatal.at;
      only.fatal->code = fatal.code;
      only.fatal->stream = fatal.stream;
      return only;
    }
    std::sort(result_.diagnostics.begin(), result_.diagnostics.end());
    return result_;
  }

 private:
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(bytes_.size()); }

  template <typename T>
  [[nodiscard]] T number(std::int64_t at) const {
    T value;
    std::memcpy(&value, bytes_.substr(static_cast<std::size_t>(at), sizeof value).data(),
                sizeof value);
    return value;
  }

  [[nodiscard]] bool has_magic(std::int64_t at) const {
    return at >= 0 && at + 8 <= size() && bytes_.substr(static_cast<std::size_t>(at), 8) == kMagic;
  }

  void read_header() {
    if (size() < 12) throw Fatal{size(), "cbf-truncated", ""};
    if (!has_magic(0)) {
      const auto found = number<std::uint64_t>(0);
      throw Fatal{0, found == 1 || found == 2 ? "cbf-header-first" : "cbf-magic", ""};
    }
    if (number<std::uint32_t>(8) != 1) throw Fatal{8, "cbf-version", ""};
    if (size() < 36) throw Fatal{size(), "cbf-truncated", ""};
    end_ = size() - 8;
    const auto header = number<std::int64_t>(end_);
    const bool is_within = header >= 12 && header <= end_ - 16;
    if (!is_within || !has_magic(header)) {
      if (has_magic(12)) throw Fatal{12, "cbf-header-first", ""};
      if (!is_within) throw Fatal{end_, "cbf-trailer", ""};
      throw Fatal{header, "cbf-magic", ""};
    }
    header_ = header;
    const std::int64_t chunk_count = number<std::uint32_t>(header + 8);
    const std::int64_t stream_count = number<std::uint32_t>(header + 12);
    std::int64_t at = header + 16;
    if (stream_count == 0 || stream_count * 11 > end_ - at) {
      throw Fatal{header + 12, "cbf-stream-count", ""};
    }
    std::set<std::string> names;
    for (std::int64_t i = 0; i < stream_count; ++i) at = read_stream(at, names);
    if (chunk_count * 16 > end_ - at) throw Fatal{header + 8, "cbf-chunk-count", ""};
    for (std::int64_t i = 0; i < chunk_count; ++i, at += 16) {
      FileChunk chunk{.entry_at = at,
                      .begin = number<std::int64_t>(at),
                      .end = header_,
                      .sequences = number<std::uint32_t>(at + 8),
                      .samples = number<std::uint32_t>(at + 12)};
      if (chunk.begin < 12 || chunk.begin > header_) throw Fatal{at, "cbf-chunk-offset", ""};
      if (i > 0) end_chunk(chunks_.back(), chunk.begin);
      chunks_.push_back(chunk);
    }
    if (!chunks_.empty()) end_chunk(chunks_.back(), header_);
    table_end_ = at;
    if (std::ranges::all_of(chunks_, [](const FileChunk& c) { return c.sequences == 0; })) {
      throw Fatal{header + 8, "cbf-empty", ""};
    }
  }

  std::int64_t read_stream(std::int64_t at, std::set<std::string>& names) {
    if (end_ - at < 10) throw Fatal{at, "cbf-truncated", ""};
    FileStream stream;
    const auto storage = number<std::uint8_t>(at);
    if (storage > 1) throw Fatal{at, "cbf-storage", ""};
    stream.is_sparse = storage == 1;
    const std::int64_t name_size = number<std::uint32_t>(at + 1);
    constexpr std::int64_t kNameSizeMax = 1'048'576;
    if (name_size == 0 || name_size > end_ - at - 10 || name_size > kNameSizeMax)
      throw Fatal{at + 1, "cbf-name-size", ""};
    stream.name =
        bytes_.substr(static_cast<std::size_t>(at + 5), static_cast<std::size_t>(name_size));
    if (!is_utf8(stream.name)) throw Fatal{at + 5, "cbf-name", ""};
    const std::int64_t behind = at + 5 + name_size;
    const auto type = number<std::uint8_t>(behind);
    if (type > 1) throw Fatal{behind, "cbf-element-type", ""};
    stream.is_double = type == 1;
    stream.dim = number<std::uint32_t>(behind + 1);
    if (stream.dim == 0 || (stream.is_sparse && stream.dim > 2147483647)) {
      throw Fatal{behind + 1, "cbf-dim", stream.name};
    }
    if (!names.insert(stream.name).second) throw Fatal{at + 5, "cbf-repeated-name", ""};
    streams_.push_back(stream);
    return behind + 5;
  }

  void end_chunk(FileChunk& chunk, std::int64_t end) const {
    std::int64_t least = 4;
    for (const FileStream& stream : streams_) least += stream.is_sparse ? 8 : 4;
    if (end < chunk.begin) throw Fatal{chunk.entry_at, "cbf-chunk-offset", ""};
    if (chunk.sequences * least > end - chunk.begin) {
      throw Fatal{chunk.entry_at + 8, "cbf-sequence-count", ""};
    }
    if (chunk.sequences == 0) {
      if (chunk.samples > 0) throw Fatal{chunk.entry_at + 12, "cbf-sample-count", ""};
      if (end > chunk.begin) throw Fatal{chunk.begin, "cbf-slack", ""};
    }
    chunk.end = end;
  }

  // Streams missing from the file are refused earlier. If compatible with CNTK, the options only
  // rename streams.
  void choose_streams() {
    const bool renames = options_.streams.empty() || options_.compatibility == Compatibility::cntk;
    for (std::size_t i = 0; renames && i < streams_.size(); ++i) {
      wanted_.emplace_back(i, streams_[i].name);
    }
    for (const StreamOptions& each : options_.streams) {
      const std::string& name = each.alias.empty() ? each.name : each.alias;
      const auto found = std::ranges::find(streams_, name, &FileStream::name);
      if (found == streams_.end()) continue;
      const auto i = static_cast<std::size_t>(found - streams_.begin());
      if (renames) {
        wanted_[i].second = each.name;
      } else {
        wanted_.emplace_back(i, each.name);
      }
    }
  }

  void read_checks() {
    if (end_ - table_end_ < 24) return;
    if (bytes_.substr(static_cast<std::size_t>(table_end_), 8) != "sheafchk") return;
    if (number<std::uint32_t>(table_end_ + 8) != 1) return;
    const auto hashed = bytes_.substr(static_cast<std::size_t>(header_),
                                      static_cast<std::size_t>(end_ - 8 - header_));
    if (number<std::uint64_t>(end_ - 8) != XXH3_64bits(hashed.data(), hashed.size())) {
      throw Fatal{table_end_, "cbf-checks", ""};
    }
    const auto streams = static_cast<std::int64_t>(streams_.size());
    std::int64_t at = table_end_ + 16;
    for (const FileChunk& chunk : chunks_) {
      if (chunk.sequences == 0) continue;
      const std::int64_t rest = end_ - 8 - at;
      if (rest < 12 + streams * 16) throw Fatal{at, "cbf-checks", ""};
      const std::int64_t parts = number<std::uint32_t>(at);
      const std::int64_t size = 12 + streams * (16 + parts * 16);
      if (parts < 1 || parts > chunk.sequences || size > rest) throw Fatal{at, "cbf-checks", ""};
      for (std::int64_t i = 0; i < streams * 2; ++i) {
        const auto total = number<std::int64_t>(at + 12 + i * 8);
        if (total < 0 || total > (chunk.end - chunk.begin) / 4) throw Fatal{at, "cbf-checks", ""};
      }
      checks_[chunk.begin] = at;
      at += size;
    }
    if (at != end_ - 8) throw Fatal{at, "cbf-checks", ""};
    for (const FileChunk& chunk : chunks_) {
      if (chunk.sequences > 0) verify(chunk, checks_.at(chunk.begin));
    }
  }

  // The content of a part in one stream: the ends of blocks, and the numbers of samples and values.
  struct Extent {
    std::int64_t end = 0;
    std::int64_t samples = 0;
    std::int64_t values = 0;
  };

  [[nodiscard]] Extent measure(std::size_t stream, std::int64_t at, std::int64_t end,
                               std::int64_t count) const {
    Extent extent{.end = at};
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t begin = extent.end;
      static_cast<void>(take_block(streams_[stream], stream, extent.end, end));
      const std::int64_t samples = number<std::uint32_t>(begin);
      extent.samples += samples;
      extent.values += streams_[stream].is_sparse ? number<std::int32_t>(begin + 4)
                                                  : samples * streams_[stream].dim;
    }
    return extent;
  }

  // Throws if a record is false, as far as sound parts show.
  void verify(const FileChunk& chunk, std::int64_t checks) const {
    const std::int64_t parts = number<std::uint32_t>(checks);
    const auto streams = static_cast<std::int64_t>(streams_.size());
    const std::int64_t starts_at = checks + 12 + streams * 16;
    const std::int64_t size = chunk.end - chunk.begin;
    const auto start = [&](std::int64_t n) {
      return n == streams * parts ? size : number<std::int64_t>(starts_at + n * 8);
    };
    if (start(0) != chunk.sequences * 4) throw Forged();
    for (std::int64_t n = 0; n < streams * parts; ++n) {
      if (start(n) >= start(n + 1)) throw Forged();
    }
    for (std::int64_t i = 0; i < streams; ++i) {
      bool is_whole = true;
      std::int64_t samples = 0;
      std::int64_t values = 0;
      for (std::int64_t part = 0; part < parts; ++part) {
        const std::int64_t n = i * parts + part;
        const std::int64_t at = chunk.begin + start(n);
        const std::int64_t end = chunk.begin + start(n + 1);
        if (number<std::uint64_t>(starts_at + (streams * parts + n) * 8) !=
            XXH3_64bits(bytes_.data() + at, static_cast<std::size_t>(end - at))) {
          is_whole = false;
          continue;
        }
        const std::int64_t count =
            (part + 1) * chunk.sequences / parts - part * chunk.sequences / parts;
        try {
          const Extent extent = measure(static_cast<std::size_t>(i), at, end, count);
          if (extent.end != end) throw Forged();
          samples += extent.samples;
          values += extent.values;
        } catch (const Damage&) {
          is_whole = false;
        }
      }
      const auto said_samples = number<std::int64_t>(checks + 12 + i * 16);
      const auto said_values = number<std::int64_t>(checks + 20 + i * 16);
      if (said_samples < samples || said_values < values) throw Forged();
      if (is_whole && (said_samples > samples || said_values > values)) throw Forged();
    }
  }

  [[nodiscard]] Block take_block(const FileStream& stream, std::size_t number_of_stream,
                                 std::int64_t& at, std::int64_t end) const {
    const auto cut = [&](std::int64_t where, const char* code) {
      throw Damage{where, code, number_of_stream};
    };
    const std::int64_t value_size = stream.is_double ? 8 : 4;
    Block block;
    const std::int64_t begin = at;
    if (end - at < (stream.is_sparse ? 8 : 4)) cut(begin, "cbf-block-cut");
    const std::int64_t samples = number<std::uint32_t>(at);
    const auto value = [&](std::int64_t from) {
      return stream.is_double ? number<std::uint64_t>(from) : number<std::uint32_t>(from);
    };
    if (!stream.is_sparse) {
      if (samples > (end - at - 4) / value_size / stream.dim) cut(begin, "cbf-block-cut");
      at += 4;
      for (std::int64_t i = 0; i < samples; ++i) {
        Entry& sample = block.samples.emplace_back();
        for (std::int64_t k = 0; k < stream.dim; ++k, at += value_size) {
          sample.values.push_back(value(at));
        }
      }
      if (samples == 0) block.wrong = {begin, "cbf-missing-stream"};
      return block;
    }
    const std::int64_t entries = number<std::int32_t>(at + 4);
    if (entries < 0) cut(begin + 4, "cbf-entry-count");
    const std::int64_t indices_at = begin + 8 + entries * value_size;
    const std::int64_t counts_at = indices_at + entries * 4;
    if (counts_at + samples * 4 > end) cut(begin, "cbf-block-cut");
    at = counts_at + samples * 4;
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < samples; ++i) {
      const auto count = number<std::int32_t>(counts_at + i * 4);
      if (count < 0) {
        block.wrong = {counts_at + i * 4, "cbf-sample-entries"};
        return block;
      }
      sum += count;
    }
    if (sum != entries) {
      block.wrong = {counts_at, "cbf-sample-entries"};
      return block;
    }
    for (std::int64_t i = 0; i < entries; ++i) {
      const auto index = number<std::int32_t>(indices_at + i * 4);
      if (index < 0 || index >= stream.dim) {
        block.wrong = {indices_at + i * 4, "cbf-index-range"};
        return block;
      }
    }
    if (samples == 0) block.wrong = {begin, "cbf-missing-stream"};
    std::int64_t entry = 0;
    for (std::int64_t i = 0; i < samples; ++i) {
      Entry& sample = block.samples.emplace_back();
      for (auto left = number<std::int32_t>(counts_at + i * 4); left > 0; --left, ++entry) {
        sample.indices.push_back(number<std::int32_t>(indices_at + entry * 4));
        sample.values.push_back(value(begin + 8 + entry * value_size));
      }
    }
    return block;
  }

  using Column = std::vector<Block>;  // of one stream

  // Returns all blocks of a chunk, stream by stream.
  [[nodiscard]] std::vector<Column> take_chunk(const FileChunk& chunk) const {
    std::vector<Column> columns(streams_.size());
    std::int64_t at = chunk.begin + chunk.sequences * 4;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      for (std::int64_t k = 0; k < chunk.sequences; ++k) {
        columns[i].push_back(take_block(streams_[i], i, at, chunk.end));
      }
    }
    if (at != chunk.end) throw Damage{at, "cbf-slack", streams_.size()};
    return columns;
  }

  // Returns the blocks of one part in the wanted streams, with the hashes of the checks.
  [[nodiscard]] std::vector<Column> take_part(const FileChunk& chunk, std::int64_t checks,
                                              std::int64_t part, std::int64_t count) const {
    const std::int64_t parts = number<std::uint32_t>(checks);
    const auto streams = static_cast<std::int64_t>(streams_.size());
    const std::int64_t starts_at = checks + 12 + streams * 16;
    const std::int64_t hashes_at = starts_at + streams * parts * 8;
    std::vector<Column> columns(streams_.size());
    std::set<std::size_t> wanted;
    for (const auto& [stream, name] : wanted_) wanted.insert(stream);
    for (const std::size_t i : wanted) {
      const std::int64_t n = static_cast<std::int64_t>(i) * parts + part;
      std::int64_t at = chunk.begin + number<std::int64_t>(starts_at + n * 8);
      const std::int64_t end = n + 1 < streams * parts
                                   ? chunk.begin + number<std::int64_t>(starts_at + (n + 1) * 8)
                                   : chunk.end;
      if (number<std::uint64_t>(hashes_at + n * 8) !=
          XXH3_64bits(bytes_.data() + at, static_cast<std::size_t>(end - at))) {
        throw Damage{at, "cbf-hash", i};
      }
      for (std::int64_t k = 0; k < count; ++k) {
        columns[i].push_back(take_block(streams_[i], i, at, end));
      }
    }
    return columns;
  }

  void read_chunk(const FileChunk& chunk) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < chunk.sequences; ++i) {
      sum += number<std::uint32_t>(chunk.begin + i * 4);
    }
    const auto checks = checks_.find(chunk.begin);
    if (checks != checks_.end() && number<std::uint64_t>(checks->second + 4) !=
                                       XXH3_64bits(bytes_.data() + chunk.begin,
                                                   static_cast<std::size_t>(chunk.sequences * 4))) {
      throw Fatal{chunk.begin, "cbf-hash", ""};
    }
    if (sum != chunk.samples) throw Fatal{chunk.entry_at + 12, "cbf-sample-count", ""};
    const std::int64_t parts = checks == checks_.end() ? 1 : number<std::uint32_t>(checks->second);
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t first = part * chunk.sequences / parts;
      const std::int64_t count = (part + 1) * chunk.sequences / parts - first;
      std::vector<Column> columns(streams_.size());
      std::optional<Damage> damage;
      try {
        columns = checks == checks_.end() ? take_chunk(chunk)
                                          : take_part(chunk, checks->second, part, count);
      } catch (const Damage& found) {
        damage = found;
      }
      for (std::int64_t i = 0; i < count; ++i) {
        add_sequence(number<std::uint32_t>(chunk.begin + (first + i) * 4), columns,
                     static_cast<std::size_t>(i), damage);
      }
    }
  }

  void add_sequence(std::int64_t length, const std::vector<Column>& columns, std::size_t i,
                    const std::optional<Damage>& damage) {
    const std::int64_t key = static_cast<std::int64_t>(result_.sequences.size());
    ReferenceSequence sequence;
    sequence.key.low = static_cast<std::uint64_t>(key);
    sequence.sample_count = length;
    const auto note = [&](std::int64_t at, const char* code, const std::string& stream) {
      sequence.is_hole = true;
      ReferenceDiagnostic diagnostic;
      diagnostic.sequence = key;
      diagnostic.byte_offset = at;
      diagnostic.sequence_key = std::to_string(key);
      diagnostic.stream = stream;
      diagnostic.code = code;
      result_.diagnostics.push_back(std::move(diagnostic));
    };
    if (damage) note(damage->at, damage->code, name_of(damage->stream));
    for (const auto& [stream, name] : wanted_) {
      ReferenceStream& content = sequence.streams.emplace_back();
      if (damage) continue;
      const Block& block = columns[stream][i];
      const bool is_missing =
          block.wrong && block.wrong->code == std::string_view("cbf-missing-stream");
      if (is_missing && options_.missing_streams == MissingStreams::allow) {
        content.is_present = false;
        continue;
      }
      if (block.wrong) note(block.wrong->at, block.wrong->code, name);
      for (const Entry& sample : block.samples) {
        content.samples.push_back({{}, sample.indices, sample.values});
      }
    }
    if (sequence.is_hole) {
      for (ReferenceStream& content : sequence.streams) content = {};
    }
    result_.sequences.push_back(std::move(sequence));
  }

  [[nodiscard]] std::string name_of(std::size_t stream) const {
    for (const auto& [wanted, name] : wanted_) {
      if (wanted == stream) return name;
    }
    return stream < streams_.size() ? streams_[stream].name : "";
  }

  std::string_view bytes_;
  const FormatOptions& options_;
  std::int64_t header_ = 0;
  std::int64_t end_ = 0;
  std::int64_t table_end_ = 0;
  std::vector<FileStream> streams_;
  std::vector<FileChunk> chunks_;
  std::map<std::int64_t, std::int64_t> checks_;  // the offset of the checks of each chunk, by the
                                                 // offset of the chunk
  std::vector<std::pair<std::size_t, std::string>> wanted_;
  ReferenceResult result_;
};

}  // namespace

ReferenceResult parse_cbf(std::string_view bytes, const FormatOptions& options) {
  return Parser(bytes, options).parse();
}

std::int64_t cbf_header_offset(std::string_view bytes) {
  std::int64_t offset = 0;
  std::memcpy(&offset, bytes.data() + bytes.size() - 8, sizeof offset);
  return offset;
}

}  // namespace sheaf::conformance
