// Generates text for benchmarks from a seed.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/extend/format.h"

namespace sheaf::bench {

/// One kind of data and the options to read it.
struct Corpus {
  std::string_view name;
  std::string_view description;
  FormatOptions (*options)();

  /// Appends one sequence. Each call advances `random`, whose initial value is arbitrary.
  void (*append)(std::string& text, std::int64_t sequence, std::uint64_t& random);
};

/// Returns all kinds of data.
[[nodiscard]] std::span<const Corpus> corpora() noexcept;

/// Throws: std::invalid_argument that lists the known names.
[[nodiscard]] const Corpus& find_corpus(std::string_view name);

/// Generates the sequences of a corpus, one after the other. They are the same on every machine.
class Sequences {
 public:
  explicit Sequences(const Corpus& corpus) noexcept : corpus_(&corpus) {}

  void append(std::string& text) { corpus_->append(text, number_++, random_); }

 private:
  const Corpus* corpus_;
  std::int64_t number_ = 0;
  std::uint64_t random_ = 1;
};

/// Appends rows of a corpus in a notation for programs that do not read CTF:
///   csv     the values of a row, then the index of its label
///   libsvm  the label, or 0, then all streams as one: the indices of each stream are shifted
///           behind the indices of the stream before
///
/// Throws: std::invalid_argument for another notation.
void append_rewritten(std::string& text, const Corpus& corpus, std::string_view rows,
                      std::string_view notation);

/// Returns about `size_bytes` of text. Equal arguments give equal text on every machine.
[[nodiscard]] std::string make_text(const Corpus& corpus, std::int64_t size_bytes);

/// Selects a set of instructions. Returns false if the name is unknown or the machine lacks the
/// set.
[[nodiscard]] bool use_level(std::string_view name);

}  // namespace sheaf::bench
