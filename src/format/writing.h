// What the serializers have in common.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/serializer.h"
#include "sheaf/types.h"

#include "base/half.h"
#include "core/error_kind.h"
#include "index/written_keys.h"

namespace sheaf::internal {

/// Returns a value as write_number() takes it.
template <typename T>
[[nodiscard]] constexpr auto written(T value) noexcept {
  if constexpr (std::is_integral_v<T>) {
    return std::int64_t{value};
  } else {
    return value;
  }
}

template <typename T>
[[nodiscard]] bool is_finite(T value) noexcept {
  if constexpr (std::is_integral_v<T>) {
    return true;
  } else {
    return std::isfinite(arithmetic(value));
  }
}

/// Check that there are streams, each with a name of its own.
///
/// Throws: ConfigError.
void check_written_streams(std::string_view format, std::span<const Stream> streams);

/// What an error in writing is about; what does not apply is empty.
struct WrittenPlace {
  std::string_view path;
  std::string_view key = {};
  std::string_view stream = {};
};

/// Throws: DataError, always.
[[noreturn]] void throw_unwritable(const WrittenPlace& place, const ErrorKind& kind,
                                   std::string found, std::string hint = {});

/// Returns the stream of a format that holds one.
///
/// Throws: as check_written_streams(); ConfigError where there are several streams.
[[nodiscard]] const Stream& only_stream(std::string_view format, std::span<const Stream> streams);

/// Returns the text of a sequence's key: the text of the batch, or the digits of a number.
///
/// Throws: DataError of the code, where only the hash of a text is known, or where the text does
///         not have the key.
[[nodiscard]] std::string written_key(std::string_view path, const SequenceBatch& batch,
                                      std::size_t sequence, std::string_view code);

/// Returns the path of another file in the folder of the file `path`.
[[nodiscard]] std::string beside(std::string_view path, std::string_view name);

/// Check that the output has a path, and so a place for further files.
///
/// Throws: ConfigError.
void check_has_place(std::string_view format, std::string_view path, bool has_place);

/// Check that the keys are the numbers from `first` on, which they get when they are read from a
/// file without keys.
///
/// Throws: DataError of `kind`.
void check_running(std::string_view path, std::span<const SequenceKey> keys, std::int64_t first,
                   const ErrorKind& kind);

/// Throws: DataError of `kind` where a key was repeated.
void check_repeated(std::string_view path, const std::optional<WrittenKeys::Repeated>& repeated,
                    const ErrorKind& kind);

/// Sequences as text, and what of them is checked when they are appended.
struct TextBlock final : Serializer::Block {
  TextBlock(Buffer bytes, const SequenceBatch& batch);

  [[nodiscard]] std::int64_t memory_bytes() const noexcept override;

  const Buffer text;
  const std::vector<SequenceKey> keys;
  const bool has_key_texts;
};

}  // namespace sheaf::internal
