#include "format/kaldi/kaldi_rspecifier.h"

#include <algorithm>

#include "format/kaldi/kaldi_line.h"

namespace sheaf::kaldi {
namespace {

// These options of Kaldi say how a program may read: once, sorted, permissively, in the background.
// They change nothing, because sheaf has an index.
bool is_option(std::string_view word) {
  constexpr std::string_view kOptions[] = {"o", "no", "s",  "ns", "cs", "ncs",
                                           "p", "np", "bg", "b",  "t"};
  return std::ranges::find(kOptions, word) != std::end(kOptions);
}

}  // namespace

std::optional<std::string> file_of_rspecifier(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  int kinds = 0;
  for (std::string_view words = text.substr(0, colon); !words.empty();) {
    const std::size_t end = std::min(words.find(','), words.size());
    const std::string_view word = words.substr(0, end);
    const bool is_kind = word == "ark" || word == "scp";
    if (!is_kind && !is_option(word)) return std::nullopt;
    kinds += is_kind ? 1 : 0;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  if (kinds != 1) return std::nullopt;
  // The rest has the form of a list's line after its key.
  const std::string line = "key " + std::string(text.substr(colon + 1));
  const ListedObject object = parse_line(line);
  const bool is_part = object.offset_bytes != 0 || object.range_size != 0;
  const bool is_decoded = object.decoder != Decoder::none;
  if (object.fault != nullptr || is_part || is_decoded) return std::nullopt;
  return std::string(object.path);
}

}  // namespace sheaf::kaldi
