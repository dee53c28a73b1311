#include "corpus.h"

#include <array>
#include <charconv>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>

#include "sheaf/extend/simd.h"

namespace sheaf::bench {
namespace {

/// Returns the next of a series of well-mixed numbers (SplitMix64: Steele, Lea, Flood, 2014).
std::uint64_t next(std::uint64_t& state) noexcept {
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

StreamOptions stream(std::string name, Storage storage, std::int64_t dim) {
  return {.name = std::move(name), .storage = storage, .sample_shape = Shape{dim}};
}

void append_decimals(std::string& text, std::int64_t /*sequence*/, std::uint64_t& random) {
  text += "|x";
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t bits = next(random);
    const auto value = static_cast<double>(bits >> 11) / 9007199254740992.0 * 8 - 4;
    fmt::format_to(std::back_inserter(text), " {:.6g}", value);
  }
  text += '\n';
}

void append_pairs(std::string& text, std::int64_t /*sequence*/, std::uint64_t& random) {
  text += "|x";
  std::uint64_t index = 0;
  for (int i = 0; i < 30; ++i) {
    index += 1 + next(random) % 60'000;
    fmt::format_to(std::back_inserter(text), " {}:0.{:06}", index, next(random) % 1'000'000);
  }
  fmt::format_to(std::back_inserter(text), " |y {}:1\n", next(random) % 10);
}

void append_integers(std::string& text, std::int64_t /*sequence*/, std::uint64_t& random) {
  text += "|x";
  for (int i = 0; i < 784; ++i) {
    const std::uint64_t bits = next(random);
    fmt::format_to(std::back_inserter(text), " {}", bits % 5 == 0 ? (bits >> 8) % 256 : 0);
  }
  fmt::format_to(std::back_inserter(text), " |y {}:1\n", next(random) % 10);
}

void append_ones(std::string& text, std::int64_t /*sequence*/, std::uint64_t& random) {
  for (const char* name : {"|a", "|b"}) {
    text += name;
    std::uint64_t index = 0;
    for (int i = 0; i < 27; ++i) {
      index += 1 + next(random) % 3'000;
      fmt::format_to(std::back_inserter(text), " {}:1", index);
    }
  }
  text += '\n';
}

void append_tagged(std::string& text, std::int64_t sequence, std::uint64_t& random) {
  const std::uint64_t rows = 5 + next(random) % 56;
  for (std::uint64_t i = 0; i < rows; ++i) {
    fmt::format_to(std::back_inserter(text), "{} |w {}:1 |t {}:1\n", sequence,
                   next(random) % 50'000, next(random) % 128);
  }
}

void append_libsvm(std::string& text, std::int64_t /*sequence*/, std::uint64_t& random) {
  text += next(random) % 2 == 0 ? "+1" : "-1";
  std::uint64_t index = 0;
  for (int i = 0; i < 70; ++i) {
    index += 1 + next(random) % 1'200;
    fmt::format_to(std::back_inserter(text), " {}:0.{:06}", index, next(random) % 1'000'000);
  }
  text += '\n';
}

/// Removes the text up to and including the first `end` from the front of `text`. Returns the
/// removed text without `end`.
std::string_view cut_front(std::string_view& text, char end) {
  const std::size_t size = text.find(end);
  const std::string_view front = text.substr(0, size);
  text.remove_prefix(size == text.npos ? text.size() : size + 1);
  return front;
}

/// Calls take(stream, item) for each item of a CTF row without ids.
template <typename Take>
void for_each_item(std::string_view row, Take take) {
  cut_front(row, '|');
  for (std::size_t stream = 0; !row.empty(); ++stream) {
    std::string_view items = cut_front(row, '|');
    cut_front(items, ' ');  // the name
    while (!items.empty()) take(stream, cut_front(items, ' '));
  }
}

void append_csv(std::string& text, std::string_view row) {
  for_each_item(row, [&text](std::size_t /*stream*/, std::string_view item) {
    text.append(item.substr(0, item.find(':'))) += ',';
  });
  text.back() = '\n';
}

void append_libsvm(std::string& text, std::string_view row,
                   std::span<const StreamOptions> streams) {
  const std::size_t label = row.find("|y ");
  text += label == row.npos ? "0" : row.substr(label + 3, row.rfind(':') - label - 3);
  for_each_item(row.substr(0, label), [&](std::size_t stream, std::string_view item) {
    std::int64_t index = 0;
    const char* const colon = std::from_chars(item.begin(), item.end(), index).ptr;
    for (const StreamOptions& before : streams.first(stream)) index += before.sample_shape->size();
    fmt::format_to(std::back_inserter(text), " {}", index);
    text.append(colon, item.end());
  });
  text += '\n';
}

constexpr std::array kCorpora = {
    Corpus{"decimals", "100 decimals a row",
           [] { return FormatOptions{.streams = {stream("x", Storage::dense, 100)}}; },
           append_decimals},
    Corpus{"pairs", "30 index:0.dddddd a row, and a label",
           [] {
             return FormatOptions{.streams = {stream("x", Storage::sparse, 2'000'000),
                                              stream("y", Storage::sparse, 10)}};
           },
           append_pairs},
    Corpus{"integers", "784 small integers a row, and a label",
           [] {
             return FormatOptions{
                 .streams = {stream("x", Storage::dense, 784), stream("y", Storage::sparse, 10)}};
           },
           append_integers},
    Corpus{"ones", "54 index:1 in two streams a row",
           [] {
             return FormatOptions{.streams = {stream("a", Storage::sparse, 100'000),
                                              stream("b", Storage::sparse, 100'000)}};
           },
           append_ones},
    Corpus{"tagged", "sequences of 5-60 short rows",
           [] {
             return FormatOptions{.streams = {stream("w", Storage::sparse, 50'000),
                                              stream("t", Storage::sparse, 128)}};
           },
           append_tagged},
    Corpus{"libsvm", "LibSVM: a label and 70 index:0.dddddd a row",
           [] {
             return FormatOptions{.format = "libsvm",
                                  .streams = {stream("label", Storage::dense, 1),
                                              stream("features", Storage::sparse, 100'000)}};
           },
           append_libsvm},
};

}  // namespace

std::span<const Corpus> corpora() noexcept { return kCorpora; }

const Corpus& find_corpus(std::string_view name) {
  std::string names;
  for (const Corpus& corpus : kCorpora) {
    if (corpus.name == name) return corpus;
    names += fmt::format(" {}", corpus.name);
  }
  throw std::invalid_argument(fmt::format("no corpus \"{}\"; there are{}", name, names));
}

std::string make_text(const Corpus& corpus, std::int64_t size_bytes) {
  std::string text;
  text.reserve(static_cast<std::size_t>(size_bytes) + (std::size_t{1} << 16));
  for (Sequences sequences(corpus); std::ssize(text) < size_bytes;) sequences.append(text);
  return text;
}

bool use_level(std::string_view name) {
  for (const SimdLevel level : simd_levels()) {
    if (to_string(level) == name) return set_simd_level(level);
  }
  return false;
}

void append_rewritten(std::string& text, const Corpus& corpus, std::string_view rows,
                      std::string_view notation) {
  if (notation != "csv" && notation != "libsvm") {
    throw std::invalid_argument(fmt::format("no notation \"{}\"; there are csv libsvm", notation));
  }
  const FormatOptions options = corpus.options();
  if (options.format == notation) {
    text += rows;
    return;
  }
  while (!rows.empty()) {
    const std::string_view row = cut_front(rows, '\n');
    notation == "csv" ? append_csv(text, row) : append_libsvm(text, row, options.streams);
  }
}

}  // namespace sheaf::bench
