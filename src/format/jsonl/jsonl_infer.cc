// The file is cut into blocks, and a block has the lines that begin in it. The evidence of a block
// is gathered by name. Then the blocks are combined in order. So neither the result, nor the two
// values shown for a contradiction, depend on threads.

#include "format/jsonl/jsonl_infer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/nearest.h"

#include "base/text.h"
#include "format/jsonl/jsonl_look.h"
#include "format/jsonl/jsonl_options.h"
#include "format/nothing_found.h"
#include "format/sample_shape.h"
#include "format/text/row_blocks.h"
#include "format/text/text_format.h"

namespace sheaf::jsonl {
namespace {

using internal::Evidence;
using internal::FoundStream;
using internal::FoundStreams;

constexpr std::size_t kNamesMax = 32768;

// Returns the names in the option, which commas separate.
std::vector<std::string> names_among(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    names.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return names;
}

// Streams by name, in the order of their first lookup.
class FoundByName {
 public:
  FoundStream& of(std::string_view name, std::string_view file) {
    const auto [known, is_new] = numbers_.try_emplace(std::string(name), streams.size());
    if (is_new) {
      if (streams.size() == kNamesMax) {
        throw ConfigError(
            formatted("streams: {} has more than {} fields, too many to find out what "
                      "they are: declare the streams that are wanted",
                      file, kNamesMax));
      }
      streams.emplace_back().name = name;
    }
    return streams[known->second];
  }

  std::vector<FoundStream> streams;

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
};

// Gathers evidence from the values of some lines.
class Findings {
 public:
  Findings(std::string_view file, std::string_view key, const std::vector<std::string>& wanted)
      : file_(file), key_(key), wanted_(&wanted), line_(std::make_unique<Line>()) {}

  void add(const Row& row) {
    if (is_blank_row(row) || !line_->read(row)) return;
    for (const Field& field : line_->fields()) {
      const bool is_wanted =
          wanted_->empty() || std::ranges::find(*wanted_, field.name) != wanted_->end();
      if (!field.is_repeated && is_wanted && field.name != key_) add(row, field);
    }
  }

  [[nodiscard]] std::vector<FoundStream>& streams() noexcept { return found_.streams; }

 private:
  void add(const Row& row, const Field& field) {
    const Look look = look_at(field);
    if (look.kind == Look::Kind::nothing || look.kind == Look::Kind::wrong) return;
    FoundStream& found = found_.of(field.name, file_);
    found.value_types |= look.types;
    if (look.kind == Look::Kind::texts) {
      note(found.texts, look, row, field);
    } else if (look.kind == Look::Kind::pairs) {
      note(found.pairs, look, row, field);
      found.index_max = std::max(found.index_max, look.index_max);
      if (look.index_max >= internal::kSampleSizeMax) note(found.beyond, look, row, field);
    } else {
      found.width_max = std::max(found.width_max, look.width);
      const bool is_other = found.numbers && found.numbers->value_count != look.width;
      note(is_other ? found.other : found.numbers, look, row, field);
    }
  }

  void note(std::optional<Evidence>& evidence, const Look& look, const Row& row,
            const Field& field) {
    if (evidence) return;
    evidence.emplace().value_count = look.width;
    Diagnostic& location = evidence->location;
    location.path = file_;
    location.line = row.line;
    location.column = field.value - row.begin + 1;
    location.byte_offset = row.offset_of(field.value);
    set_excerpt(location, row.text(), field.value - row.begin, 1);
  }

  std::string_view file_;
  std::string_view key_;
  const std::vector<std::string>* wanted_;
  std::unique_ptr<Line> line_;
  FoundByName found_;
};

// Appends the evidence of a later part of the file.
void add(FoundStream& known, FoundStream& later) {
  if (!known.pairs) known.pairs = std::move(later.pairs);
  if (!known.beyond) known.beyond = std::move(later.beyond);
  if (!known.texts) known.texts = std::move(later.texts);
  if (!known.numbers) {
    known.numbers = std::move(later.numbers);
    known.other = std::move(later.other);
  } else if (!known.other && later.numbers) {
    const bool is_other = later.numbers->value_count != known.numbers->value_count;
    known.other = std::move(is_other ? later.numbers : later.other);
  }
  known.width_max = std::max(known.width_max, later.width_max);
  known.index_max = std::max(known.index_max, later.index_max);
  known.value_types |= later.value_types;
}

enum class Found { numbers, pairs, texts };

struct FoundForm {
  Found form;
  const Evidence* evidence;
};

// Returns the forms of a field, in the order of the file.
std::vector<FoundForm> forms_of(const FoundStream& found) {
  std::vector<FoundForm> forms;
  if (found.numbers) forms.push_back({Found::numbers, &*found.numbers});
  if (found.pairs) forms.push_back({Found::pairs, &*found.pairs});
  if (found.texts) forms.push_back({Found::texts, &*found.texts});
  std::ranges::sort(forms, {},
                    [](const FoundForm& form) { return form.evidence->location.byte_offset; });
  return forms;
}

std::string in_words(const FoundForm& form) {
  if (form.form == Found::pairs) return "a sparse sample";
  if (form.form == Found::texts) return "a text";
  const std::int64_t width = form.evidence->value_count;
  return width == 1 ? "a number" : formatted("a list of {} numbers", width);
}

[[noreturn]] void throw_contradiction(const FoundStream& found, const FoundForm& first,
                                      const FoundForm& second) {
  Diagnostic diagnostic = second.evidence->location;
  diagnostic.code = kContradiction.code;
  diagnostic.stream = found.name;
  diagnostic.expected =
      formatted("{}, as in line {}", in_words(first), first.evidence->location.line);
  diagnostic.found = in_words(second);
  diagnostic.hint = formatted("line {} is: {}; to read on, declare the stream (--stream)",
                              first.evidence->location.line, first.evidence->location.excerpt);
  throw DataError({std::move(diagnostic)});
}

[[noreturn]] void throw_beyond(const FoundStream& found) {
  Diagnostic diagnostic = found.beyond->location;
  diagnostic.code = kIndexRange.code;
  diagnostic.stream = found.name;
  diagnostic.expected = formatted("{} {} (2^40)", kIndexRange.expected, internal::kSampleSizeMax);
  diagnostic.found = "a larger one in this sample";
  diagnostic.hint = "hashed features: take the hash modulo the number of features";
  throw DataError({std::move(diagnostic)});
}

ElementType type_of(const FoundStream& found) noexcept {
  if (found.value_types == Look::kTruths) return ElementType::u8;
  const bool is_whole = found.value_types != 0 && (found.value_types & Look::kReal) == 0;
  return is_whole ? ElementType::i64 : ElementType::f32;
}

// Sets the properties of a stream with this form, given its values.
void set_form(StreamOptions& stream, const FoundStream& found, const FoundForm& form,
              const FormatOptions& options) {
  if (form.form == Found::texts) {
    stream.dtype = ElementType::bytes;
    stream.sample_shape = Shape{Shape::kVariable};
    return;
  }
  if (!stream.dtype && !options.dtype) stream.dtype = type_of(found);
  if (form.form == Found::numbers) {
    if (found.other && !options.takes_first_form) {
      throw_contradiction(found, form, {Found::numbers, &*found.other});
    }
    stream.sample_shape = Shape{form.evidence->value_count};
    return;
  }
  if (found.beyond) throw_beyond(found);
  const std::int64_t dim = std::max<std::int64_t>(found.index_max + 1, 1);
  stream.sample_shape = Shape{dim};
  if (dim - 1 > std::numeric_limits<std::int32_t>::max()) stream.index_dtype = ElementType::i64;
}

// Returns the fields that can be streams.
std::vector<StreamOptions> all_streams(const FoundStreams& found, const FormatOptions& options) {
  std::vector<StreamOptions> streams;
  for (const FoundStream& known : found.streams) {
    const std::vector<FoundForm> forms = forms_of(known);
    if (forms.size() > 1 && !options.takes_first_form) {
      throw_contradiction(known, forms[0], forms[1]);
    }
    StreamOptions& stream = streams.emplace_back();
    stream.name = known.name;
    stream.storage = forms[0].form == Found::pairs ? Storage::sparse : Storage::dense;
    set_form(stream, known, forms[0], options);
  }
  return streams;
}

// Returns a message that says that the file does not have a stream in the requested form.
std::string not_found_text(const StreamOptions& stream, const FoundStreams& found,
                           std::string_view file) {
  const std::string& name = internal::file_name_of(stream);
  std::string text =
      formatted("stream {}: no dim is given, and {} has no {} value of {} to find it from",
                sheaf::quoted(stream.name), file, to_string(stream.storage), sheaf::quoted(name));
  std::vector<std::string> names;
  for (const FoundStream& known : found.streams) names.push_back(known.name);
  if (std::ranges::find(names, name) != names.end()) return text;
  const std::string nearest = nearest_name(name, names);
  if (!nearest.empty()) text += formatted("; did you mean {}?", quoted(nearest));
  return text;
}

}  // namespace

std::string found_how(const ByteSource& source, const FormatOptions& options) {
  const bool is_all = options.inference_size_bytes.value_or(source.size()) >= source.size();
  return formatted("bytes={} key={} fields={}",
                   is_all ? "all" : std::to_string(*options.inference_size_bytes),
                   value_of(kKeyOption, options.extra), value_of(kFieldsOption, options.extra));
}

FoundStreams find_streams(const ByteSource& source, const FormatOptions& options,
                          const Beginning& beginning, Executor* executor) {
  const std::int64_t end =
      std::min(source.size(), options.inference_size_bytes.value_or(source.size()));
  const std::string key(value_of(kKeyOption, options.extra));
  const std::vector<std::string> wanted = names_among(value_of(kFieldsOption, options.extra));
  FoundByName all;
  internal::gather_rows(
      source, internal::text_part(options, beginning.offset, end), executor,
      [&] { return Findings(source.name(), key, wanted); },
      [&](Findings& block, std::int64_t lines_before) {
        for (FoundStream& found : block.streams()) {
          for (std::optional<Evidence>* evidence :
               {&found.numbers, &found.other, &found.pairs, &found.beyond, &found.texts}) {
            if (*evidence) (*evidence)->location.line += lines_before;
          }
          add(all.of(found.name, source.name()), found);
        }
      });
  return {found_how(source, options), std::move(all.streams)};
}

void throw_no_stream(const ByteSource& source, const FormatOptions& options,
                     const Beginning& beginning) {
  RowReader rows(source, beginning.offset, source.size(), 1, options.read_size_bytes);
  Row row;
  while (rows.next(row) && is_blank_row(row)) {
  }
  const std::int64_t limit = options.inference_size_bytes.value_or(source.size());
  std::string found = limit < source.size() ? formatted("none in the first {} bytes", limit)
                                            : std::string("none in the whole file");
  throw internal::NoStreamFound(
      internal::diagnostic_at(source, row, skip_space(row.begin), kNoStream, std::move(found), ""),
      {.file = std::string(source.name()), .streams = options.streams});
}

std::vector<StreamOptions> infer_streams(const FoundStreams& found, const FormatOptions& options,
                                         std::string_view file) {
  if (options.streams.empty()) {
    std::vector<StreamOptions> streams = all_streams(found, options);
    for (const std::string& name : names_among(value_of(kFieldsOption, options.extra))) {
      if (std::ranges::find(streams, name, &StreamOptions::name) != streams.end()) continue;
      throw internal::NoDimFound(
          formatted("jsonl.fields: {} has no value of {} that can be a stream", file,
                    sheaf::quoted(name)),
          {std::string(file), std::move(streams)});
    }
    return streams;
  }
  std::vector<StreamOptions> streams = options.streams;
  std::string not_found;
  for (StreamOptions& stream : streams) {
    if (stream.sample_shape || stream.dtype == ElementType::bytes) continue;
    const auto known =
        std::ranges::find(found.streams, internal::file_name_of(stream), &FoundStream::name);
    std::vector<FoundForm> forms;
    if (known != found.streams.end()) forms = forms_of(*known);
    const bool is_sparse = stream.storage == Storage::sparse;
    const auto form = std::ranges::find_if(forms, [&](const FoundForm& each) {
      if (each.form == Found::texts) return !is_sparse && !stream.dtype;
      return (each.form == Found::pairs) == is_sparse;
    });
    if (form != forms.end()) {
      set_form(stream, *known, *form, options);
    } else if (not_found.empty()) {
      not_found = not_found_text(stream, found, file);
    }
  }
  if (!not_found.empty()) {
    throw internal::NoDimFound(not_found, {std::string(file), std::move(streams)});
  }
  return streams;
}

}  // namespace sheaf::jsonl
