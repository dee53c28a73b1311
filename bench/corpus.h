// Text to measure with, made up from a seed.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/extend/format.h"

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

/// The sequences of a corpus, one after the other: the same everywhere.
class Sequences {
 public:
  explicit Sequences(const Corpus& corpus) noexcept : corpus_(&corpus) {}

  void append(std::string& text) { corpus_->append(text, number_++, random_); }

 private:
  const Corpus* corpus_;
  std::int64_t number_ = 0;
  std::uint64_t random_ = 1;
};

/// Rows of a corpus for programs that do not read CTF. csv: the values of a row, and the index of
/// its label. libsvm: the label, or 0; then all streams as one, the indices of each behind those of
/// the stream before it.
///
/// Throws: std::invalid_argument: another notation.
void append_rewritten(std::string& text, const Corpus& corpus, std::string_view rows,
                      std::string_view notation);

/// About `size_bytes` of text: the same for the same arguments, everywhere.
[[nodiscard]] std::string make_text(const Corpus& corpus, std::int64_t size_bytes);

/// Use this set of instructions; false where there is none of the name, or not here.
[[nodiscard]] bool use_level(std::string_view name);

}  // namespace sheaf::bench
