// First all heads are read, many files at a time. Then keys, channels and rates are checked file by
// file, in order.

#include "format/wav/wav_index.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <limits>
#include <span>
#include <utility>
#include <variant>

#include "sheaf/error.h"
#include "sheaf/extend/parallel_for.h"

#include "base/key_set.h"
#include "base/permutation.h"
#include "base/saturated.h"
#include "base/text.h"
#include "core/numeric_key.h"
#include "format/listed/source_bytes.h"
#include "io/read_sources.h"

namespace sheaf::wav {
namespace {

using internal::RiffAudio;
using internal::RiffFault;
using internal::saturated_product;
using internal::saturated_sum;
using internal::SoundAudio;
using internal::SoundCoding;
using internal::SoundFile;

constexpr std::int64_t kHeadsAtOnce = 64;
constexpr std::uint8_t kBigEndian = 0x80;  // flag added to an encoding
constexpr std::uint8_t kSound = 0x40;      // flag added to a coding of libsndfile
constexpr std::int64_t kChannelsAt = 2;    // in the fields of a format
constexpr std::int64_t kRateAt = 4;
constexpr std::int64_t kSoundValueBytes = 2;  // counted for a value that libsndfile decodes
constexpr std::int64_t kMillisecondsASecond = 1000;

// Returns a number that almost certainly changes if the file changes.
std::uint64_t stamp_of(const ByteSource& source) {
  const std::uint64_t size = internal::mixed(static_cast<std::uint64_t>(source.size()));
  return internal::mixed(size + static_cast<std::uint64_t>(source.modified_ns()));
}

/// A recording of either kind.
struct Recording {
  std::uint8_t encoding = 0;  // see WavIndex::encodings_
  std::int64_t channel_count = 0;
  std::int64_t rate = 0;
  std::int64_t sample_count = 0;
  std::int64_t sample_size_bytes = 0;
  std::int64_t channels_at = 0;  // offset of the channels in the file
  std::int64_t rate_at = 0;
  std::int64_t data_bytes = 0;  // offset of the first sample
};

Recording recording_of(const RiffAudio& audio) noexcept {
  return {.encoding = static_cast<std::uint8_t>(static_cast<unsigned>(audio.encoding) |
                                                (audio.is_big_endian ? kBigEndian : 0U)),
          .channel_count = audio.channel_count,
          .rate = audio.rate,
          .sample_count = audio.sample_count,
          .sample_size_bytes = audio.bytes_per_sample(),
          .channels_at = audio.format_bytes + kChannelsAt,
          .rate_at = audio.format_bytes + kRateAt,
          .data_bytes = audio.data_bytes};
}

Recording recording_of(const SoundAudio& audio) noexcept {
  return {.encoding = static_cast<std::uint8_t>(static_cast<unsigned>(audio.coding) | kSound),
          .channel_count = audio.channel_count,
          .rate = audio.rate,
          .sample_count = audio.sample_count,
          .sample_size_bytes = audio.channel_count * kSoundValueBytes};
}

/// The facts about a file from its head.
struct Head {
  std::variant<Recording, RiffFault> content;
  std::uint64_t hash = 0;
  std::uint64_t stamp = 0;
  std::int64_t size_bytes = 0;  // of the file

  // Returns 0 if there is no good format.
  [[nodiscard]] std::int64_t channel_count() const noexcept {
    return std::visit([](const auto& known) { return known.channel_count; }, content);
  }
  [[nodiscard]] std::int64_t rate() const noexcept {
    return std::visit([](const auto& known) { return known.rate; }, content);
  }
};

std::variant<Recording, RiffFault> find_recording(const ByteSource& source, std::string_view path,
                                                  std::span<const std::byte> head) {
  const std::int64_t size = source.size();
  if (const std::optional<SoundCoding> coding = internal::sound_coding_of(head, true)) {
    const auto opened = SoundFile::open(source, {.begin_bytes = 0, .end_bytes = size}, *coding);
    if (const auto* const fault = std::get_if<RiffFault>(&opened)) return *fault;
    return recording_of(std::get<SoundFile>(opened).audio());
  }
  auto found = internal::find_riff_audio(source, {.begin_bytes = 0, .end_bytes = size}, head);
  if (const auto* const audio = std::get_if<RiffAudio>(&found)) return recording_of(*audio);
  auto& fault = std::get<RiffFault>(found);
  if (fault.kind == &internal::kNotRiff && is_sound_path(path)) {
    fault.kind = &internal::kSoundHeader;
  }
  return std::move(fault);
}

// Reads the heads of consecutive files. Throws the error of the first file that has one.
void read_heads(const WavFiles& files, std::int64_t first, std::int64_t read_size_bytes,
                std::span<Head> heads) {
  using Bytes = std::array<std::byte, internal::kRiffHeadBytes>;
  std::vector<std::shared_ptr<const ByteSource>> sources;
  std::vector<Bytes> bytes(heads.size());
  std::vector<std::vector<ByteSource::Request>> requests(heads.size());
  std::vector<internal::SourceRequests> reads;
  const auto head_of = [&](std::size_t i) {
    const std::int64_t size = std::min(sources[i]->size(), internal::kRiffHeadBytes);
    return std::span(bytes[i]).first(static_cast<std::size_t>(size));
  };
  for (std::size_t i = 0; i < heads.size(); ++i) {
    sources.push_back(files.open(first + static_cast<std::int64_t>(i)));
    internal::append_requests(0, head_of(i), read_size_bytes, requests[i]);
    reads.push_back({.source = sources[i].get(), .requests = requests[i]});
  }
  const std::vector<std::exception_ptr> errors = internal::try_read_sources(reads);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (errors[i] != nullptr) std::rethrow_exception(errors[i]);
    const std::span<const std::byte> head = head_of(i);
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    heads[i].size_bytes = sources[i]->size();
    heads[i].hash = key_of_text(text).low;
    heads[i].stamp = stamp_of(*sources[i]);
    const std::string& path = files.path(first + static_cast<std::int64_t>(i));
    heads[i].content = find_recording(*sources[i], path, head);
  }
}

}  // namespace

Diagnostic diagnostic_of(const std::string& path, const RiffFault& fault) {
  Diagnostic diagnostic;
  diagnostic.path = path;
  diagnostic.byte_offset = fault.byte_offset;
  diagnostic.code = fault.kind->code;
  diagnostic.expected = fault.kind->expected;
  diagnostic.found = fault.found;
  return diagnostic;
}

/// Goes through the files and fills the index.
class WavIndex::Scan {
 public:
  Scan(WavIndex& index, const ReadOptions& options)
      : index_(index),
        files_(index.files_),
        options_(options),
        heads_(static_cast<std::size_t>(files_.count())) {}

  void run(Executor* executor) {
    read_all_heads(executor);
    find_common();
    index_.encodings_.reserve(heads_.size());
    index_.stamps_.reserve(heads_.size());
    for (std::int64_t file = 0; file < files_.count(); ++file) take_file(file);
    end_chunk();
    index_.faults_.shrink_to_fit();
    index_.fingerprint_ = to_string(key_of_text(identity_));
  }

 private:
  void read_all_heads(Executor* executor) {
    const std::int64_t count = files_.count();
    const std::int64_t round_count = (count + kHeadsAtOnce - 1) / kHeadsAtOnce;
    parallel_for(executor, round_count, [&](std::int64_t round) {
      const std::int64_t first = round * kHeadsAtOnce;
      const auto size = static_cast<std::size_t>(std::min(kHeadsAtOnce, count - first));
      read_heads(files_, first, options_.read_size_bytes,
                 std::span(heads_).subspan(static_cast<std::size_t>(first), size));
    });
  }

  // Finds the channels and the rate of all files: the declared ones, or those of the first file
  // with a good format.
  void find_common() {
    const auto first =
        std::ranges::find_if(heads_, [](const Head& head) { return head.channel_count() > 0; });
    if (first != heads_.end()) {
      index_.channel_count_ = options_.channel_count.value_or(first->channel_count());
      rate_ = options_.rate.value_or(first->rate());
      first_ = first - heads_.begin();
      return;
    }
    if (options_.channel_count) {
      index_.channel_count_ = *options_.channel_count;
      return;
    }
    Diagnostic diagnostic =
        diagnostic_of(files_.path(0), std::get<RiffFault>(heads_.front().content));
    diagnostic.hint = heads_.size() == 1
                          ? "the file tells how many channels the stream has"
                          : "no file tells how many channels the stream has; this is the first one";
    throw DataError({std::move(diagnostic)});
  }

  void take_file(std::int64_t file) {
    const Head& head = heads_[static_cast<std::size_t>(file)];
    const std::string_view text = key_of_path(files_.path(file), options_.key_part);
    const SequenceKey key = key_of(file, text);
    if (!keys_.insert({.low = key.low, .high = key.high})) throw_repeated(file, key, text);
    identity_ += formatted("{}:{}:{:x} ", to_string(key), head.size_bytes, head.hash);

    std::optional<RiffFault> fault = fault_of(head);
    Recording recording;
    if (!fault) recording = std::get<Recording>(head.content);
    index_.stamps_.push_back(head.stamp);
    index_.encodings_.push_back(recording.encoding);
    add(file, key, text, recording);
    if (fault) index_.faults_.push_back({.file = file, .fault = *std::move(fault)});
  }

  [[nodiscard]] SequenceKey key_of(std::int64_t file, std::string_view text) const {
    if (options_.has_text_keys) return key_of_text(text);
    if (const std::optional<SequenceKey> key = internal::numeric_key_of(text)) return *key;
    refuse(file, kNumericKey, quoted(text), std::string(internal::kTextKeysHint));
  }

  [[noreturn]] void throw_repeated(std::int64_t file, const SequenceKey& key,
                                   std::string_view text) const {
    std::int64_t first = 0;
    while (key_of(first, key_of_path(files_.path(first), options_.key_part)) != key) ++first;
    refuse(file, kRepeatedKey, formatted("{}, the key of {}", quoted(text), files_.path(first)),
           options_.key_part == KeyPart::path ? "" : "wav.keys=path takes the path as the key");
  }

  [[noreturn]] void refuse(std::int64_t file, const ErrorKind& kind, std::string found,
                           std::string hint) const {
    Diagnostic diagnostic = diagnostic_of(
        files_.path(file),
        {.kind = &kind, .byte_offset = Diagnostic::kNoOffset, .found = std::move(found)});
    diagnostic.hint = std::move(hint);
    throw DataError({std::move(diagnostic)});
  }

  [[nodiscard]] std::optional<RiffFault> fault_of(const Head& head) const {
    if (const auto* const fault = std::get_if<RiffFault>(&head.content)) return *fault;
    const auto& audio = std::get<Recording>(head.content);
    if (audio.channel_count != index_.channel_count_) {
      return RiffFault{.kind = &kOtherChannels,
                       .byte_offset = audio.channels_at,
                       .found = formatted("{}, where {} {}", audio.channel_count,
                                          options_.channel_count ? "the stream has" : first_has(),
                                          index_.channel_count_)};
    }
    if (audio.rate != rate_) {
      return RiffFault{.kind = &kOtherRate,
                       .byte_offset = audio.rate_at,
                       .found = formatted("{}, where {} {}", audio.rate,
                                          options_.rate ? "wav.rate is" : first_has(), rate_)};
    }
    if (audio.sample_count == 0) {
      return RiffFault{.kind = &kEmpty, .byte_offset = audio.data_bytes, .found = "none"};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string first_has() const { return files_.path(first_) + " has"; }

  // Pre: a file with a fault has no samples.
  void add(std::int64_t file, const SequenceKey& key, std::string_view text,
           const Recording& audio) {
    const std::int64_t size = saturated_product(audio.sample_count, audio.sample_size_bytes);
    if (table_.size() > 0 && size > options_.chunk_size_bytes - chunk_.size_bytes) end_chunk();
    const std::int64_t values_size =
        saturated_product(audio.sample_count, index_.channel_count_ * kValueSize);
    table_.push_back(
        {.key = key,
         .offset_bytes = chunk_.size_bytes,
         .sample_count = audio.sample_count,
         .cost = milliseconds(audio),
         .location = SourceLocation{.source = file, .offset_bytes = audio.data_bytes}});
    chunk_.size_bytes = saturated_sum(chunk_.size_bytes, size);
    // The offset of the sequence, the number of a hole, and the key, which may lie inside its
    // string.
    constexpr auto kSequenceBytes =
        static_cast<std::int64_t>(2 * sizeof(std::int64_t) + sizeof(std::string));
    constexpr std::int64_t kTextSizeMin = 15;
    chunk_.decoded_size_bytes = saturated_sum(
        chunk_.decoded_size_bytes,
        saturated_sum(values_size, kSequenceBytes + std::max(kTextSizeMin, std::ssize(text))));
  }

  [[nodiscard]] static std::int64_t milliseconds(const Recording& audio) {
    if (audio.sample_count == 0) return 0;
    const std::int64_t whole = audio.sample_count / audio.rate;
    const std::int64_t rest = audio.sample_count % audio.rate * kMillisecondsASecond;
    return saturated_sum(saturated_product(whole, kMillisecondsASecond),
                         (rest + audio.rate - 1) / audio.rate);
  }

  void end_chunk() {
    const std::int64_t end = saturated_sum(chunk_.offset_bytes, chunk_.size_bytes);
    chunk_.decoded_size_bytes =
        saturated_sum(chunk_.decoded_size_bytes, static_cast<std::int64_t>(sizeof(std::int64_t)));
    index_.chunks_.add(chunk_, table_.finish());
    chunk_ = {};
    chunk_.offset_bytes = end;
  }

  WavIndex& index_;
  const WavFiles& files_;
  const ReadOptions& options_;
  std::vector<Head> heads_;
  std::int64_t rate_ = 0;
  std::int64_t first_ = 0;  // number of the file that tells the channels and the rate
  WideKeySet keys_;
  std::string identity_;  // of all files

  ChunkInfo chunk_;
  SequenceTable::Builder table_;
};

WavIndex::WavIndex(const WavFiles& files, const ReadOptions& options, Executor* executor)
    : files_(files), scale_(options.scale), chunks_({.name = "milliseconds"}) {
  Scan(*this, options).run(executor);
}

std::int64_t WavIndex::memory_bytes() const {
  auto bytes = static_cast<std::int64_t>(sizeof *this + encodings_.capacity() +
                                         stamps_.capacity() * sizeof(std::uint64_t) +
                                         faults_.capacity() * sizeof(FileFault));
  for (const FileFault& each : faults_) {
    bytes += static_cast<std::int64_t>(each.fault.found.capacity());
  }
  return bytes + chunks_.memory_bytes() + files_.memory_bytes();
}

std::optional<SoundCoding> WavIndex::sound_coding(std::int64_t file) const noexcept {
  const std::uint8_t encoding = encodings_[static_cast<std::size_t>(file)];
  if ((encoding & kSound) == 0) return std::nullopt;
  return static_cast<SoundCoding>(encoding & ~kSound);
}

internal::SampleRules WavIndex::rules(std::int64_t file) const noexcept {
  const std::uint8_t encoding = encodings_[static_cast<std::size_t>(file)];
  return {.encoding = static_cast<internal::SampleEncoding>(encoding & ~kBigEndian),
          .is_big_endian = (encoding & kBigEndian) != 0,
          .scale = scale_};
}

void WavIndex::check_unchanged(std::int64_t file, const ByteSource& source) const {
  if (stamp_of(source) == stamps_[static_cast<std::size_t>(file)]) return;
  throw IoError(formatted("{}: was changed after it was indexed", source.name()));
}

const RiffFault* WavIndex::fault(std::int64_t file) const noexcept {
  const auto found = std::ranges::lower_bound(faults_, file, {}, &FileFault::file);
  return found == faults_.end() || found->file != file ? nullptr : &found->fault;
}

}  // namespace sheaf::wav
