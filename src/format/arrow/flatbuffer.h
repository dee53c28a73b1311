// Reads flatbuffers without generated code. Every access checks the bytes.
//
//     const FlatTable message = flat_root(bytes);
//     const auto version = message.number<std::int16_t>(0);
//     const std::optional<FlatTable> schema = message.table(2);
//
// Offsets of flatbuffers point forward, so a walk from the root cannot run in circles. Two offsets
// may lead to the same table, so code that walks over all tables must limit their number.
//
// Source: https://flatbuffers.dev/internals/.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/extend/byte_source.h"

#include "base/unaligned.h"

namespace sheaf::arrow {

/// The bytes of a flatbuffer, and their location in a file.
///
/// Lifetime: tables and vectors refer to the bytes and to the file.
struct FlatBytes {
  const ByteSource* file = nullptr;
  std::int64_t offset = 0;
  std::span<const std::byte> bytes = {};

  /// Throws a DataError that points to the byte `at` of the flatbuffer.
  [[noreturn]] void fail(std::int64_t at, std::string found) const;

  /// Throws: DataError unless `size` bytes lie at `at`.
  void check(std::int64_t at, std::int64_t size) const {
    const auto all = static_cast<std::int64_t>(bytes.size());
    if (at < 0 || size < 0 || at > all || size > all - at) fail_beyond(at, size);
  }

  /// Pre: the bytes were checked.
  template <typename T>
  [[nodiscard]] T load(std::int64_t at) const noexcept {
    return internal::load<T>(bytes.data() + at);
  }

 private:
  [[noreturn]] void fail_beyond(std::int64_t at, std::int64_t size) const;
};

class FlatTable;

/// Elements of the same size. An absent vector has no elements.
class FlatVector {
 public:
  FlatVector() noexcept = default;

  /// Pre: the bytes of all elements were checked.
  FlatVector(const FlatBytes& bytes, std::int64_t at, std::int64_t size,
             std::int64_t element_bytes) noexcept
      : bytes_(bytes), at_(at), size_(size), element_bytes_(element_bytes) {}

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// Returns a number in element `i`, at offset `byte` of the element.
  ///
  /// Pre: the element exists and has the number.
  template <typename T>
  [[nodiscard]] T number(std::int64_t i, std::int64_t byte = 0) const noexcept {
    return bytes_.load<T>(at_ + i * element_bytes_ + byte);
  }

  /// Returns the table that element `i` refers to.
  ///
  /// Pre:    the elements have 4 bytes, and element `i` exists.
  /// Throws: DataError.
  [[nodiscard]] FlatTable table(std::int64_t i) const;

  /// Returns the offset of the element in the file.
  [[nodiscard]] std::int64_t location(std::int64_t i) const noexcept {
    return bytes_.offset + at_ + i * element_bytes_;
  }

 private:
  FlatBytes bytes_ = {};
  std::int64_t at_ = 0;
  std::int64_t size_ = 0;
  std::int64_t element_bytes_ = 0;
};

/// A table. Fields are numbered from 0, as in the schema. A union has two fields: its type and its
/// value.
class FlatTable {
 public:
  /// Throws: DataError if there is no table at `at`.
  FlatTable(const FlatBytes& bytes, std::int64_t at);

  /// Returns a number, or `otherwise` if the field is absent.
  ///
  /// Throws: DataError, as do the next functions.
  template <typename T>
  [[nodiscard]] T number(int field, T otherwise = T{}) const {
    const std::int64_t at = offset_of(field, sizeof(T));
    return at == 0 ? otherwise : bytes_.load<T>(at);
  }

  /// Returns a table, or nothing if the field is absent.
  [[nodiscard]] std::optional<FlatTable> table(int field) const;

  /// Returns a vector of numbers, structs, or offsets to tables, which have 4 bytes.
  [[nodiscard]] FlatVector vector(int field, std::int64_t element_bytes) const;

  /// Returns a text, or an empty text if the field is absent.
  ///
  /// Lifetime: that of the bytes.
  [[nodiscard]] std::string_view text(int field) const;

  [[nodiscard]] const FlatBytes& bytes() const noexcept { return bytes_; }

  /// Returns the offset of the table in the file.
  [[nodiscard]] std::int64_t location() const noexcept { return bytes_.offset + at_; }

 private:
  // Returns the offset of the field, or 0 if the field is absent.
  [[nodiscard]] std::int64_t offset_of(int field, std::int64_t size) const;

  FlatBytes bytes_;
  std::int64_t at_;
  std::int64_t list_at_ = 0;  // of the list of fields
  std::int64_t list_bytes_ = 0;
  std::int64_t table_bytes_ = 0;
};

/// Returns the table at the root of a flatbuffer.
///
/// Throws: DataError.
[[nodiscard]] FlatTable flat_root(const FlatBytes& bytes);

}  // namespace sheaf::arrow
