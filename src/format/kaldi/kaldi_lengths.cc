#include "format/kaldi/kaldi_lengths.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <system_error>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "core/numeric_key.h"
#include "format/kaldi/kaldi_archive.h"
#include "format/kaldi/kaldi_data_errors.h"
#include "format/listed/source_bytes.h"
#include "format/named_file.h"

namespace sheaf::kaldi {
namespace {

constexpr std::string_view kFileName = "utt2num_frames";

// Opens the file beside the list. Only lists of features have one: others, such as cmvn.scp, have
// keys of their own.
std::shared_ptr<const ByteSource> open_beside(const ByteSource& list, const Context& context) {
  const std::string_view path = list.path();
  if (!internal::file_stem(path).starts_with("feats")) return nullptr;
  const std::string folder(path.substr(0, path.find_last_of("/\\") + 1));  // npos + 1 is 0
  const std::string beside = folder + std::string(kFileName);
  return context.file_system().exists(beside) ? context.file_system().open(beside) : nullptr;
}

}  // namespace

std::shared_ptr<const ByteSource> open_lengths(const ByteSource& list, const ReadOptions& options,
                                               const Context& context) {
  if (options.lengths == "none") return nullptr;
  if (options.lengths == "auto") return open_beside(list, context);
  return context.file_system().open(options.lengths);
}

Lengths::Lengths(const ByteSource& file, const ReadOptions& options)
    : name_(file.name()), has_text_keys_(options.has_text_keys) {
  text_.resize(static_cast<std::size_t>(file.size()));
  internal::read_bytes(file, 0, std::as_writable_bytes(std::span(text_)), options.read_size_bytes);
}

std::optional<std::int64_t> Lengths::find(const SequenceKey& key) {
  if (!has_table_) {
    const std::optional<Line> line = next();
    if (line && line->key == key) return line->count;
    make_table();
  }
  const auto found = std::ranges::lower_bound(
      table_, key, {}, [](const auto& entry) -> const SequenceKey& { return entry.first; });
  if (found == table_.end() || found->first != key) return std::nullopt;
  return found->second;
}

std::optional<Lengths::Line> Lengths::next() {
  while (at_ < text_.size()) {
    const std::string_view rest = std::string_view(text_).substr(at_);
    const std::string_view line = rest.substr(0, rest.find('\n'));
    at_ += line.size() + 1;
    ++line_number_;
    const std::size_t begin = line.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) continue;
    const std::size_t end = std::min(line.find_first_of(kSpace, begin), line.size());
    const std::string_view key = line.substr(begin, end - begin);
    std::string_view number = line.substr(end);
    number.remove_prefix(std::min(number.find_first_not_of(kSpace), number.size()));
    Line found;
    const char* const stop = number.data() + number.size();
    const auto [last, error] = std::from_chars(number.data(), stop, found.count);
    const std::string_view behind(last, stop);
    if (error != std::errc() || found.count < 0 || found.count > kMax ||
        behind.find_first_not_of(kSpace) != std::string_view::npos) {
      refuse(line, number);
    }
    if (has_text_keys_) {
      found.key = key_of_text(key);
    } else if (const auto numeric = internal::numeric_key_of(key)) {
      found.key = *numeric;
    } else {
      refuse(line, key);
    }
    return found;
  }
  return std::nullopt;
}

void Lengths::make_table() {
  at_ = 0;
  line_number_ = 0;
  has_table_ = true;
  while (const std::optional<Line> line = next()) table_.emplace_back(line->key, line->count);
  std::ranges::sort(table_);
  const auto same = std::ranges::adjacent_find(table_, [](const auto& a, const auto& b) {
    return a.first == b.first && a.second != b.second;
  });
  if (same != table_.end()) {
    Diagnostic diagnostic;
    diagnostic.path = name_;
    diagnostic.code = kLengthsLine.code;
    diagnostic.expected = "one number for each key";
    diagnostic.found = formatted("{} and {} for one key", same->second, (same + 1)->second);
    throw DataError({std::move(diagnostic)});
  }
}

void Lengths::refuse(std::string_view line, std::string_view found) const {
  Diagnostic diagnostic;
  diagnostic.path = name_;
  diagnostic.line = line_number_;
  diagnostic.code = kLengthsLine.code;
  diagnostic.expected = kLengthsLine.expected;
  diagnostic.found = quoted(found);
  const auto begin = static_cast<std::int64_t>(found.data() - line.data());
  diagnostic.column = begin + 1;
  set_excerpt(diagnostic, line, begin, static_cast<std::int64_t>(found.size()));
  throw DataError({std::move(diagnostic)});
}

}  // namespace sheaf::kaldi
