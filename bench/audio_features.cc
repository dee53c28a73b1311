// bench_audio_features [OPTIONS [SECONDS]]: measures how many seconds of audio become features in a
// second of processor time on one thread. OPTIONS is a transform of the stream x, such as
// "fbank:x:num_mel_bins=80". Prints the best of five rounds for each set of instructions.
// bench/audio_features.py measures kaldi-native-fbank in the same way.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/simd.h"
#include "sheaf/extend/transform.h"

namespace {

constexpr std::int64_t kRate = 16'000;

std::shared_ptr<const sheaf::Transform> made(const std::string& text) {
  const sheaf::TransformSpec spec = sheaf::parse_transform(text);
  for (const sheaf::TransformType& type : sheaf::builtin_transforms()) {
    if (type.name == spec.type && type.make != nullptr) return type.make({.options = spec.options});
  }
  throw sheaf::ConfigError("there is no transform " + spec.type);
}

/// Returns a signal of several tones in the range of 16-bit samples.
std::vector<float> signal_of(std::int64_t sample_count) {
  std::vector<float> signal;
  for (std::int64_t i = 0; i < sample_count; ++i) {
    const double seconds = static_cast<double>(i) / kRate;
    signal.push_back(static_cast<float>(3000 * std::sin(700 * seconds) +
                                        2000 * std::sin(9000 * seconds * seconds)));
  }
  return signal;
}

/// Returns the processor time, in seconds, of computing the features of a signal.
double seconds_of(const sheaf::Transform& transform, const std::vector<float>& signal) {
  const std::vector<sheaf::Stream> streams = {{.name = "x", .sample_shape = sheaf::Shape{1}}};
  const std::vector<sheaf::Stream> outputs = transform.outputs(streams);
  const std::vector<std::int64_t> counts = {std::ssize(signal)};
  const std::vector<std::int64_t> firsts = {0};
  const std::vector<sheaf::SequenceView> views = {
      {.values = reinterpret_cast<const std::byte*>(signal.data()),
       .sample_count = counts[0],
       .value_count = counts[0]}};
  const sheaf::TransformedSequence sequence = {.sample_counts = counts};
  std::pmr::monotonic_buffer_resource memory;
  std::vector<sheaf::SequenceView> results(1);
  sheaf::TransformOutput output(outputs, results, memory);
  const std::clock_t start = std::clock();
  transform.apply({.sequence = sequence,
                   .streams = streams,
                   .views = views,
                   .firsts = firsts,
                   .range = {0, transform.sample_count(counts[0])}},
                  output);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

int run(std::span<char*> arguments) {
  constexpr int kRounds = 5;
  const std::string text = arguments.size() > 1 ? arguments[1] : "fbank:x:num_mel_bins=80";
  const long seconds = arguments.size() > 2 ? std::strtol(arguments[2], nullptr, 10) : 600;
  if (seconds < 1) {
    std::fprintf(stderr, "usage: bench_audio_features [OPTIONS [SECONDS]]\n");
    return 2;
  }
  const std::shared_ptr<const sheaf::Transform> transform = made(text);
  const std::vector<float> signal = signal_of(seconds * kRate);
  for (const sheaf::SimdLevel level : sheaf::simd_levels()) {
    sheaf::set_simd_level(level);
    double best = seconds_of(*transform, signal);
    for (int round = 1; round < kRounds; ++round) {
      best = std::min(best, seconds_of(*transform, signal));
    }
    std::printf("%-8s %7.0f seconds of audio a second\n", sheaf::to_string(level).data(),
                static_cast<double>(seconds) / best);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv, static_cast<std::size_t>(argc)});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_audio_features: %s\n", error.what());
    return 1;
  }
}
