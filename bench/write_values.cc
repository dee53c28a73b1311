// sheaf_write_values [ROUNDS]: measures how fast values are written as CTF on one thread, into
// memory that is discarded. Three programs take turns: the serializer of sheaf; {fmt}, whose "{}"
// also writes the fewest digits; and snprintf with as many digits as any value may need. All
// programs write the same rows. Prints medians of the rounds, in MB of the program's own text per
// second and in nanoseconds for each value.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "sheaf/sheaf.h"

namespace {

constexpr std::int64_t kRows = 20'000;

/// Counts bytes and discards them.
class NullSink final : public sheaf::ByteSink {
 public:
  explicit NullSink(std::int64_t& size_bytes) : size_bytes_(size_bytes) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "null.ctf"; }
  void write(std::span<const std::byte> bytes) override { size_bytes_ += std::ssize(bytes); }
  void finish() override {}

 private:
  std::int64_t& size_bytes_;
};

std::uint64_t next(std::uint64_t& state) noexcept {  // SplitMix64
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

/// Rows of a stream "x". Each row is a sequence.
template <typename T>
struct Data {
  std::string_view name;
  std::int64_t row_size = 0;
  std::vector<T> values = {};
  std::vector<std::int32_t> indices = {};  // empty for dense data

  template <typename Value>
  Data(std::string_view what, std::int64_t row_values, bool is_sparse, const Value& value_of)
      : name(what), row_size(row_values) {
    std::uint64_t random = 1;
    for (std::int64_t row = 0; row < kRows; ++row) {
      std::uint64_t index = 0;
      for (std::int64_t i = 0; i < row_size; ++i) {
        values.push_back(static_cast<T>(value_of(next(random))));
        index += 1 + next(random) % 60'000;
        if (is_sparse) indices.push_back(static_cast<std::int32_t>(index));
      }
    }
  }
};

template <typename T>
sheaf::Buffer buffer_of(const std::vector<T>& values) {
  sheaf::Buffer buffer;
  for (const T& value : values) buffer.push_back(value);
  return buffer;
}

/// Writes all rows and returns the size of the text.
using Program = std::function<std::int64_t()>;

template <typename T>
Program by_sheaf(const Data<T>& data) {
  const bool is_sparse = !data.indices.empty();
  const std::vector<sheaf::Stream> streams = {
      {.name = "x",
       .element_type = sheaf::element_type_of<T>,
       .sample_shape = {is_sparse ? 2'000'000 : data.row_size},
       .storage = is_sparse ? sheaf::Storage::sparse : sheaf::Storage::dense}};
  std::vector<sheaf::Column> columns(1);
  columns[0].values = buffer_of(data.values);
  columns[0].indices = buffer_of(data.indices);
  std::vector<sheaf::SequenceKey> keys;
  for (std::int64_t row = 0; row <= kRows; ++row) {
    if (is_sparse) columns[0].sample_offsets.push_back(row * data.row_size);
    if (row < kRows) keys.push_back({.low = static_cast<std::uint64_t>(row)});
  }
  const auto chunk = std::make_shared<sheaf::Chunk>(streams, kRows, std::move(columns));
  return [streams, keys, chunk] {
    constexpr std::int64_t kBatch = 1000;
    std::int64_t size_bytes = 0;
    const sheaf::Format& format = sheaf::find_writable_format("null.ctf", {});
    const auto serializer =
        format.create({.sink = std::make_unique<NullSink>(size_bytes), .streams = streams});
    std::vector<sheaf::SequenceView> views(kBatch);
    const std::array<std::span<const sheaf::SequenceView>, 1> spans = {views};
    for (std::int64_t row = 0; row < kRows; row += kBatch) {
      for (std::int64_t i = 0; i < kBatch; ++i) {
        views[static_cast<std::size_t>(i)] = chunk->view(0, row + i);
      }
      serializer->append(serializer->encode(
          {.keys = std::span(keys).subspan(static_cast<std::size_t>(row), kBatch),
           .views = spans}));
    }
    serializer->finish();
    return size_bytes;
  };
}

/// Returns a program that writes the rows with `write`, which writes a number and returns its end.
template <typename T, typename Write>
Program by_numbers(const Data<T>& data, const Write& write) {
  return [&data, write] {
    std::vector<char> text(std::size_t{1} << 20);
    std::int64_t size_bytes = 0;
    std::size_t at = 0;
    for (std::int64_t row = 0; row < kRows; ++row) {
      char* p = text.data();
      p = fmt::format_to(p, FMT_COMPILE("{} |x"), row);
      for (std::int64_t i = 0; i < data.row_size; ++i, ++at) {
        *p++ = ' ';
        if (!data.indices.empty()) p = fmt::format_to(p, FMT_COMPILE("{}:"), data.indices[at]);
        p = write(p, data.values[at]);
      }
      *p++ = '\n';
      size_bytes += p - text.data();
    }
    return size_bytes;
  };
}

double seconds_of(const Program& program, std::int64_t& size_bytes) {
  const auto start = std::chrono::steady_clock::now();
  size_bytes = program();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <typename T>
void measure(const Data<T>& data, int rounds) {
  const auto with_fmt = [](char* p, T value) {
    return fmt::format_to(p, FMT_COMPILE("{}"), value);
  };
  const auto with_snprintf = [](char* p, T value) {
    const char* const pattern = std::is_same_v<T, float> ? "%.9g" : "%.17g";
    return p + std::snprintf(p, 32, pattern, static_cast<double>(value));
  };
  const std::array<std::pair<const char*, Program>, 3> programs = {{
      {"sheaf", by_sheaf(data)},
      {"fmt", by_numbers(data, with_fmt)},
      {"snprintf", by_numbers(data, with_snprintf)},
  }};
  std::array<std::vector<double>, 3> seconds;
  std::array<std::int64_t, 3> sizes{};
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < programs.size(); ++i) {
      seconds[i].push_back(seconds_of(programs[i].second, sizes[i]));
    }
  }
  for (std::size_t i = 0; i < programs.size(); ++i) {
    std::ranges::sort(seconds[i]);
    const double median = seconds[i][seconds[i].size() / 2];
    const auto values = static_cast<double>(data.values.size());
    std::printf("%-22s %-9s %7.0f MB/s %7.1f ns/value %6.2f bytes/value\n", data.name.data(),
                programs[i].first, static_cast<double>(sizes[i]) / median / 1e6,
                median * 1e9 / values, static_cast<double>(sizes[i]) / values);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 9;
  const auto six_digits = [](std::uint64_t bits) {
    return (static_cast<double>(bits % 2'000'000) - 1'000'000) / 1e6;
  };
  const auto uniform = [](std::uint64_t bits) {
    return static_cast<double>(bits >> 11) / 9007199254740992.0 * 8 - 4;
  };
  const auto pixel = [](std::uint64_t bits) {
    return bits % 5 == 0 ? static_cast<double>((bits >> 8) % 256) : 0.0;
  };
  measure(Data<float>("six digits f32", 100, false, six_digits), rounds);
  measure(Data<float>("uniform f32", 100, false, uniform), rounds);
  measure(Data<double>("six digits f64", 100, false, six_digits), rounds);
  measure(Data<double>("uniform f64", 100, false, uniform), rounds);
  measure(Data<float>("pixels f32", 100, false, pixel), rounds);
  measure(Data<float>("sparse, six digits f32", 30, true, six_digits), rounds);
  return 0;
}
