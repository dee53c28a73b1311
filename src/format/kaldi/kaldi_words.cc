#include "format/kaldi/kaldi_words.h"

#include <algorithm>
#include <cstddef>

#include "format/kaldi/kaldi_archive.h"

namespace sheaf::kaldi {

std::string_view take_word(std::string_view& line) noexcept {
  line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kSpace));
  line.remove_prefix(word.size());
  return word;
}

std::int64_t count_words(std::string_view line) noexcept {
  std::int64_t count = 0;
  while (!take_word(line).empty()) ++count;
  return count;
}

TextLine split_text_line(std::string_view line) noexcept {
  const std::string_view key = take_word(line);
  line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
  const std::size_t last = line.find_last_not_of(kSpace);
  return {.key = key, .text = line.substr(0, last == std::string_view::npos ? 0 : last + 1)};
}

}  // namespace sheaf::kaldi
