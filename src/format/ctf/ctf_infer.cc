// The file is cut into blocks, and a block has the rows that begin in it. The evidence of a block
// is gathered by name. Then the blocks are combined in order. So neither the result, nor the two
// samples shown for a contradiction, depend on threads.

#include "format/ctf/ctf_infer.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/ctf/ctf_errors.h"
#include "format/ctf/ctf_hints.h"
#include "format/nothing_found.h"
#include "format/sample_shape.h"
#include "format/text/row_blocks.h"
#include "format/text/text_format.h"

namespace sheaf::ctf {
namespace {

constexpr std::int64_t kIndexEnd = internal::kSampleSizeMax;  // no dim is larger

/// The form of one sample.
struct Look {
  enum class Kind : std::uint8_t { nothing, numbers, pairs, wrong };

  Kind kind = Kind::nothing;
  std::int64_t count = 0;       // number of values
  std::int64_t index_max = -1;  // largest index of pairs
};

bool is_number_byte(char c) noexcept {
  return is_digit(c) || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

Look look_at(const char* p, const char* end) noexcept {
  Look look;
  for (p = skip_blanks(p, end); p != end; p = skip_blanks(p, end)) {
    const char* const token = p;
    std::int64_t index = 0;
    while (p != end && is_digit(*p)) {
      index = std::min(index * 10 + (*p++ - '0'), kIndexEnd);
    }
    const bool is_pair = p != token && p != end && *p == ':';
    if (is_pair) ++p;
    const char* const number = is_pair ? p : token;
    while (p != end && is_number_byte(*p)) ++p;
    const bool is_good = p != number && (p == end || is_blank(*p));
    const Look::Kind kind = is_pair ? Look::Kind::pairs : Look::Kind::numbers;
    if (!is_good || (look.count > 0 && kind != look.kind)) return {.kind = Look::Kind::wrong};
    look.kind = kind;
    look.index_max = is_pair ? std::max(look.index_max, index) : look.index_max;
    ++look.count;
  }
  return look;
}

/// Limits the names to look at. Each takes some memory, and a text may have a new name in each row.
class NamesLimit {
 public:
  /// No data are in memory while names are gathered, so they may use four times the memory of the
  /// index.
  NamesLimit(const FormatOptions& options, const Executor* executor)
      : memory_limit_bytes_(options.index.memory_limit_bytes.value_or(0)) {
    if (memory_limit_bytes_ == 0) return;
    const int threads = executor == nullptr ? 1 : executor->thread_count();
    const std::int64_t share = memory_limit_bytes_ / std::max(1, threads + 1);
    count_max_ = std::clamp<std::int64_t>(4 * (share / kBytesPerName), 64, kCountMax);
  }

  /// Counts one more name. A very long name counts as several.
  ///
  /// Throws: ConfigError if there are too many.
  void add(std::string_view name, std::string_view file) {
    count_ += 1 + std::ssize(name) / (kBytesPerName / 2);
    if (count_ <= count_max_) return;
    const std::string why = count_max_ == kCountMax
                                ? std::string()
                                : formatted(
                                      " in the {} bytes that the memory limit leaves for them (an "
                                      "eighth of --memory-limit)",
                                      memory_limit_bytes_);
    throw ConfigError(
        formatted("streams: {} has more than {} names, too many to find out what they are{}: "
                  "declare the streams that are wanted, with their dims",
                  file, count_max_, why));
  }

 private:
  static constexpr std::int64_t kCountMax = 32768;
  static constexpr std::int64_t kBytesPerName = 2048;

  std::int64_t memory_limit_bytes_;  // of the index; 0 means no limit
  std::int64_t count_max_ = kCountMax;
  std::int64_t count_ = 0;
};

/// Gathers evidence from the samples of some rows.
class Findings {
 public:
  Findings(std::string_view file, bool has_text_ids, NamesLimit limit)
      : file_(file), has_text_ids_(has_text_ids), limit_(limit) {}

  void add(const Row& row) {
    row_ = row;
    const Head head = lex_head(row_, has_text_ids_);
    if (head.is_data) visit_items(row_, head, nothing_, *this);
  }

  // The visitor of visit_items().
  const char* sample(const char* /*bar*/, std::int64_t /*stream*/, const char* /*body*/,
                     const char* end) {
    return end;
  }
  void unknown(const char* bar, const char* name_end) {
    FoundStream& findings = findings_of({bar + 1, static_cast<std::size_t>(name_end - bar - 1)});
    const Look look = look_at(name_end, find_bar(name_end, row_.end));
    if (look.kind == Look::Kind::pairs) {
      if (!findings.pairs) findings.pairs = evidence(look, bar);
      findings.index_max = std::max(findings.index_max, look.index_max);
      if (look.index_max >= kIndexEnd && !findings.beyond) findings.beyond = evidence(look, bar);
    } else if (look.kind == Look::Kind::numbers) {
      if (!findings.numbers) {
        findings.numbers = evidence(look, bar);
      } else if (!findings.other && look.count != findings.numbers->value_count) {
        findings.other = evidence(look, bar);
      }
      findings.width_max = std::max(findings.width_max, look.count);
    }
  }
  void nameless(const char* /*bar*/) {}
  void stray(const char* /*location*/) {}
  void control(const char* /*location*/) {}

  [[nodiscard]] std::vector<FoundStream>& streams() noexcept { return findings_; }

 private:
  FoundStream& findings_of(std::string_view name) {
    if (last_ < findings_.size() && findings_[last_].name == name) return findings_[last_];
    // Rows repeat the order of their names.
    last_ = last_ + 1 < findings_.size() ? last_ + 1 : 0;
    if (last_ < findings_.size() && findings_[last_].name == name) return findings_[last_];
    const auto [found, is_new] = numbers_.try_emplace(std::string(name), findings_.size());
    if (is_new) {
      limit_.add(name, file_);
      findings_.emplace_back().name = name;
    }
    last_ = found->second;
    return findings_[last_];
  }

  [[nodiscard]] Evidence evidence(const Look& look, const char* bar) const {
    Evidence evidence{look.count, {}};
    evidence.location.path = file_;
    evidence.location.line = row_.line;
    evidence.location.column = bar - row_.begin + 1;
    evidence.location.byte_offset = row_.offset_of(bar);
    set_excerpt(evidence.location, row_.text(), bar - row_.begin, 1);
    return evidence;
  }

  std::string_view file_;
  bool has_text_ids_;
  NamesLimit limit_;
  StreamNames nothing_{{"|"}};  // a name that no row has, so that every sample is unknown
  Row row_;
  std::vector<FoundStream> findings_;  // in the order of their first samples
  std::unordered_map<std::string, std::size_t> numbers_;
  std::size_t last_ = 0;
};

/// Appends the evidence of a later part of the file.
void add(FoundStream& known, FoundStream& later) {
  if (!known.pairs) known.pairs = std::move(later.pairs);
  if (!known.beyond) known.beyond = std::move(later.beyond);
  if (!known.numbers) {
    known.numbers = std::move(later.numbers);
    known.other = std::move(later.other);
  } else if (!known.other && later.numbers) {
    const std::int64_t width = known.numbers->value_count;
    if (later.numbers->value_count != width) {
      known.other = std::move(later.numbers);
    } else {
      known.other = std::move(later.other);
    }
  }
  known.width_max = std::max(known.width_max, later.width_max);
  known.index_max = std::max(known.index_max, later.index_max);
}

std::string in_words(const FoundStream& findings, const Evidence& evidence) {
  if (findings.pairs && &evidence == &*findings.pairs) return "index:value";
  return formatted("{} value{}", evidence.value_count, evidence.value_count == 1 ? "" : "s");
}

/// Returns a declaration of the stream in the form of the sample, as an option of the command.
std::string declaration(const FoundStream& findings, const Evidence& evidence) {
  if (findings.pairs && &evidence == &*findings.pairs) {
    return formatted("{}:sparse:{}", findings.name, findings.index_max + 1);
  }
  return formatted("{}:dense:{}", findings.name, evidence.value_count);
}

[[noreturn]] void throw_contradiction(const FoundStream& findings, const Evidence& first,
                                      const Evidence& second) {
  Diagnostic diagnostic = second.location;
  diagnostic.code = kContradiction.code;
  diagnostic.stream = findings.name;
  diagnostic.expected =
      formatted("{}, as in line {}", in_words(findings, first), first.location.line);
  diagnostic.found = in_words(findings, second);
  diagnostic.hint =
      formatted("line {} is: {}; to read on, declare the stream: --stream {}", first.location.line,
                first.location.excerpt, declaration(findings, first));
  throw DataError({std::move(diagnostic)});
}

[[noreturn]] void throw_beyond(const FoundStream& findings) {
  Diagnostic diagnostic = findings.beyond->location;
  diagnostic.code = kIndexRange.code;
  diagnostic.stream = findings.name;
  diagnostic.expected = formatted("{} {} (2^40)", kIndexRange.expected, kIndexEnd);
  diagnostic.found = "a larger one in this sample";
  diagnostic.hint = "hashed features: take the hash modulo the number of features";
  throw DataError({std::move(diagnostic)});
}

bool is_before(const Evidence& a, const Evidence& b) {
  return a.location.byte_offset < b.location.byte_offset;
}

Storage storage_of(const FoundStream& findings, const FormatOptions& options) {
  if (findings.numbers && findings.pairs) {
    const bool in_order = is_before(*findings.numbers, *findings.pairs);
    if (options.takes_first_form) return in_order ? Storage::dense : Storage::sparse;
    throw_contradiction(findings, in_order ? *findings.numbers : *findings.pairs,
                        in_order ? *findings.pairs : *findings.numbers);
  }
  return findings.numbers ? Storage::dense : Storage::sparse;
}

/// Sets the shape of a stream whose storage is known.
void set_shape(StreamOptions& stream, const FoundStream& findings, const FormatOptions& options) {
  if (stream.storage == Storage::sparse) {
    if (findings.beyond) throw_beyond(findings);
    const std::int64_t dim = std::max<std::int64_t>(findings.index_max + 1, 1);
    stream.sample_shape = Shape{dim};
    if (dim - 1 > std::numeric_limits<std::int32_t>::max()) stream.index_dtype = ElementType::i64;
    return;
  }
  // CNTK fills up short samples with zeros.
  const bool pads = options.compatibility == Compatibility::cntk;
  if (findings.other && !pads) {
    if (options.takes_first_form) {
      stream.sample_shape = Shape{findings.numbers->value_count};
      return;
    }
    throw_contradiction(findings, *findings.numbers, *findings.other);
  }
  stream.sample_shape = Shape{std::max<std::int64_t>(findings.width_max, 1)};
}

std::vector<std::string> names_of(const std::vector<FoundStream>& streams) {
  std::vector<std::string> names;
  names.reserve(streams.size());
  for (const FoundStream& stream : streams) names.push_back(stream.name);
  return names;
}

}  // namespace

std::string found_how(const ByteSource& source, const FormatOptions& options) {
  const bool is_all = options.inference_size_bytes.value_or(source.size()) >= source.size();
  return formatted("keys={} bytes={}", options.keys == KeyType::text ? "text" : "numeric",
                   is_all ? "all" : std::to_string(*options.inference_size_bytes));
}

FoundStreams find_streams(const ByteSource& source, const FormatOptions& options,
                          const Beginning& beginning, Executor* executor) {
  const std::int64_t end =
      std::min(source.size(), options.inference_size_bytes.value_or(source.size()));
  const NamesLimit none(options, executor);
  NamesLimit limit = none;
  std::vector<FoundStream> all;
  std::unordered_map<std::string, std::size_t> numbers;
  internal::gather_rows(
      source, internal::text_part(options, beginning.offset, end), executor,
      [&] { return Findings(source.name(), options.keys == KeyType::text, none); },
      [&](Findings& block, std::int64_t lines_before) {
        for (FoundStream& findings : block.streams()) {
          for (std::optional<Evidence>* evidence :
               {&findings.numbers, &findings.other, &findings.pairs, &findings.beyond}) {
            if (*evidence) (*evidence)->location.line += beginning.line - 1 + lines_before;
          }
          const auto [found, is_new] = numbers.try_emplace(findings.name, all.size());
          if (is_new) {
            limit.add(findings.name, source.name());
            all.push_back(std::move(findings));
          } else {
            add(all[found->second], findings);
          }
        }
      });
  return {found_how(source, options), std::move(all)};
}

void throw_no_stream(const ByteSource& source, const FormatOptions& options,
                     const Beginning& beginning) {
  RowReader rows(source, beginning.offset, source.size(), beginning.line, options.read_size_bytes,
                 internal::row_size_max(options.index.memory_limit_bytes.value_or(0),
                                        options.read_size_bytes));
  Row row;
  while (rows.next(row) && !lex_head(row, options.keys == KeyType::text).is_data) {
  }
  const std::int64_t limit = options.inference_size_bytes.value_or(source.size());
  std::string found = limit < source.size() ? formatted("none in the first {} bytes", limit)
                                            : std::string("none in the whole file");
  throw internal::NoStreamFound(
      internal::diagnostic_at(source, row, skip_blanks(row.begin, row.end), kNoStream,
                              std::move(found), no_stream_hint(row)),
      {.file = std::string(source.name()), .streams = options.streams});
}

std::vector<StreamOptions> infer_streams(const FoundStreams& found, const FormatOptions& options,
                                         std::string_view file) {
  const std::vector<FoundStream>& all = found.streams;
  std::vector<StreamOptions> streams = options.streams;
  if (streams.empty()) {
    for (const FoundStream& findings : all) {
      StreamOptions& stream = streams.emplace_back();
      stream.name = findings.name;
      stream.storage = storage_of(findings, options);
      set_shape(stream, findings, options);
    }
    return streams;
  }
  std::string not_found;
  for (StreamOptions& stream : streams) {
    if (stream.sample_shape) continue;
    const std::string& name = internal::file_name_of(stream);
    const auto known = std::ranges::find(all, name, &FoundStream::name);
    const bool is_dense = stream.storage == Storage::dense;
    if (known == all.end() || !(is_dense ? known->numbers : known->pairs)) {
      if (!not_found.empty()) continue;
      not_found =
          formatted("stream {}: no dim is given, and {} has no {} sample of {} to find it from",
                    quoted(stream.name), file, to_string(stream.storage), quoted(name));
      if (known == all.end())
        not_found += "; the file has " + names_and_nearest(name, names_of(all));
      continue;
    }
    set_shape(stream, *known, options);
  }
  if (!not_found.empty()) {
    throw internal::NoDimFound(not_found, {std::string(file), std::move(streams)});
  }
  return streams;
}

}  // namespace sheaf::ctf
