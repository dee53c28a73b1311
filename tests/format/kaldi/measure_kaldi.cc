// sheaf_measure_kaldi [ROWS COLS]: measures how fast objects are decoded, compared with a memcpy of
// as many bytes of values. Objects have 400 x 80 values by default. Prints GB of values a second,
// the best of several runs. For integers, also prints GB of the file.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "format/kaldi/kaldi_encode.h"
#include "format/kaldi/kaldi_values.h"

namespace {

using namespace sheaf::internal;

constexpr int kRuns = 7;
constexpr std::int64_t kBytesARun = 400'000'000;

/// Returns the GB a second of the best run. `work` processes `size` bytes.
template <typename Work>
double speed_of(std::int64_t size, Work work) {
  double best = 0;
  const std::int64_t repeats = std::max<std::int64_t>(1, kBytesARun / size);
  for (int run = 0; run < kRuns; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < repeats; ++i) work();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    best = std::max(best, static_cast<double>(size * repeats) / time.count() / 1e9);
  }
  return best;
}

void measure_floats(const char* name, const std::string& object, std::vector<float>& to) {
  const auto bytes = std::as_bytes(std::span(object));
  const auto parsed = parse_kaldi_head(bytes.first(kKaldiHeadSize), KaldiKind::integers);
  const auto& head = std::get<KaldiHead>(parsed);
  const auto data = bytes.subspan(static_cast<std::size_t>(head.data_begin));
  const auto size = static_cast<std::int64_t>(to.size() * sizeof(float));
  const double speed = speed_of(size, [&] {
    decode_floats(head, data, {0, head.rows}, {0, head.cols}, std::span(to));
    asm volatile("" : : "r"(to.data()) : "memory");
  });
  std::printf("%-6s %6.2f GB/s of values\n", name, speed);
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t rows = argc > 2 ? std::atoll(argv[1]) : 400;
  const std::int64_t cols = argc > 2 ? std::atoll(argv[2]) : 80;
  if (rows < 9 || cols < 1 || rows * cols > 100'000'000) {
    std::fprintf(stderr, "expected at least 9 rows and a column\n");
    return 2;
  }
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> values(static_cast<std::size_t>(rows * cols));
  for (float& value : values) value = normal(random);
  std::vector<float> to(values.size());
  const auto size = static_cast<std::int64_t>(values.size() * sizeof(float));
  std::printf("memcpy %6.2f GB/s of values\n", speed_of(size, [&] {
                std::memcpy(to.data(), values.data(), static_cast<std::size_t>(size));
                asm volatile("" : : "r"(to.data()) : "memory");
              }));

  std::string object;
  encode_matrix(std::span<const float>(values), rows, cols, object);
  measure_floats("FM", object, to);
  const std::vector<double> wide(values.begin(), values.end());
  object.clear();
  encode_matrix(std::span<const double>(wide), rows, cols, object);
  measure_floats("DM", object, to);
  const std::pair<const char*, KaldiMethod> methods[] = {{"CM", KaldiMethod::speech_feature},
                                                         {"CM2", KaldiMethod::two_byte},
                                                         {"CM3", KaldiMethod::one_byte}};
  for (const auto& [name, method] : methods) {
    object.clear();
    if (!encode_compressed(values, rows, cols, method, object)) return 1;
    measure_floats(name, object, to);
  }

  std::vector<std::int32_t> numbers(values.size());
  for (std::int32_t& number : numbers) number = static_cast<std::int32_t>(random());
  object.clear();
  encode_integers(numbers, object);
  const auto data = std::as_bytes(std::span(object)).subspan(7);
  bool is_wrong = false;
  const double speed = speed_of(std::ssize(data), [&] {
    is_wrong |= decode_integers(data, 7, numbers).has_value();
    asm volatile("" : : "r"(numbers.data()) : "memory");
  });
  std::printf("int32  %6.2f GB/s of values, %.2f GB/s of the file\n", speed * 0.8, speed);
  return is_wrong ? 1 : 0;
}
