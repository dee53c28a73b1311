/// \file
/// Decodes Kaldi's objects the slow way. Shares no code with src/format/kaldi.

#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::kaldi_reference {

/// A matrix of doubles, or the reason why there is none.
struct Matrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<double> values;  // row-major
};

template <typename T>
T number_at(std::string_view bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.substr(at, sizeof value).data(), sizeof value);
  return value;
}

/// Returns the value of a byte of a CM, in a column with the percentiles `u`. Each operation is
/// rounded to the type of its result; `volatile` guarantees this.
inline float column_value(float min_value, float range, const std::uint16_t* u, int byte) {
  float p[4];
  for (int i = 0; i < 4; ++i) {
    const volatile float step = range * 1.52590218966964e-05F;
    const volatile float product = step * static_cast<float>(u[i]);
    p[i] = min_value + product;
  }
  const int part = byte <= 64 ? 0 : byte <= 192 ? 1 : 2;
  const int begin[] = {0, 64, 192};
  const double width[] = {1 / 64.0, 1 / 128.0, 1 / 63.0};
  const volatile float size = p[part + 1] - p[part];
  const volatile float product = size * static_cast<float>(byte - begin[part]);
  const volatile double offset = static_cast<double>(product) * width[part];
  const volatile double sum = static_cast<double>(p[part]) + offset;
  return static_cast<float>(sum);
}

/// Decodes a complete FM, DM, CM, CM2 or CM3.
inline Matrix decode_matrix(std::string_view object) {
  Matrix matrix;
  const std::string_view token = object.substr(2, object.find(' ', 2) - 2);
  if (token == "FM" || token == "DM") {
    matrix.rows = number_at<std::int32_t>(object, 6);
    matrix.cols = number_at<std::int32_t>(object, 11);
    for (std::int64_t i = 0; i < matrix.rows * matrix.cols; ++i) {
      const auto n = static_cast<std::size_t>(i);
      matrix.values.push_back(token == "FM"
                                  ? static_cast<double>(number_at<float>(object, 15 + 4 * n))
                                  : number_at<double>(object, 15 + 8 * n));
    }
    return matrix;
  }
  const std::size_t at = token.size() + 3;
  const auto min_value = number_at<float>(object, at);
  const auto range = number_at<float>(object, at + 4);
  matrix.rows = number_at<std::int32_t>(object, at + 8);
  matrix.cols = number_at<std::int32_t>(object, at + 12);
  const auto rows = static_cast<std::size_t>(matrix.rows);
  const auto cols = static_cast<std::size_t>(matrix.cols);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      float value = 0;
      if (token == "CM") {
        std::uint16_t u[4];
        for (std::size_t i = 0; i < 4; ++i) {
          u[i] = number_at<std::uint16_t>(object, at + 16 + 8 * c + 2 * i);
        }
        const auto byte = number_at<std::uint8_t>(object, at + 16 + 8 * cols + c * rows + r);
        value = column_value(min_value, range, u, byte);
      } else {
        const bool is_wide = token == "CM2";
        const std::size_t i = r * cols + c;
        const int number = is_wide ? number_at<std::uint16_t>(object, at + 16 + 2 * i)
                                   : number_at<std::uint8_t>(object, at + 16 + i);
        const auto step =
            static_cast<float>(static_cast<double>(range) * (1.0 / (is_wide ? 65535.0 : 255.0)));
        const volatile float product = static_cast<float>(number) * step;
        value = min_value + product;
      }
      matrix.values.push_back(static_cast<double>(value));
    }
  }
  return matrix;
}

}  // namespace sheaf::kaldi_reference
