// Lists the fields of a spec once, for the code that reads JSON and the code that writes it.
//
// `Fields` has a function for each kind of field. `otherwise` is the value of a field that a spec
// leaves out:
//   whole(name, value, otherwise, Whole)    a whole number, perhaps optional
//   seed(name, value, otherwise)            an unsigned whole number of 64 bits
//   truth(name, value, otherwise)           true or false
//   text(name, value, otherwise)            a text
//   texts(name, values)                     texts by name
//   names(name, values)                     names of streams: one, or a list
//   numbers(name, values)                   whole numbers and fractions by name
//   word(name, value, otherwise, words)     one of some words, perhaps optional

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "sheaf/dtype.h"
#include "sheaf/spec.h"

namespace sheaf::internal {

inline constexpr std::int64_t kCountMax = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kEpochSizeMax = kCountMax / 2;
inline constexpr std::int64_t kChunkSizeMax = std::int64_t{1} << 40;
inline constexpr std::int64_t kDimMax = std::numeric_limits<std::int32_t>::max();

/// A value, and the word that stands for it.
template <typename T>
struct Word {
  T value;
  std::string_view word;
};

/// The whole numbers that a field takes. If `word` is not empty, it stands for `meaning`: a number,
/// or the absence of a value for an optional field.
struct Whole {
  std::int64_t min = 0;
  std::int64_t max = kCountMax;
  std::string_view word = {};
  std::optional<std::int64_t> meaning = {};
};

inline constexpr auto kElementTypes = [] {
  std::array<Word<ElementType>, kDtypeNames.size()> words{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = {kDtypeNames[i].type, kDtypeNames[i].word};
  }
  return words;
}();
inline constexpr auto kStreamTypes = [] {  // of a stream, which may be opaque bytes
  std::array<Word<ElementType>, kElementTypes.size() + 1> words{};
  std::copy(kElementTypes.begin(), kElementTypes.end(), words.begin());
  words.back() = {ElementType::bytes, "bytes"};
  return words;
}();
inline constexpr std::array<Word<ElementType>, 2> kIndexTypes = {
    {{ElementType::i32, "int32"}, {ElementType::i64, "int64"}}};
inline constexpr std::array<Word<Storage>, 2> kStorages = {
    {{Storage::dense, "dense"}, {Storage::sparse, "sparse"}}};
inline constexpr std::array<Word<Compatibility>, 2> kCompatibilities = {
    {{Compatibility::strict, "strict"}, {Compatibility::cntk, "cntk"}}};
inline constexpr std::array<Word<MissingStreams>, 2> kMissingStreams = {
    {{MissingStreams::error, "error"}, {MissingStreams::allow, "allow"}}};
inline constexpr std::array<Word<KeyType>, 2> kKeyTypes = {
    {{KeyType::numeric, "numeric"}, {KeyType::text, "text"}}};
inline constexpr std::array<Word<IndexMode>, 4> kIndexModes = {{{IndexMode::automatic, "auto"},
                                                                {IndexMode::off, "off"},
                                                                {IndexMode::rebuild, "rebuild"},
                                                                {IndexMode::require, "require"}}};
inline constexpr std::array<Word<ConcatenatedKeys>, 2> kSameKeys = {
    {{ConcatenatedKeys::distinct, "refuse"}, {ConcatenatedKeys::number, "number"}}};
inline constexpr std::array<Word<Exhausted>, 4> kExhausted = {{{Exhausted::repeat, "repeat"},
                                                               {Exhausted::stop, "stop"},
                                                               {Exhausted::drop, "drop"},
                                                               {Exhausted::error, "error"}}};
inline constexpr std::array<Word<MissingSequences>, 3> kMissingSequences = {
    {{MissingSequences::drop, "drop"},
     {MissingSequences::error, "error"},
     {MissingSequences::absent, "absent"}}};
inline constexpr std::array<Word<Lengths>, 4> kLengths = {{{Lengths::any, "any"},
                                                           {Lengths::equal, "equal"},
                                                           {Lengths::primary, "primary"},
                                                           {Lengths::at_least, "at_least"}}};
inline constexpr std::array<Word<OrderAlgorithm>, 3> kOrders = {{{OrderAlgorithm::file, "file"},
                                                                 {OrderAlgorithm::cntk, "cntk"},
                                                                 {OrderAlgorithm::keyed, "keyed"}}};
inline constexpr std::array<Word<MinibatchUnit>, 3> kUnits = {
    {{MinibatchUnit::samples, "samples"},
     {MinibatchUnit::sequences, "sequences"},
     {MinibatchUnit::cost, "cost"}}};
inline constexpr std::array<Word<SweepEnds>, 2> kSweepEnds = {
    {{SweepEnds::cross, "cross"}, {SweepEnds::cut, "cut"}}};
inline constexpr std::array<Word<Timeline>, 2> kTimelines = {
    {{Timeline::local, "local"}, {Timeline::global, "global"}}};
inline constexpr std::array<Word<Balance>, 2> kBalances = {
    {{Balance::cost, "cost"}, {Balance::count, "count"}}};
inline constexpr std::array<Word<Batching>, 2> kBatchings = {
    {{Batching::plain, "plain"}, {Batching::bucketed, "bucketed"}}};
inline constexpr std::array<Word<Sizes>, 2> kSizes = {
    {{Sizes::even, "even"}, {Sizes::exact, "exact"}}};
inline constexpr std::array<Word<LongSequences>, 4> kLongSequences = {
    {{LongSequences::error, "error"},
     {LongSequences::split, "split"},
     {LongSequences::truncate, "truncate"},
     {LongSequences::drop, "drop"}}};
inline constexpr std::array<Word<Layout>, 5> kLayouts = {{{Layout::padded, "padded"},
                                                          {Layout::ragged, "ragged"},
                                                          {Layout::packed, "packed"},
                                                          {Layout::frames, "frames"},
                                                          {Layout::truncated, "truncated"}}};

inline constexpr std::array<Word<PadSide>, 2> kPadSides = {
    {{PadSide::right, "right"}, {PadSide::left, "left"}}};

/// Visits the fields of a stream besides its name and its shape.
template <typename Fields>
void visit_fields(Fields& fields, StreamOptions& stream) {
  const StreamOptions otherwise;
  fields.text("alias", stream.alias, otherwise.alias);
  fields.word("storage", stream.storage, otherwise.storage, kStorages);
  fields.word("dtype", stream.dtype, otherwise.dtype, kStreamTypes);
  fields.word("index_dtype", stream.index_dtype, otherwise.index_dtype, kIndexTypes);
  fields.truth("defines_minibatch_size", stream.defines_minibatch_size,
               otherwise.defines_minibatch_size);
}

/// Visits the fields of files besides their paths and their streams.
template <typename Fields>
void visit_fields(Fields& fields, FilesSpec& files) {
  const FilesSpec otherwise;
  FormatOptions& format = files.format;
  const FormatOptions& usual = otherwise.format;
  fields.text("format", format.format, usual.format);
  fields.texts("format_options", format.extra);
  fields.word("dtype", format.dtype, usual.dtype, kElementTypes);
  fields.word("keys", format.keys, usual.keys, kKeyTypes);
  fields.truth("skip_sequence_ids", format.skip_sequence_ids, usual.skip_sequence_ids);
  fields.word("missing_streams", format.missing_streams, usual.missing_streams, kMissingStreams);
  fields.word("compatibility", format.compatibility, usual.compatibility, kCompatibilities);
  fields.whole("chunk_size", format.chunk_size_bytes, usual.chunk_size_bytes,
               {.min = 1, .max = kChunkSizeMax});
  fields.word("index", format.index.mode, usual.index.mode, kIndexModes);
  fields.text("index_dir", format.index.directory, usual.index.directory);
  fields.word("same_keys", files.same_keys, otherwise.same_keys, kSameKeys);
}

/// Visits the fields of a join besides its members.
template <typename Fields>
void visit_fields(Fields& fields, JoinSpec& join) {
  const JoinSpec otherwise;
  fields.whole("primary", join.primary, otherwise.primary,
               {.min = 0, .max = static_cast<std::int64_t>(join.members.size()) - 1});
  fields.word("missing_sequences", join.missing_sequences, otherwise.missing_sequences,
              kMissingSequences);
  fields.word("lengths", join.lengths, otherwise.lengths, kLengths);
  fields.whole("length_tolerance", join.length_tolerance, otherwise.length_tolerance, {});
  fields.names("length_streams", join.length_streams);
}

template <typename Fields>
void visit_fields(Fields& fields, ReadSpec& read) {
  const ReadSpec otherwise;
  OrderOptions& order = read.order;
  const OrderOptions& usual = otherwise.order;
  fields.word("order", order.algorithm, usual.algorithm, kOrders);
  fields.seed("seed", order.seed, usual.seed);
  fields.whole("window_chunks", order.window_chunks, usual.window_chunks,
               {.min = 1, .word = "all", .meaning = kAll});
  fields.whole("window_samples", order.window_samples, usual.window_samples,
               {.min = 1, .word = "all", .meaning = kAll});
  fields.truth("split_frames", order.split_frames, usual.split_frames);
  fields.whole("minibatch_size", order.minibatch_size, usual.minibatch_size, {.min = 1});
  fields.word("unit", order.unit, usual.unit, kUnits);
  fields.whole("sweeps", order.sweeps, usual.sweeps, {.min = 1, .word = "endless"});
  fields.whole("epoch_size", order.epoch_size, usual.epoch_size, {.min = 1, .max = kEpochSizeMax});
  fields.whole("epochs", order.epochs, usual.epochs, {.min = 1, .word = "endless"});
  fields.word("sweep_ends", order.sweep_ends, usual.sweep_ends, kSweepEnds);
  fields.word("timeline", order.timeline, usual.timeline, kTimelines);
  fields.word("balance", order.balance, usual.balance, kBalances);
  fields.word("batching", order.batching, usual.batching, kBatchings);
  fields.word("sizes", order.sizes, usual.sizes, kSizes);
  fields.truth("drop_last", order.drop_last, usual.drop_last);
  fields.whole("truncation_length", order.truncation_length, usual.truncation_length, {.min = 1});
  fields.word("long", order.long_sequences, usual.long_sequences, kLongSequences);
  fields.word("packing", read.packing, otherwise.packing, kLayouts);
  fields.whole("row_samples", read.row_samples, otherwise.row_samples, {.min = 1});
  Padding& padding = read.padding;
  fields.numbers("pad_values", padding.pad_values);
  fields.word("pad_side", padding.pad_side, otherwise.padding.pad_side, kPadSides);
  fields.whole("pad_multiple", padding.pad_multiple, otherwise.padding.pad_multiple, {.min = 1});
  fields.whole("pad_length", padding.pad_length, otherwise.padding.pad_length, {.min = 1});
  fields.whole("max_errors", read.max_errors, otherwise.max_errors,
               {.word = "any", .meaning = kAll});
  CacheOptions& cache = read.cache;
  fields.text("cache", cache.folder, otherwise.cache.folder);
  fields.whole("cache_limit", cache.limit_bytes, otherwise.cache.limit_bytes,
               {.min = 1, .word = "none"});
}

}  // namespace sheaf::internal
