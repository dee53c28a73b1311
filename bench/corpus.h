// Text to measure with, made up from a seed.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/format.h"

namespace sheaf::bench {

/// One kind of data, and how to read it.
struct Corpus {
  std::string_view name;
  std::string_view description;
  FormatOptions (*options)();

  /// Append one sequence. `random` is a state of any value, advanced by each call.
  void (*append)(std::string& text, std::int64_t sequence, std::uint64_t& random);
};

/// All kinds.
[[nodiscard]] std::span<const Corpus> corpora() noexcept;

/// Throws: std::invalid_argument that lists the names.
[[nodiscard]] const Corpus& find_corpus(std::string_view name);

/// About `size_bytes` of text: the same for the same arguments, everywhere.
[[nodiscard]] std::string make_text(const Corpus& corpus, std::int64_t size_bytes);

/// Use this set of instructions; false where there is none of the name, or not here.
[[nodiscard]] bool use_level(std::string_view name);

}  // namespace sheaf::bench
