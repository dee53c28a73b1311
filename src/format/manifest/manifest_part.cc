#include "format/manifest/manifest_part.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "format/listed/list_entry.h"

namespace sheaf::manifest {
namespace {

// Numbers up to this one are exact as doubles. No file has so many samples.
constexpr double kExactMax = 9e15;

double rounded(double number) { return std::floor(number + 0.5); }

// Rounds like lhotse. Numbers are first rounded to 8 digits after the point, so that a number
// slightly below a half still counts as a half.
double rounded_as_lhotse(double number) {
  constexpr double kDigits = 1e8;
  if (number * kDigits > kExactMax) return rounded(number);
  return rounded(std::nearbyint(number * kDigits) / kDigits);
}

/// A part in numbers of samples. `end` may lie after the end of the file.
struct Ends {
  double begin = 0;
  double end = 0;
};

Ends ends_in_audio(const ManifestLine& line, const internal::RiffAudio& audio) {
  const auto rate = static_cast<double>(audio.rate);
  const auto all = static_cast<double>(audio.sample_count);
  const TimePart& part = line.part;
  if (line.kind == LineKind::nemo) {
    return {.begin = rounded(part.begin * rate),
            .end = part.duration ? rounded((part.begin + *part.duration) * rate) : all};
  }
  const double begin = rounded_as_lhotse(part.begin * rate);
  return {.begin = begin,
          .end = part.duration ? begin + rounded_as_lhotse(*part.duration * rate) : all};
}

// lhotse counts frames in whole samples, with a shift of a whole number of samples. Here it rounds
// halves to even numbers.
Ends ends_in_frames(const TimePart& part, double all) {
  const double shift = std::max(1.0, std::nearbyint(part.frame_shift * part.rate));
  const auto frames = [&](double seconds) {
    return std::floor((std::nearbyint(seconds * part.rate) + std::floor(shift / 2)) / shift);
  };
  const double begin = frames(part.begin);
  return {.begin = begin, .end = part.duration ? begin + frames(*part.duration) : all};
}

std::variant<FilePart, PartFault> part_between(const Ends& ends, std::int64_t all, double tolerance,
                                               FilePart file) {
  const auto count = static_cast<double>(all);
  const double end = std::min(ends.end, count);
  // The condition is negated, so that it also refuses NaN.
  if (!(ends.begin < count && ends.end <= count + tolerance)) {
    if (all == 0) return PartFault{&kNoSamples, "none in the file"};
    return PartFault{
        &kBeyond, formatted("samples {} to {}, where the file has {}", ends.begin, ends.end, all)};
  }
  if (end <= ends.begin) return PartFault{&kNoSamples, formatted("none at sample {}", ends.begin)};
  const auto begin = static_cast<std::int64_t>(ends.begin);
  file.count = static_cast<std::int64_t>(end) - begin;
  if (file.whole_bytes > 0) {
    file.first_row = begin;
  } else {
    file.offset_bytes += begin * file.bytes_per_sample;
  }
  if (file.count >= internal::ListEntry::kUnknownCount) {
    return PartFault{&kTooMany, formatted("{}", file.count)};
  }
  return file;
}

}  // namespace

std::variant<FilePart, PartFault> find_part(const ManifestLine& line, const FileContents& file) {
  if (const auto* const audio = std::get_if<internal::RiffAudio>(&file)) {
    if (line.channel && *line.channel >= audio->channel_count) {
      return PartFault{&kNoChannel, formatted("{} channels, where channel {} is wanted",
                                              audio->channel_count, *line.channel)};
    }
    return part_between(
        ends_in_audio(line, *audio), audio->sample_count,
        kAudioTolerance * static_cast<double>(audio->rate),
        {.offset_bytes = audio->data_bytes, .bytes_per_sample = audio->bytes_per_sample()});
  }
  if (const auto* const matrix = std::get_if<CompressedMatrix>(&file)) {
    const internal::KaldiHead& head = matrix->head;
    return part_between(ends_in_frames(line.part, static_cast<double>(head.rows)), head.rows,
                        kFrameTolerance,
                        {.offset_bytes = matrix->begin_bytes + head.data_begin,
                         .whole_bytes = head.size_bytes - head.data_begin});
  }
  const auto& array = std::get<FloatArray>(file);
  return part_between(
      ends_in_frames(line.part, static_cast<double>(array.row_count)), array.row_count,
      kFrameTolerance,
      {.offset_bytes = array.data_bytes, .bytes_per_sample = array.dim * array.value_size});
}

std::int64_t dim_of(const ManifestLine& line, const FileContents& file) noexcept {
  if (const auto* const audio = std::get_if<internal::RiffAudio>(&file)) {
    return line.channel ? 1 : audio->channel_count;
  }
  if (const auto* const matrix = std::get_if<CompressedMatrix>(&file)) return matrix->head.cols;
  const auto* const array = std::get_if<FloatArray>(&file);
  return array == nullptr ? 0 : array->dim;
}

std::int64_t rate_of(const FileContents& file) noexcept {
  const auto* const audio = std::get_if<internal::RiffAudio>(&file);
  return audio == nullptr ? 0 : audio->rate;
}

}  // namespace sheaf::manifest
