// Options of Kaldi's objects.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sheaf/extend/format.h"

#include "format/audio/audio_options.h"

namespace sheaf::kaldi {

inline constexpr std::array<std::string_view, 8> kAsValues = {
    "values", "frames", "one_hot", "pairs", "lists", "posteriors", "scalars", "text"};
inline constexpr FormatOption kAsOption = {
    "kaldi.as", kAsValues,
    "what an object is: values as they are stored (a float vector is one sample), a vector with a "
    "value for each frame, integers as one-hot samples, an object whose bytes do not say the "
    "kind, or the rest of a line of text"};
inline constexpr std::array<std::string_view, 2> kSymbolsValues = {"", "FILE"};
inline constexpr FormatOption kSymbolsOption = {
    .name = "kaldi.symbols",
    .values = kSymbolsValues,
    .help = "with kaldi.as=text: a symbol table, a word and an id a line, which makes words ids",
    .takes_any = true,
    .is_path = true};
inline constexpr std::array<std::string_view, 2> kUnknownValues = {"", "WORD"};
inline constexpr FormatOption kUnknownOption = {
    "kaldi.unknown", kUnknownValues,
    "a word of the symbol table, or an id, for words that the table lacks", true};
inline constexpr std::array<std::string_view, 3> kLengthsValues = {"auto", "none", "FILE"};
inline constexpr FormatOption kLengthsOption = {
    .name = "kaldi.lengths",
    .values = kLengthsValues,
    .help =
        "the keys of a list with their numbers of frames; auto: utt2num_frames beside feats*.scp",
    .takes_any = true,
    .is_path = true};
inline constexpr FormatOption kScaleOption = {
    "kaldi.scale", internal::kSampleScaleValues,
    "values of recordings from -1 to 1, or from -32768 to 32767 as in Kaldi"};
inline constexpr FormatOption kRateOption = {
    "kaldi.rate", internal::kSampleRateValues,
    "the sample rate that all recordings must have; first: the rate of the first one", true};
inline constexpr std::array<std::string_view, 2> kSegmentsValues = {"", "FILE"};
inline constexpr FormatOption kSegmentsOption = {
    .name = "kaldi.segments",
    .values = kSegmentsValues,
    .help = "the utterances as parts of recordings, a line each: key recording start end [channel]",
    .takes_any = true,
    .is_path = true};
inline constexpr std::array kAudioOptions = {kScaleOption, kRateOption, kSegmentsOption};
inline constexpr std::array kReadOptions = {kAsOption,     kLengthsOption,  kScaleOption,
                                            kRateOption,   kSegmentsOption, kSymbolsOption,
                                            kUnknownOption};

inline constexpr std::array<std::string_view, 2> kFormValues = {"binary", "text"};
inline constexpr FormatOption kFormOption = {"kaldi.form", kFormValues,
                                             "whether objects are binary or texts"};
inline constexpr std::array<std::string_view, 4> kCompressionValues = {"none", "auto", "two_byte",
                                                                       "one_byte"};
inline constexpr FormatOption kCompressionOption = {
    "kaldi.compression", kCompressionValues,
    "how matrices are compressed: auto is what Kaldi does by itself, CM and for up to 8 rows CM2"};
inline constexpr std::array<std::string_view, 2> kSparseValues = {"matrix", "posterior"};
inline constexpr FormatOption kSparseOption = {"kaldi.sparse", kSparseValues,
                                               "what sparse samples become"};
inline constexpr std::array kWriteOptions = {kFormOption, kCompressionOption, kSparseOption};

/// How matrices are compressed.
enum class Compressed : std::uint8_t { none, automatic, two_byte, one_byte };

/// How archives are written.
struct WriteOptions {
  bool is_text = false;
  Compressed compression = Compressed::none;
  bool has_posteriors = false;  // writes posteriors instead of sparse matrices
};

/// Checks the options for writing.
///
/// Throws: ConfigError.
[[nodiscard]] WriteOptions write_options_of(const SerializerOptions& options);

/// The samples that an object becomes.
enum class As : std::uint8_t { values, frames, one_hot, pairs, lists, posteriors, scalars, text };

/// The checked options of a list or an archive.
struct ReadOptions {
  As as = As::values;

  // The properties that are declared, or known without looking at the data. An undeclared stream
  // has the name of the file.
  std::string name{};
  std::optional<Storage> storage{};
  std::optional<Shape> shape{};
  std::optional<ElementType> type{};
  ElementType index_type = ElementType::i32;
  bool defines_minibatch_size = false;

  std::string symbols_path = {};  // for texts; empty if samples are texts
  std::string unknown = {};       // replaces words that the table lacks; empty if they are errors
  std::string lengths = "auto";   // "auto", "none", or a path
  std::int64_t chunk_size_bytes = 0;
  std::int64_t read_size_bytes = 0;
  bool has_text_keys = true;
};

/// Checks the options. `name` is the file, or the first of several files. Its stem is the name of
/// an undeclared stream; for one of several files, the number at the end of the stem is dropped.
///
/// Throws: ConfigError.
[[nodiscard]] ReadOptions read_options_of(const FormatOptions& options, std::string_view name,
                                          bool is_one_of_several);

/// Returns the name of the stream of a file: "feats" for "data/feats.scp" and for "feats.ark.gz".
/// For one of several files, drops the number at the end: "raw_mfcc" for "raw_mfcc.3.ark".
[[nodiscard]] std::string stream_name_of(std::string_view file_name, bool is_one_of_several);

}  // namespace sheaf::kaldi
