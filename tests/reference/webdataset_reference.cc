// Follows docs/formats/webdataset.md from beginning to end, and keeps everything in lists.

#include "reference/webdataset_reference.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sheaf::conformance {
namespace {

struct ShardEntry {
  std::string name;
  std::size_t begin = 0;  // the offset of its first header
  std::size_t at = 0;     // the offset of its bytes
  std::size_t size = 0;

  std::string key;
  std::string suffix;
  std::int64_t frame = -1;
};

struct Tar {
  std::vector<ShardEntry> entries;
  std::optional<std::size_t> damaged_at;
};

std::optional<std::size_t> tar_octal(const std::string& field) {
  std::size_t value = 0;
  std::size_t i = 0;
  while (i < field.size() && field[i] == ' ') ++i;
  for (; i < field.size() && field[i] != '\0' && field[i] != ' '; ++i) {
    if (field[i] < '0' || field[i] > '7') return std::nullopt;
    value = value * 8 + static_cast<std::size_t>(field[i] - '0');
  }
  return value;
}

// Returns a number of a header: octal digits, or bytes after a first byte of 0x80.
std::optional<std::size_t> tar_number(const std::string& field) {
  if (static_cast<unsigned char>(field[0]) < 0x80) return tar_octal(field);
  if (static_cast<unsigned char>(field[0]) > 0x80) return std::nullopt;
  std::size_t value = 0;
  for (std::size_t i = 1; i < field.size(); ++i) {
    if (value >= std::size_t{1} << 54) return std::nullopt;
    value = value * 256 + static_cast<unsigned char>(field[i]);
  }
  return value;
}

bool tar_zero(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

bool has_right_sum(const std::string& block) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < 512; ++i) {
    sum += i >= 148 && i < 156 ? std::size_t{' '} : static_cast<unsigned char>(block[i]);
  }
  return tar_octal(block.substr(148, 8)) == sum;
}

/// The description of an entry by the headers before it.
struct Described {
  std::optional<std::size_t> begin;
  std::optional<std::string> name;
  std::optional<std::size_t> size;
};

// Reads the records of a pax header. Returns false if the header makes no sense.
bool describe(const std::string& records, Described& described) {
  std::size_t at = 0;
  while (at < records.size()) {
    const std::size_t blank = records.find(' ', at);
    if (blank == std::string::npos || blank == at || blank - at > 9) return false;
    for (std::size_t i = at; i < blank; ++i) {
      if (records[i] < '0' || records[i] > '9') return false;
    }
    const auto length =
        static_cast<std::size_t>(std::atoll(records.substr(at, blank - at).c_str()));
    if (length <= blank - at + 1 || length > records.size() - at) return false;
    if (records[at + length - 1] != '\n') return false;
    const std::string record = records.substr(blank + 1, at + length - blank - 2);
    const std::size_t equals = record.find('=');
    if (equals == std::string::npos) return false;
    const std::string key = record.substr(0, equals);
    const std::string value = record.substr(equals + 1);
    if (key == "path") described.name = value;
    if (key == "size") {
      if (value.empty() || value.size() > 18) return false;
      if (value.find_first_not_of("0123456789") != std::string::npos) return false;
      described.size = static_cast<std::size_t>(std::atoll(value.c_str()));
    }
    if (key.starts_with("GNU.sparse.")) return false;
    at += length;
  }
  return true;
}

std::string name_in(const std::string& block) {
  const std::string name = block.substr(0, 100).c_str();
  const std::string prefix = block.substr(345, 155).c_str();
  const bool is_posix = block.substr(257, 6) == std::string("ustar\0", 6);
  return is_posix && !prefix.empty() ? prefix + "/" + name : name;
}

Tar read_tar(std::string_view bytes) {
  Tar tar;
  std::size_t at = 0;
  Described next;
  while (true) {
    const auto damaged = [&] {
      tar.damaged_at = at;
      return tar;
    };
    if (bytes.size() < at + 512) return damaged();
    const std::string block(bytes.substr(at, 512));
    if (tar_zero(block)) {
      // Zeros are checked in pieces of 64 KiB, and an error has the offset of its piece.
      for (; at < bytes.size(); at += 65536) {
        if (!tar_zero(bytes.substr(at, 65536))) return damaged();
      }
      return tar;
    }
    if (!has_right_sum(block)) return damaged();
    const char type = block[156];
    const bool describes = type == 'x' || type == 'g' || type == 'L' || type == 'K';
    std::optional<std::size_t> size = tar_number(block.substr(124, 12));
    if (!size) return damaged();
    if (!describes && next.size) size = next.size;
    if (type >= '1' && type <= '6') size = 0;
    if (*size > bytes.size() - at - 512) return damaged();
    if ((type == 'x' || type == 'L') && *size > std::size_t{1} << 20) return damaged();
    const std::string text(bytes.substr(at + 512, *size));
    if (type == 'S') return damaged();
    if (describes) {
      if (!next.begin) next.begin = at;
      if (type == 'x' && !describe(text, next)) return damaged();
      if (type == 'L') next.name = text.c_str();
    } else {
      std::string name = next.name ? *next.name : name_in(block);
      const bool is_file = type == '0' || type == '\0' || type == '7';
      if (is_file && !name.ends_with('/')) {
        while (name.starts_with("./")) name = name.substr(2);
        tar.entries.push_back({.name = name,
                               .begin = next.begin.value_or(at),
                               .at = at + 512,
                               .size = *size,
                               .key = {},
                               .suffix = {}});
      }
      next = {};
    }
    at += 512 + (*size + 511) / 512 * 512;
  }
}

// Sets key and suffix. Returns false if the entry belongs to no sequence.
bool split_name(ShardEntry& entry, bool joins_frames) {
  const std::size_t slash = entry.name.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : entry.name.substr(0, slash + 1);
  const std::string last = entry.name.substr(folder.size());
  const std::size_t dot = last.find('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == last.size()) return false;
  if (("/" + folder).find("/__MACOSX/") != std::string::npos) return false;
  const std::string top = entry.name.substr(0, entry.name.find('/'));
  if (top.size() > 3 && top.starts_with("__") && top.ends_with("__")) return false;
  entry.key = folder + last.substr(0, dot);
  for (const char c : last.substr(dot + 1)) {
    entry.suffix += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  const std::size_t second = entry.suffix.find('.');
  if (joins_frames && second != std::string::npos && second > 0) {
    const std::string digits = entry.suffix.substr(0, second);
    const std::string rest = entry.suffix.substr(second + 1);
    const bool is_number = digits.find_first_not_of("0123456789") == std::string::npos;
    if (is_number && digits.size() <= 18 &&
        (rest == "jpg" || rest == "jpeg" || rest == "png" || rest == "webp")) {
      entry.frame = std::atoll(digits.c_str());
      entry.suffix = rest;
    }
  }
  return true;
}

const std::set<std::string> kShardImages = {"jpg", "jpeg", "png", "webp"};

struct WantedStream {
  std::string name;
  std::set<std::string> suffixes;
  bool is_label = false;
  bool is_sparse = false;
  std::int64_t class_count = 0;
  bool has_frames = false;
  bool defines = false;
};

using ShardGroups = std::vector<std::vector<ShardEntry>>;

// The name of a stream may be the suffix with underscores instead of dots.
bool has_suffix(const WantedStream& stream, const std::string& suffix) {
  for (const std::string& own : stream.suffixes) {
    std::string same = suffix;
    for (std::size_t i = 0; i < std::min(own.size(), same.size()); ++i) {
      if (own[i] == '_' && same[i] == '.') same[i] = '_';
    }
    if (own == same) return true;
  }
  return false;
}

std::vector<WantedStream> wanted_streams(const ShardGroups& groups, const FormatOptions& options,
                                         bool joins_frames) {
  std::vector<WantedStream> streams;
  for (const StreamOptions& each : options.streams) {
    WantedStream wanted{.name = each.name, .suffixes = {}, .defines = each.defines_minibatch_size};
    std::string rest = each.alias.empty() ? each.name : each.alias;
    while (!rest.empty()) {
      const std::string one = rest.substr(0, rest.find('+'));
      rest = one.size() == rest.size() ? "" : rest.substr(one.size() + 1);
      wanted.suffixes.insert(one);
      if (one == "image") wanted.suffixes = kShardImages;
    }
    wanted.is_sparse = each.storage == Storage::sparse;
    wanted.is_label = wanted.is_sparse || wanted.suffixes == std::set<std::string>{"cls"};
    if (wanted.is_sparse) wanted.class_count = each.sample_shape->size();
    wanted.has_frames = joins_frames && wanted.suffixes == kShardImages;
    streams.push_back(std::move(wanted));
  }
  if (!options.streams.empty()) return streams;
  bool has_two = false;
  for (const auto& group : groups) {
    std::set<std::string> images;
    for (const ShardEntry& entry : group) {
      if (kShardImages.contains(entry.suffix)) images.insert(entry.suffix);
    }
    has_two |= images.size() > 1;
  }
  const bool joins = joins_frames || !has_two;
  std::set<std::string> names;
  for (const auto& group : groups) {
    for (const ShardEntry& entry : group) {
      const bool is_image = joins && kShardImages.contains(entry.suffix);
      WantedStream wanted{.name = is_image ? "image" : entry.suffix, .suffixes = {}};
      std::ranges::replace(wanted.name, '.', '_');
      if (!names.insert(wanted.name).second) continue;
      wanted.suffixes = is_image ? kShardImages : std::set<std::string>{entry.suffix};
      wanted.is_label = entry.suffix == "cls";
      wanted.has_frames = is_image && joins_frames;
      streams.push_back(std::move(wanted));
    }
  }
  return streams;
}

std::optional<std::int64_t> shard_label(std::string_view bytes) {
  std::string text(bytes);
  while (!text.empty() && std::string(" \t\n\v\f\r").find(text.back()) != std::string::npos) {
    text.pop_back();
  }
  while (!text.empty() && std::string(" \t\n\v\f\r").find(text.front()) != std::string::npos) {
    text.erase(0, 1);
  }
  const std::string digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  if (digits.size() > 12) return std::nullopt;
  const std::int64_t number = std::atoll(text.c_str());
  if (number < -2147483648LL || number > 2147483647LL) return std::nullopt;
  return number;
}

ReferenceSample shard_sample(const WantedStream& stream, std::string_view bytes,
                             std::int64_t label) {
  ReferenceSample sample;
  if (stream.is_sparse) {
    sample.indices = {label};
    sample.values = {0x3F80'0000};
  } else if (stream.is_label) {
    sample.values = {static_cast<std::uint32_t>(label)};
  } else {
    sample.extents = {static_cast<std::int64_t>(bytes.size())};
    for (const char byte : bytes) sample.values.push_back(static_cast<unsigned char>(byte));
  }
  return sample;
}

std::optional<std::uint64_t> number_of_key(const std::string& key) {
  if (key.empty() || key.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  const std::size_t first = std::min(key.find_first_not_of('0'), key.size() - 1);
  const std::string digits = key.substr(first);
  if (digits.size() > 20 || (digits.size() == 20 && digits > "18446744073709551615")) {
    return std::nullopt;
  }
  return std::strtoull(digits.c_str(), nullptr, 10);
}

/// Reads the groups.
class ShardReader {
 public:
  ShardReader(std::string_view bytes, const FormatOptions& options,
              std::vector<WantedStream> streams)
      : bytes_(bytes), options_(options), streams_(std::move(streams)) {}

  ReferenceResult read(const ShardGroups& groups) {
    for (const auto& group : groups) take(group);
    std::ranges::sort(result_.diagnostics);
    return std::move(result_);
  }

 private:
  void fail(const std::string& key, std::size_t at, const std::string& stream, const char* code) {
    ReferenceDiagnostic diagnostic;
    diagnostic.sequence = std::ssize(result_.sequences);
    diagnostic.byte_offset = static_cast<std::int64_t>(at);
    diagnostic.sequence_key = key;
    diagnostic.stream = stream;
    diagnostic.code = code;
    result_.diagnostics.push_back(std::move(diagnostic));
    is_hole_ = true;
  }

  void take(const std::vector<ShardEntry>& group) {
    const bool is_numeric = options_.keys == KeyType::numeric;
    std::string key = group.front().key;
    if (is_numeric) key = std::to_string(*number_of_key(key));
    std::int64_t longest = 0;
    for (const WantedStream& stream : streams_) {
      const bool is_there = count_of(group, stream) > 0;
      if (stream.defines && !is_there) return;  // dropped
      const std::int64_t count = stream.has_frames ? count_of(group, stream) : is_there ? 1 : 0;
      longest = stream.defines ? 1 : std::max(longest, count);
      if (stream.defines) break;
    }
    is_hole_ = false;
    if (!keys_.insert(key).second) {
      fail(key, group.front().begin, "", "webdataset-repeated-key");
    }
    ReferenceSequence sequence;
    sequence.key = key_of_text(key);
    if (is_numeric) sequence.key = {.low = *number_of_key(key)};
    if (!is_numeric) sequence.key_text = key;
    sequence.sample_count = longest;
    std::set<std::string> names;
    std::vector<ShardEntry> entries;
    for (const ShardEntry& entry : group) {
      if (names.insert(entry.name).second) {
        entries.push_back(entry);
      } else {
        fail(key, entry.begin, "", "webdataset-repeated-entry");
      }
    }
    for (const WantedStream& stream : streams_) {
      sequence.streams.push_back(stream_of(stream, key, entries));
      if (sequence.streams.back().is_present) continue;
      if (options_.missing_streams == MissingStreams::error) {
        fail(key, group.front().begin, stream.name, "webdataset-missing");
      }
    }
    sequence.is_hole = is_hole_;
    if (is_hole_) sequence.streams.assign(streams_.size(), {});
    result_.sequences.push_back(std::move(sequence));
  }

  static std::int64_t count_of(const std::vector<ShardEntry>& group, const WantedStream& stream) {
    return std::ranges::count_if(
        group, [&](const ShardEntry& entry) { return has_suffix(stream, entry.suffix); });
  }

  ReferenceStream stream_of(const WantedStream& stream, const std::string& key,
                            const std::vector<ShardEntry>& entries) {
    ReferenceStream result;
    result.is_present = false;
    std::int64_t last_frame = -2;
    for (const ShardEntry& entry : entries) {
      if (!has_suffix(stream, entry.suffix)) continue;
      if (stream.has_frames && entry.frame <= last_frame) {
        fail(key, entry.begin, stream.name, "webdataset-frame-order");
      }
      last_frame = std::max(last_frame, entry.frame);
      if (!stream.has_frames && result.is_present) {
        fail(key, entry.begin, stream.name, "webdataset-repeated-entry");
        continue;
      }
      result.is_present = true;
      const std::string_view bytes = bytes_.substr(entry.at, entry.size);
      std::optional<std::int64_t> label = 0;
      if (stream.is_label) label = shard_label(bytes);
      if (!label) fail(key, entry.at, stream.name, "webdataset-label");
      const bool is_class = label && *label >= 0 && *label < stream.class_count;
      if (label && stream.class_count > 0 && !is_class) {
        fail(key, entry.at, stream.name, "webdataset-class");
      }
      result.samples.push_back(shard_sample(stream, bytes, label.value_or(0)));
    }
    return result;
  }

  std::string_view bytes_;
  const FormatOptions& options_;
  const std::vector<WantedStream> streams_;
  std::set<std::string> keys_;
  ReferenceResult result_;
  bool is_hole_ = false;
};

ReferenceResult shard_refused(const char* code, std::int64_t at, const std::string& stream = "") {
  ReferenceResult result;
  ReferenceDiagnostic& fatal = result.fatal.emplace();
  fatal.code = code;
  fatal.byte_offset = at;
  fatal.stream = stream;
  return result;
}

}  // namespace

ReferenceResult parse_webdataset(std::string_view bytes, const FormatOptions& options) {
  const auto frames = options.extra.find("webdataset.frames");
  const bool joins_frames = frames != options.extra.end() && frames->second == "true";
  const Tar tar = read_tar(bytes);
  if (tar.damaged_at) {
    return shard_refused("webdataset-damaged", static_cast<std::int64_t>(*tar.damaged_at));
  }
  ShardGroups groups;
  std::set<std::string> suffixes;
  for (ShardEntry entry : tar.entries) {
    if (!split_name(entry, joins_frames)) continue;
    const bool is_new = suffixes.insert(entry.suffix).second;
    const bool is_first = groups.empty() || groups.back().front().key != entry.key;
    const auto begin = static_cast<std::int64_t>(entry.begin);
    if (is_first && options.keys == KeyType::numeric && !number_of_key(entry.key)) {
      return shard_refused("webdataset-numeric-key", begin);
    }
    const bool is_printable = std::ranges::all_of(
        entry.suffix, [](char c) { return static_cast<unsigned char>(c) > 32 && c < 127; });
    if (is_new && !is_printable) return shard_refused("webdataset-suffix", begin);
    if (is_new && suffixes.size() > 1000) return shard_refused("webdataset-suffix-count", begin);
    if (is_first) groups.emplace_back();
    groups.back().push_back(entry);
  }
  if (groups.empty()) return shard_refused("webdataset-empty", -1);
  std::vector<WantedStream> streams = wanted_streams(groups, options, joins_frames);
  for (const WantedStream& stream : streams) {
    const bool is_there = std::ranges::any_of(
        suffixes, [&](const std::string& suffix) { return has_suffix(stream, suffix); });
    if (!is_there) return shard_refused("webdataset-no-stream", -1, stream.name);
  }
  return ShardReader(bytes, options, std::move(streams)).read(groups);
}

std::int64_t webdataset_data_end(std::string_view bytes) {
  std::size_t end = 0;
  for (ShardEntry entry : read_tar(bytes).entries) {
    if (split_name(entry, false)) end = entry.at + entry.size;
  }
  return static_cast<std::int64_t>(end);
}

}  // namespace sheaf::conformance
