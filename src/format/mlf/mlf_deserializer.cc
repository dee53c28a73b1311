#include "format/mlf/mlf_deserializer.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/mlf/mlf_binary.h"
#include "format/mlf/mlf_errors.h"
#include "format/mlf/mlf_lines.h"
#include "format/mlf/mlf_parser.h"
#include "format/text/recalled_streams.h"
#include "format/text/text_format.h"
#include "index/units.h"

namespace sheaf::mlf {
namespace {

constexpr std::string_view kIdsName = "ids";

/// Returns the options that affect the ids found, as text.
std::string found_how(const ByteSource& source, const FormatOptions& options, const Options& own) {
  const bool is_all = options.inference_size_bytes.value_or(source.size()) >= source.size();
  return formatted("bytes={}:unit={}:period={}:max={}",
                   is_all ? "all" : std::to_string(*options.inference_size_bytes),
                   static_cast<int>(own.unit), own.frame_period, own.frames_max);
}

/// Returns the stem of a path: "an4" for "data/an4.mlf".
std::string stem_of(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  const std::size_t dot = name.find('.', 1);
  return std::string(name.substr(0, dot));
}

}  // namespace

std::int64_t MlfIndex::memory_bytes() const {
  const std::int64_t bytes =
      ScannedIndex::memory_bytes() + (locations_ ? locations_->memory_bytes() : 0);
  const std::scoped_lock lock(mutex_);
  return bytes + wrong_bytes_;
}

std::optional<std::int64_t> MlfIndex::cut_length(ChunkIndex chunk, std::int64_t sequence) const {
  if (is_wrong(chunk, sequence)) return std::nullopt;
  return sample_counts(chunk)[sequence];
}

// Parses the utterances of a unit in the order of the file, since other orders are slow in a
// compressed file. Each step asks for the utterances in its slots again, so the result is kept.
bool MlfIndex::is_wrong(ChunkIndex chunk, std::int64_t sequence) const {
  const internal::Units units(*this->chunk(chunk));
  const std::int64_t unit = units.of(sequence);
  const std::int64_t first = units.first(unit);
  const auto place = static_cast<std::size_t>(sequence - first);
  {
    const std::scoped_lock lock(mutex_);
    const auto known = wrong_.find({chunk, unit});
    if (known != wrong_.end()) return known->second[place];
  }
  std::vector<bool> wrong;
  for (std::int64_t i = first; i < units.first(unit + 1); ++i) {
    wrong.push_back(is_wrong_(chunk, i));
  }
  const bool result = wrong[place];
  constexpr std::int64_t kBytesOfEntry = 128;  // without the utterances
  const std::int64_t bytes = kBytesOfEntry + static_cast<std::int64_t>(wrong.capacity() / 8);
  const std::scoped_lock lock(mutex_);
  if (wrong_.try_emplace({chunk, unit}, std::move(wrong)).second) wrong_bytes_ += bytes;
  return result;
}

MlfDeserializer::MlfDeserializer(std::shared_ptr<const ByteSource> source,
                                 const FormatOptions& options, const Context& context,
                                 std::optional<internal::FoundStreams> found,
                                 std::shared_ptr<const MlfDeserializer> previous)
    : source_(std::move(source)),
      previous_(std::move(previous)),
      locations_(previous_ ? previous_->locations_ : std::make_shared<FirstLocations>()),
      number_(previous_ ? previous_->number_ + 1 : 0),
      options_(parse_options(options)),
      states_(make_states(context)),
      fingerprint_(source_->fingerprint()),
      version_(find_version(options)),
      found_(std::move(found)),
      schema_(make_schema(options, context)),
      gap_id_(gap_id()),
      index_(index_parts(options, context), previous_ ? nullptr : locations_, wrong_utterances()) {}

// Destroys the files one after the other. Each may own the previous file, so recursive destruction
// would need a stack that grows with the number of files.
MlfDeserializer::~MlfDeserializer() {
  std::shared_ptr<const MlfDeserializer> file = std::move(previous_);
  while (file.use_count() == 1) file = std::move(file->previous_);
}

std::optional<States> MlfDeserializer::make_states(const Context& context) const {
  if (options_.states_path.empty()) return std::nullopt;
  return States(*context.file_system().open(options_.states_path));
}

RowReader MlfDeserializer::rows(const FormatOptions& options, std::int64_t end,
                                std::int64_t read_size) const {
  return {*source_,
          0,
          end,
          1,
          read_size,
          internal::row_size_max(options.index.memory_limit_bytes.value_or(0),
                                 options.read_size_bytes)};
}

// Returns the version of a binary file. The first line of a text that is not blank must be the mark
// of the format.
int MlfDeserializer::find_version(const FormatOptions& options) const {
  std::array<char, kBinaryHeadSize> bytes{};
  const std::string_view head(bytes.data(), bytes.size());
  if (source_->size() >= kBinaryHeadSize) {
    source_->read_at(0, std::as_writable_bytes(std::span(bytes)));
  }
  if (!is_binary(head)) {
    check_mark(options);
    return 0;
  }
  const int version = binary_version(head);
  if (version > 0) return version;
  Diagnostic diagnostic;
  diagnostic.path = source_->name();
  diagnostic.byte_offset = 3;
  diagnostic.code = kVersion.code;
  diagnostic.expected = kVersion.expected;
  diagnostic.found = quoted(head.substr(3));
  throw DataError({std::move(diagnostic)});
}

void MlfDeserializer::check_mark(const FormatOptions& options) const {
  RowReader rows = this->rows(options, source_->size(),
                              std::min(options.read_size_bytes, RowReader::kProbeSizeBytes));
  LineSplitter lines(options_);
  Row row;
  while (rows.next(row)) {
    const bool is_name = lines.next(row) != Line::none;
    if (!is_name && lines.text().empty()) continue;
    if (!is_name) return;
    constexpr std::size_t kShown = 20;
    internal::throw_data_error(*source_, row, lines.begin(), kHeader,
                               quoted(lines.text().substr(0, kShown)), "");
  }
  internal::throw_data_error(*source_, {.line = 1}, nullptr, kHeader,
                             source_->size() == 0 ? "an empty file" : "only blank lines", "");
}

// Finds the largest id of the good lines.
internal::FoundStreams MlfDeserializer::find_ids(const FormatOptions& options) const {
  const std::int64_t end =
      std::min(source_->size(), options.inference_size_bytes.value_or(source_->size()));
  internal::FoundStream ids{.name = std::string(kIdsName)};
  if (version_ > 0) {
    BinaryReader reader(*source_, version_, kBinaryHeadSize, std::max(end, kBinaryHeadSize),
                        options.read_size_bytes);
    BinaryUtterance utterance;
    while (reader.next(utterance)) {
      for (std::int64_t i = 0; !utterance.is_cut && i < utterance.run_count; ++i) {
        ids.index_max = std::max<std::int64_t>(ids.index_max, utterance.run(i).id);
      }
    }
    return {found_how(*source_, options, options_), {std::move(ids)}};
  }
  RowReader rows = this->rows(options, end, options.read_size_bytes);
  LineSplitter lines(options_);
  Row row;
  while (rows.next(row)) {
    if (lines.next(row) != Line::range) continue;
    const Times times = lex_times(lines.begin(), lines.end(), options_);
    if (times.rest == nullptr) continue;
    const Label label = lex_label(times.rest, lines.end(), false);
    if (label.wrong == nullptr) ids.index_max = std::max(ids.index_max, lex_id(label.text()));
  }
  return {found_how(*source_, options, options_), {std::move(ids)}};
}

// Returns one more than the largest id.
std::int64_t MlfDeserializer::find_dim(const FormatOptions& options, const Context& context) {
  if (states_) return states_->size();
  if (!found_) {
    found_ = internal::recall_or_find_streams(
        *source_, fingerprint_, options.index, context.file_system(),
        found_how(*source_, options, options_), [&] { return find_ids(options); });
  }
  std::int64_t largest = options_.gap ? std::max<std::int64_t>(lex_id(*options_.gap), 0) : 0;
  for (const internal::FoundStream& ids : found_->streams) {
    largest = std::max(largest, ids.index_max);
  }
  return largest + 1;
}

// Returns the stream. An undeclared stream has the name of the file, or of the first of several
// files.
StreamOptions MlfDeserializer::stream_of(const FormatOptions& options) const {
  if (options.streams.size() > 1) {
    throw ConfigError(formatted("streams: an MLF has one stream, got {}", options.streams.size()));
  }
  if (!options.streams.empty()) return options.streams.front();
  StreamOptions stream;
  stream.name = previous_ ? previous_->streams().front().name
                          : stem_of(source_->path().empty() ? source_->name() : source_->path());
  if (stream.name.empty()) stream.name = "labels";
  return stream;
}

internal::TextSchema MlfDeserializer::make_schema(const FormatOptions& options,
                                                  const Context& context) {
  FormatOptions own = options;
  own.streams = {stream_of(options)};
  StreamOptions& stream = own.streams.front();
  const bool is_declared = !options.streams.empty();
  const std::string name = quoted(stream.name);
  if (options_.gives_ids) {
    if (stream.storage != Storage::dense || stream.sample_shape.value_or(Shape{1}) != Shape{1}) {
      throw ConfigError(formatted("stream {}: ids (mlf.as=ids) are dense, of shape [1]", name));
    }
    stream.sample_shape = Shape{1};
    const ElementType type = stream.dtype.value_or(options.dtype.value_or(ElementType::i32));
    if (type != ElementType::i32 && type != ElementType::i64) {
      throw ConfigError(
          formatted("stream {}: ids (mlf.as=ids) are i32 or i64, got {}", name, to_string(type)));
    }
    stream.dtype = type;
  } else {
    if (is_declared && stream.storage != Storage::sparse) {
      throw ConfigError(formatted(
          "stream {}: one-hot labels are sparse; mlf.as=ids gives a number for each frame", name));
    }
    stream.storage = Storage::sparse;
    if (!stream.sample_shape) stream.sample_shape = Shape{find_dim(options, context)};
  }
  internal::CheckedStreams checked =
      internal::check_streams(own, "mlf", [](const StreamOptions& each, std::string_view) {
        if (each.alias.empty()) return;
        throw ConfigError(formatted("stream {}: an MLF names no streams, so there is no alias {}",
                                    quoted(each.name), quoted(each.alias)));
      });
  const std::int64_t dim = checked.streams.front().sample_shape.size();
  const std::int64_t dim_max = options_.is_cntk && is_declared ? kIdCount - 1 : kIdCount;
  if (dim > dim_max) {
    throw ConfigError(
        formatted("stream {}: ids of an MLF have 16 bits, so the dim is at most {}, "
                  "got {}",
                  name, dim_max, dim));
  }
  internal::TextSchema schema;
  schema.streams = std::move(checked.streams);
  schema.defining_stream = checked.defining_stream;
  schema.chunk_size_bytes = options.chunk_size_bytes;
  schema.read_size_bytes = options.read_size_bytes;
  schema.row_size_max_bytes =
      internal::row_size_max(options.index.memory_limit_bytes.value_or(0), options.read_size_bytes);
  schema.table_size_max_bytes =
      internal::table_size_max(options.index.memory_limit_bytes.value_or(0));
  schema.fills_up = true;  // a range makes many samples
  schema.has_text_keys = options_.has_text_keys;
  schema.may_drop = true;
  return schema;
}

std::int64_t MlfDeserializer::gap_id() const {
  if (!options_.gap) return -1;
  const std::int64_t id = states_ ? states_->find(*options_.gap) : lex_id(*options_.gap);
  const std::int64_t dim =
      options_.gives_ids ? kIdCount : schema_.streams.front().sample_shape.size();
  if (id >= 0 && id < dim) return id;
  throw ConfigError(
      formatted("mlf.gap: expected {}, found {}",
                states_ ? "error or a state of the list" : "error or an id below the dim",
                quoted(*options_.gap)));
}

internal::ScannedIndex::Parts MlfDeserializer::index_parts(const FormatOptions& options,
                                                           const Context& context) {
  data_options_ =
      formatted("chunk={}:unit={}:period={}:max={}:gap={}:boundaries={}:cntk={}:states={}",
                options.chunk_size_bytes, static_cast<int>(options_.unit), options_.frame_period,
                options_.frames_max, gap_id_, options_.marks_boundaries, options_.is_cntk,
                states_ ? states_->fingerprint() : "");
  if (!options_.has_text_keys) data_options_ += ":keys=numeric";
  if (previous_) data_options_ += ":after=" + to_string(key_of_text(previous_->fingerprint()));
  // The index depends neither on the name nor on the dim. Files that are read one after the other
  // may be opened again with a larger dim.
  const Stream& stream = schema_.streams.front();
  const std::string types = formatted("{} {} {}", to_string(stream.storage),
                                      to_string(stream.element_type), to_string(stream.index_type));
  return {.source = source_,
          .rows = {.begin = version_ > 0 ? kBinaryHeadSize : 0,
                   .end = source_->size(),
                   .chunk_size_bytes = schema_.chunk_size_bytes},
          .make_scanner =
              [this](const internal::ScanPart& part) {
                note_keys_before();
                if (version_ > 0) {
                  return make_binary_scanner(*source_, version_, schema_, options_, *locations_,
                                             number_, part);
                }
                return make_scanner(*source_, schema_, options_, *locations_, number_, part);
              },
          .blocks = {},
          .stream_count = 1,
          .may_repeat_keys = false,
          .may_drop = true,
          .fills_up = true,
          .options = options.index,
          .files = &context.file_system(),
          .identity = {.options = "mlf 1:" + data_options_ + "; " + types,
                       .data = fingerprint_,
                       .modified_ns = source_->modified_ns()},
          .found = found_,
          .warning_code = kIndexFileCode};
}

// In CNTK, a wrong utterance takes no room in a slot of truncated sequences.
MlfIndex::IsWrong MlfDeserializer::wrong_utterances() const {
  if (!options_.is_cntk) return {};
  return [this](ChunkIndex chunk, std::int64_t sequence) {
    Diagnostics diagnostics;
    return read({chunk, sequence, 1}, diagnostics).is_hole(0);
  };
}

// Notes the keys of this file. A scan notes keys itself. An index from a file lists them.
void MlfDeserializer::note_keys() const {
  for (ChunkIndex i{};; i = next(i)) {
    const std::optional<ChunkInfo> chunk = index_.chunk(i);
    if (!chunk) break;
    if (!index_.has_file()) continue;
    const std::shared_ptr<const SequenceTable> table = index_.sequences(i);
    for (std::int64_t k = 0; k < table->size(); ++k) {
      locations_->add(table->key(k), {number_, chunk->offset_bytes + table->offset_bytes(k)});
    }
  }
  has_noted_keys_ = true;
}

// Notes the keys of earlier files, from the first file on, so that no file has to ask its
// predecessor.
void MlfDeserializer::note_keys_before() const {
  std::vector<const MlfDeserializer*> files;
  for (const MlfDeserializer* file = previous_.get(); file != nullptr && !file->has_noted_keys_;
       file = file->previous_.get()) {
    files.push_back(file);
  }
  for (; !files.empty(); files.pop_back()) files.back()->note_keys();
}

std::string MlfDeserializer::fingerprint() const {
  return formatted("mlf:{}:{}", to_string(fingerprint_), data_options_);
}

Chunk MlfDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const Reading reading{.schema = schema_,
                        .options = options_,
                        .states = states_ ? &*states_ : nullptr,
                        .gap_id = gap_id_};
  if (version_ > 0) return read_binary(*source_, version_, reading, index_, range, diagnostics);
  return MlfParser(*source_, reading, index_, range, diagnostics).parse();
}

void MlfDeserializer::build_index(Executor& executor, DecodedSink* sink) const {
  index_.build(executor, sink);
}

}  // namespace sheaf::mlf
