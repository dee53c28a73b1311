#include "format/kaldi/kaldi_symbols.h"

#include <charconv>
#include <system_error>

#include "sheaf/diagnostic.h"

#include "format/kaldi/kaldi_data_errors.h"
#include "format/kaldi/kaldi_words.h"
#include "format/text/row_reader.h"
#include "format/text/text_format.h"

namespace sheaf::kaldi {
namespace {

constexpr std::int64_t kSymbolsReadSize = std::int64_t{64} << 10;
constexpr std::int64_t kSymbolSizeMax = std::int64_t{1} << 20;

std::optional<std::int32_t> id_of(std::string_view digits) noexcept {
  std::int32_t id = 0;
  const char* const end = digits.data() + digits.size();
  const auto [next, error] = std::from_chars(digits.data(), end, id);
  if (error != std::errc() || next != end || digits.starts_with('-')) return std::nullopt;
  return id;
}

}  // namespace

Symbols::Symbols(const ByteSource& source) {
  internal::RowReader rows(source, 0, source.size(), 1, kSymbolsReadSize, kSymbolSizeMax);
  internal::Row row;
  while (rows.next(row)) {
    std::string_view rest = row.text();
    const std::string_view word = take_word(rest);
    if (word.empty()) continue;
    const std::string_view digits = take_word(rest);
    const std::optional<std::int32_t> id = id_of(digits);
    if (!id || !take_word(rest).empty()) {
      internal::throw_data_error(source, row, row.begin, kSymbolLine, quoted(row.text()), "");
    }
    if (!ids_.emplace(word, *id).second) {
      internal::throw_data_error(source, row, word.data(), kRepeatedSymbol, quoted(word), "");
    }
  }
  if (ids_.empty()) {
    internal::throw_data_error(source, {.line = 1}, nullptr, kNoSymbol,
                               source.size() == 0 ? "an empty file" : "only blank lines", "");
  }
  fingerprint_ = to_string(source.fingerprint());
}

std::optional<std::int32_t> Symbols::find(std::string_view word) const noexcept {
  const auto found = ids_.find(word);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

}  // namespace sheaf::kaldi
