// Computes (value - mean) / standard deviation.
//
// The compiler must not fuse a product and a sum into one operation, since the bytes would then
// differ between machines. src/CMakeLists.txt prevents it.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "sheaf/diagnostic.h"

#include "base/number_text.h"
#include "base/text.h"
#include "base/unaligned.h"
#include "transform/kaldi_statistics.h"
#include "transform/option_values.h"
#include "transform/statistics.h"
#include "transform/stream_checks.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

std::string number_texts(std::span<const double> numbers) {
  std::string text;
  for (const double number : numbers) {
    std::array<char, kNumberTextRoom> digits{};
    if (!text.empty()) text += ' ';
    text.append(digits.data(), write_number(digits.data(), number));
  }
  return text;
}

/// The parameters of a sample, with one number for each value.
struct Scaling {
  std::vector<double> means;
  std::vector<double> divisors;
};

/// Writes (value - mean) / divisor. Returns the first finite value whose result is not finite, or
/// `dim`.
template <typename T>
std::int64_t scale_sample(const std::byte* values, const Scaling& scaling, T* out,
                          std::int64_t dim) noexcept {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kSign = Bits{1} << (8 * sizeof(T) - 1);
  constexpr Bits kExponentStep = Bits{1} << (std::numeric_limits<T>::digits - 1);
  const double* const means = scaling.means.data();
  const double* const divisors = scaling.divisors.data();
  Bits not_finite = 0;  // highest bit: set by the carry from an exponent of all ones
  for (std::int64_t i = 0; i < dim; ++i) {
    const auto value = static_cast<double>(load<T>(values, i));
    out[i] = static_cast<T>((value - means[i]) / divisors[i]);
    not_finite |= (std::bit_cast<Bits>(out[i]) & ~kSign) + kExponentStep;
  }
  if ((not_finite & kSign) == 0) return dim;
  std::int64_t i = 0;
  while (i < dim && (std::isfinite(out[i]) || !std::isfinite(load<T>(values, i)))) ++i;
  return i;
}

/// Returns the means and the population standard deviations of all samples of a view.
template <typename T>
ValueStatistics statistics_of(const SequenceView& view, std::int64_t dim) {
  ValueStatistics statistics{.means = std::vector<double>(static_cast<std::size_t>(dim)),
                             .deviations = std::vector<double>(static_cast<std::size_t>(dim))};
  double* const means = statistics.means.data();
  double* const deviations = statistics.deviations.data();
  const auto count = static_cast<double>(view.sample_count);
  for (std::int64_t t = 0; t < view.sample_count; ++t) {
    const std::byte* const values = view.values + t * dim * std::int64_t{sizeof(T)};
    for (std::int64_t i = 0; i < dim; ++i) means[i] += static_cast<double>(load<T>(values, i));
  }
  for (std::int64_t i = 0; i < dim; ++i) means[i] /= count;
  for (std::int64_t t = 0; t < view.sample_count; ++t) {
    const std::byte* const values = view.values + t * dim * std::int64_t{sizeof(T)};
    for (std::int64_t i = 0; i < dim; ++i) {
      const double difference = static_cast<double>(load<T>(values, i)) - means[i];
      deviations[i] += difference * difference;
    }
  }
  for (std::int64_t i = 0; i < dim; ++i) deviations[i] = std::sqrt(deviations[i] / count);
  return statistics;
}

/// Throws for statistics that are not finite, and names the value and the sample that caused it.
template <typename T>
void require_finite(const ValueStatistics& statistics, const SequenceView& view,
                    const Stream& stream) {
  const std::int64_t dim = std::ssize(statistics.means);
  for (std::int64_t i = 0; i < dim; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (std::isfinite(statistics.means[at]) && std::isfinite(statistics.deviations[at])) continue;
    for (std::int64_t t = 0; t < view.sample_count; ++t) {
      const T value = load<T>(view.values, t * dim + i);
      if (std::isfinite(value)) continue;
      throw ConfigError(
          formatted("stream \"{}\": value {} of sample {} is {}; a sequence with such values has "
                    "no mean and standard deviation",
                    stream.name, i, t, value));
    }
    throw ConfigError(
        formatted("stream \"{}\": value {} is too large in this sequence for a mean and a standard "
                  "deviation",
                  stream.name, i));
  }
}

/// The source of the statistics.
enum class StatisticsSource : std::uint8_t { options, sequence, file };

struct StandardizeOptions {
  StatisticsSource source = StatisticsSource::options;
  bool variance = true;
  double floor = 0;
  Statistics statistics = {};               // from the options or the file
  std::optional<SpeakerMap> speakers = {};  // if the file has speakers
  std::string statistics_name = {};         // "statistics=stats.json", for messages
  std::string speakers_name = {};
  std::string text = {};  // for options()
};

class Standardize final : public Transform {
 public:
  explicit Standardize(StandardizeOptions options) : options_(std::move(options)) {}

  [[nodiscard]] std::string_view name() const noexcept override {
    return standardize_transform().name;
  }
  [[nodiscard]] std::string options() const override { return options_.text; }

  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    require_dense_fixed(inputs[0]);
    require_floating(inputs[0]);
    const std::int64_t dim = inputs[0].sample_shape.size();
    if (dim > kSampleValuesMax) refuse_stream(inputs[0], "have fewer values a sample");
    if (options_.source == StatisticsSource::options) {
      require_size(options_.statistics.all.means, "mean", inputs[0]);
      require_size(options_.statistics.all.deviations, "stddev", inputs[0]);
    } else if (options_.source == StatisticsSource::file) {
      const std::string& name = options_.statistics_name;
      if (options_.statistics.speakers.empty()) {
        require_size(options_.statistics.all.means, name, inputs[0]);
      }
      for (const auto& [speaker, statistics] : options_.statistics.speakers) {
        require_size(statistics.means,
                     formatted("{}: speaker {}", name, quoted(std::string_view(speaker))),
                     inputs[0]);
      }
    }
    return {inputs[0]};
  }

  [[nodiscard]] SampleRange reads(const SampleRange& range,
                                  const TransformedSequence& sequence) const override {
    if (options_.source != StatisticsSource::sequence) return range;
    return {0, sequence.sample_counts[0]};
  }

  void apply(const TransformInput& input, TransformOutput& output) const override {
    if (input.streams[0].element_type == ElementType::f32) {
      apply_to<float>(input, output);
    } else {
      apply_to<double>(input, output);
    }
  }

 private:
  static void require_size(const std::vector<double>& numbers, std::string_view name,
                           const Stream& stream) {
    const std::int64_t dim = stream.sample_shape.size();
    if (std::ssize(numbers) == dim || numbers.size() == 1) return;
    throw ConfigError(
        formatted("stream \"{}\" has samples of {} values: {} must have 1 or {}, got {}",
                  stream.name, dim, name, dim, numbers.size()));
  }

  [[nodiscard]] const ValueStatistics& statistics_of_speaker(const TransformedSequence& of) const {
    const std::string* const speaker = options_.speakers->find(of.name.key);
    if (speaker == nullptr) {
      const std::string key =
          of.key_text.empty() ? to_string(of.name.key) : std::string(of.key_text);
      throw ConfigError(formatted("{}: the file has no line for {}", options_.speakers_name, key));
    }
    const auto found = options_.statistics.speakers.find(*speaker);
    if (found == options_.statistics.speakers.end()) {
      throw ConfigError(formatted("{}: the file has no speaker {}, which {} names",
                                  options_.statistics_name, quoted(std::string_view(*speaker)),
                                  options_.speakers_name));
    }
    return found->second;
  }

  [[nodiscard]] Scaling scaling_of(const ValueStatistics& statistics, std::int64_t dim) const {
    const auto size = static_cast<std::size_t>(dim);
    Scaling scaling{.means = statistics.means, .divisors = std::vector<double>(size, 1)};
    if (scaling.means.size() == 1) scaling.means.resize(size, statistics.means[0]);
    if (!options_.variance) return scaling;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t at = statistics.deviations.size() == 1 ? 0 : i;
      scaling.divisors[i] = std::max(statistics.deviations[at], options_.floor);
    }
    return scaling;
  }

  template <typename T>
  [[nodiscard]] Scaling scaling_for(const TransformInput& input, std::int64_t dim) const {
    if (options_.source == StatisticsSource::sequence) {
      const ValueStatistics statistics = statistics_of<T>(input.views[0], dim);
      require_finite<T>(statistics, input.views[0], input.streams[0]);
      return scaling_of(statistics, dim);
    }
    if (options_.speakers) return scaling_of(statistics_of_speaker(input.sequence), dim);
    return scaling_of(options_.statistics.all, dim);
  }

  template <typename T>
  void apply_to(const TransformInput& input, TransformOutput& output) const {
    const std::int64_t dim = input.streams[0].sample_shape.size();
    const Scaling scaling = scaling_for<T>(input, dim);
    T* const out = output.dense<T>(0, input.range.count);
    const std::byte* const values = input.views[0].values + (input.range.first - input.firsts[0]) *
                                                                dim * std::int64_t{sizeof(T)};
    for (std::int64_t t = 0; t < input.range.count; ++t) {
      const std::byte* const sample = values + t * dim * std::int64_t{sizeof(T)};
      const std::int64_t at = scale_sample(sample, scaling, out + t * dim, dim);
      if (at == dim) continue;
      throw ConfigError(formatted(
          "stream \"{}\": value {} of sample {} is {}; its standardized value is too large for {}",
          input.streams[0].name, at, input.range.first + t, load<T>(sample, at),
          to_string(input.streams[0].element_type)));
    }
  }

  StandardizeOptions options_;
};

constexpr TransformOption kStandardizeOptions[] = {
    {.name = "mean", .help = "numbers with spaces between: one for all values, or one for each"},
    {.name = "stddev", .help = "standard deviations, likewise"},
    {.name = "per", .help = "sequence: the statistics of each sequence"},
    {.name = "statistics",
     .help =
         "a JSON file with mean and stddev, of all or of each speaker; or Kaldi's CMVN statistics",
     .is_path = true},
    {.name = "speakers",
     .help = "a file with a line KEY SPEAKER for each sequence",
     .is_path = true},
    {.name = "variance", .default_text = "true", .help = "false: subtract the mean, no more"},
    {.name = "floor", .default_text = "1e-8", .help = "the least standard deviation"},
};

std::string read_option_file(const TransformRequest& request, const OptionValues& values,
                             std::string_view name) {
  if (!request.read_file) throw ConfigError(formatted("{}: there are no files here", name));
  return request.read_file(std::string(values.text(name)));
}

void set_given(const OptionValues& values, StandardizeOptions& options) {
  for (const std::string_view name : {"variance", "floor"}) {
    if (values.has(name)) {
      throw ConfigError(formatted("{} does not go with mean and stddev", name));
    }
  }
  ValueStatistics& all = options.statistics.all;
  const auto numbers = [&](std::string_view name, double otherwise) {
    if (!values.has(name)) return std::vector<double>{otherwise};
    std::vector<double> given = values.numbers(name);
    if (given.empty()) throw ConfigError(formatted("{} must have a number", name));
    return given;
  };
  all = {.means = numbers("mean", 0), .deviations = numbers("stddev", 1)};
  for (const double deviation : all.deviations) {
    if (deviation <= 0) {
      throw ConfigError(formatted("stddev must be numbers above 0: got {}", deviation));
    }
  }
  options.text =
      formatted("mean={},stddev={}", number_texts(all.means), number_texts(all.deviations));
}

std::string text_of(const Statistics& statistics) {
  const auto numbers = [](const ValueStatistics& of) {
    return formatted("{};{}\n", number_texts(of.means), number_texts(of.deviations));
  };
  std::string text = numbers(statistics.all);
  for (const auto& [speaker, of] : statistics.speakers) text += speaker + ' ' + numbers(of);
  return text;
}

void set_files(const TransformRequest& request, const OptionValues& values,
               StandardizeOptions& options) {
  const std::string text = read_option_file(request, values, "statistics");
  options.statistics_name = formatted("statistics={}", values.text("statistics"));
  // The text depends on the content of the files, not on their names.
  if (is_json_statistics(text)) {
    options.statistics = parse_statistics(text, options.statistics_name);
    options.text = formatted("statistics={}", to_string(key_of_text(text)));
  } else {
    const std::string path(values.text("statistics"));
    options.statistics =
        parse_kaldi_statistics(text, options.statistics_name, path, request.read_file);
    const std::string numbers = text_of(options.statistics);
    options.text = formatted("statistics={}", to_string(key_of_text(numbers)));
  }
  const auto require_deviations = [&](const ValueStatistics& statistics, const std::string& of) {
    if (!options.variance || !statistics.deviations.empty()) return;
    throw ConfigError(
        formatted("{}: expected the field \"stddev\", which variance=false does "
                  "without",
                  of));
  };
  const bool has_speakers = !options.statistics.speakers.empty();
  if (!has_speakers) require_deviations(options.statistics.all, options.statistics_name);
  for (const auto& [speaker, statistics] : options.statistics.speakers) {
    require_deviations(statistics, formatted("{}: speakers: {}", options.statistics_name,
                                             quoted(std::string_view(speaker))));
  }
  if (has_speakers && !values.has("speakers")) {
    throw ConfigError(formatted("{} has speakers: speakers is needed", options.statistics_name));
  }
  if (!values.has("speakers")) return;
  if (!has_speakers) {
    throw ConfigError(
        formatted("{} has no speakers: speakers does not go with it", options.statistics_name));
  }
  const std::string speakers = read_option_file(request, values, "speakers");
  options.speakers_name = formatted("speakers={}", values.text("speakers"));
  options.speakers.emplace(speakers, options.speakers_name);
  options.text += formatted(",speakers={}", to_string(key_of_text(speakers)));
}

std::shared_ptr<const Transform> make_standardize(const TransformRequest& request) {
  constexpr double kFloorMin = 1e-300;
  constexpr double kFloorMax = 1e300;
  constexpr std::string_view kPer[] = {"sequence"};
  const OptionValues values(standardize_transform(), request);
  const bool is_given = values.has("mean") || values.has("stddev");
  const int ways =
      (is_given ? 1 : 0) + (values.has("per") ? 1 : 0) + (values.has("statistics") ? 1 : 0);
  if (ways != 1) {
    throw ConfigError(
        formatted("exactly one of these is needed: mean and stddev, per=sequence, "
                  "statistics; got {}",
                  ways == 0 ? "none" : "several"));
  }
  if (values.has("speakers") && !values.has("statistics")) {
    throw ConfigError("speakers goes with statistics alone");
  }
  StandardizeOptions options;
  if (is_given) {
    set_given(values, options);
    return std::make_shared<const Standardize>(std::move(options));
  }
  options.variance = values.flag("variance");
  options.floor = values.number("floor", kFloorMin, kFloorMax);
  if (values.has("per")) {
    static_cast<void>(values.choice("per", kPer));
    options.source = StatisticsSource::sequence;
    options.text = "per=sequence";
  } else {
    options.source = StatisticsSource::file;
    set_files(request, values, options);
  }
  options.text += formatted(",variance={}", options.variance);
  if (options.variance) {
    options.text += formatted(",floor={}", number_texts({&options.floor, 1}));
  }
  return std::make_shared<const Standardize>(std::move(options));
}

}  // namespace

const TransformType& standardize_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "standardize",
      .description = "values less their mean, divided by their standard deviation",
      .use = TransformUse::each,
      .options = kStandardizeOptions,
      .make = make_standardize};
  return kType;
}

}  // namespace sheaf::internal
