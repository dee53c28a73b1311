// The reference takes byte after byte from the front, and notes where the bytes run out.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

FormatUnderTest blobs_under_test();

namespace {

class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
  [[nodiscard]] std::int64_t at() const { return static_cast<std::int64_t>(at_); }

  std::optional<std::uint64_t> take() {
    if (at_end()) return std::nullopt;
    return static_cast<unsigned char>(bytes_[at_++]);
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// Reads the blobs of a record, after its count. Returns false if the bytes end first.
bool take_blobs(Bytes& bytes, std::uint64_t count, std::vector<ReferenceSample>& blobs,
                std::vector<std::int64_t>& wrong_checks) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::optional<std::uint64_t> size = bytes.take();
    if (!size) return false;
    ReferenceSample blob;
    blob.extents.push_back(static_cast<std::int64_t>(*size));
    std::uint64_t sum = 0;
    for (std::uint64_t k = 0; k < *size; ++k) {
      const std::optional<std::uint64_t> byte = bytes.take();
      if (!byte) return false;
      blob.values.push_back(*byte);
      sum += *byte;
    }
    const std::int64_t check_at = bytes.at();
    const std::optional<std::uint64_t> check = bytes.take();
    if (!check) return false;
    if (*check != sum % 256) wrong_checks.push_back(check_at);
    blobs.push_back(std::move(blob));
  }
  return true;
}

ReferenceResult reference(std::string_view all, const FormatOptions& options) {
  ReferenceResult result;
  if (all.empty()) {
    result.fatal.emplace().code = "blobs-empty";
    return result;
  }
  Bytes bytes(all);
  while (!bytes.at_end()) {
    const std::optional<std::uint64_t> key = bytes.take();
    const std::optional<std::uint64_t> count = bytes.take();
    ReferenceSequence sequence;
    sequence.key.low = *key;
    ReferenceStream& stream = sequence.streams.emplace_back();
    std::vector<std::int64_t> wrong_checks;
    bool is_whole = count.has_value();
    if (count && *count == 255) {
      stream.is_present = false;
    } else if (count) {
      sequence.sample_count = static_cast<std::int64_t>(*count);
      is_whole = take_blobs(bytes, *count, stream.samples, wrong_checks);
    }
    const auto note = [&](std::int64_t at, const char* code) {
      sequence.is_hole = true;
      ReferenceDiagnostic diagnostic;
      diagnostic.sequence = std::ssize(result.sequences);
      diagnostic.byte_offset = at;
      diagnostic.sequence_key = std::to_string(*key);
      diagnostic.stream = options.streams[0].name;
      diagnostic.code = code;
      result.diagnostics.push_back(std::move(diagnostic));
    };
    for (const std::int64_t at : wrong_checks) note(at, "blobs-check");
    if (!is_whole) note(static_cast<std::int64_t>(all.size()), "blobs-cut");
    if (sequence.is_hole) stream.samples.clear();
    result.sequences.push_back(std::move(sequence));
  }
  std::sort(result.diagnostics.begin(), result.diagnostics.end());
  return result;
}

std::string generate(std::uint64_t seed, const FormatOptions& /*options*/) {
  Choices choices(seed);
  std::string bytes;
  const auto put = [&bytes](std::int64_t byte) { bytes += static_cast<char>(byte); };
  const std::int64_t record_count = 1 + choices.below(15);
  for (std::int64_t i = 0; i < record_count; ++i) {
    put(i);
    if (choices.once_in(5)) {
      put(255);
      continue;
    }
    const std::int64_t blob_count = choices.below(4);
    put(blob_count);
    for (std::int64_t b = 0; b < blob_count; ++b) {
      const std::int64_t size = choices.once_in(8) ? choices.below(200) : choices.below(6);
      put(size);
      std::int64_t sum = 0;
      for (std::int64_t k = 0; k < size; ++k) {
        const std::int64_t byte = choices.below(256);
        put(byte);
        sum += byte;
      }
      put(choices.once_in(30) ? sum + 1 : sum);
    }
  }
  if (choices.once_in(5)) {
    bytes.resize(static_cast<std::size_t>(1 + choices.below(std::ssize(bytes))));
  }
  return bytes;
}

}  // namespace

FormatUnderTest blobs_under_test() {
  FormatOptions options;
  options.streams = {{.name = "image", .dtype = ElementType::bytes}};
  using std::string_literals::operator""s;
  const Alphabet letters{.letters = {"\0"s, "\1", "\2", "\3", "\xFF"}, .length_max = 6};
  return {.name = "blobs",
          .option_sets = {{.name = "plain", .options = options, .alphabets = {letters}}},
          .generate = generate,
          .reference = reference};
}

}  // namespace sheaf::conformance
