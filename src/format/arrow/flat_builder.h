// Writes flatbuffers without generated code.
//
//     FlatDraft message;
//     message.number<std::int16_t>(0, kVersion5);
//     message.table(2, header);
//     const std::string bytes = flat_bytes(message);

#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sheaf::arrow {

/// A table before it is written. Fields are numbered from 0, as in the schema. A union has two
/// fields: its type and its value. A field that is not set is absent.
class FlatDraft {
 public:
  /// Pre: the field is not set yet. The same holds for the next functions.
  template <typename T>
  void number(int field, T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    fields_.push_back({.number = field, .kind = Kind::number, .bytes = std::move(bytes)});
  }

  void table(int field, FlatDraft table);
  void tables(int field, std::vector<FlatDraft> tables);
  void text(int field, std::string_view text);

  /// Sets a vector of structs or numbers from their bytes, with this alignment.
  void vector(int field, std::string bytes, std::int64_t count, std::int64_t alignment);

 private:
  friend class FlatWriter;

  enum class Kind : std::uint8_t { number, table, tables, text, vector };

  struct Field {
    int number;
    Kind kind;
    std::string bytes = {};
    std::int64_t count = 0;
    std::int64_t alignment = 4;
    std::vector<FlatDraft> drafts = {};
  };

  std::vector<Field> fields_;
};

/// Returns a flatbuffer that starts with the table. Its size is a multiple of 8.
[[nodiscard]] std::string flat_bytes(const FlatDraft& root);

}  // namespace sheaf::arrow
