// Code that all serializers share.

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

/// Checks that there are streams and that their names are unique.
///
/// Throws: ConfigError.
void check_written_streams(std::string_view format, std::span<const Stream> streams);

/// The subject of an error in writing. Members that do not apply are empty.
struct WriteContext {
  std::string_view path;
  std::string_view key = {};
  std::string_view stream = {};
};

/// Throws a DataError, always.
[[noreturn]] void throw_unwritable(const WriteContext& location, const ErrorKind& kind,
                                   std::string found, std::string hint = {});

/// Returns the stream of a format that holds a single stream.
///
/// Throws: as check_written_streams(); ConfigError if there are several streams.
[[nodiscard]] const Stream& only_stream(std::string_view format, std::span<const Stream> streams);

/// Returns the text of a sequence's key: the text in the batch, or the digits of a number.
///
/// Throws: DataError with `code` if only the hash of the text is known, or if the text has another
///         hash.
[[nodiscard]] std::string written_key(std::string_view path, const SequenceBatch& batch,
                                      std::size_t sequence, std::string_view code);

/// Returns the path of another file in the folder of the file `path`.
[[nodiscard]] std::string beside(std::string_view path, std::string_view name);

/// Checks that the output has a path. Further files go into the folder of that path.
///
/// Throws: ConfigError.
void check_has_location(std::string_view format, std::string_view path, bool has_location);

/// Checks that the keys are consecutive numbers from `first`. Reading a file without keys gives
/// these keys.
///
/// Throws: DataError of `kind`.
void check_running(std::string_view path, std::span<const SequenceKey> keys, std::int64_t first,
                   const ErrorKind& kind);

/// Throws: DataError of `kind` if a key was repeated.
void check_repeated(std::string_view path, const std::optional<WrittenKeys::Repeated>& repeated,
                    const ErrorKind& kind);

/// Sequences as text, with the keys that the serializer checks when it appends the block.
struct TextBlock final : Serializer::Block {
  TextBlock(Buffer bytes, const SequenceBatch& batch);

  [[nodiscard]] std::int64_t memory_bytes() const noexcept override;

  const Buffer text;
  const std::vector<SequenceKey> keys;
  const bool has_key_texts;
};

}  // namespace sheaf::internal
