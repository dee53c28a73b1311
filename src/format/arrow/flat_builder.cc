// A table precedes the data that it refers to, because offsets point forward. An offset is filled
// in when its target is written.

#include "format/arrow/flat_builder.h"

#include <algorithm>
#include <cstddef>

namespace sheaf::arrow {

void FlatDraft::table(int field, FlatDraft table) {
  fields_.push_back({.number = field, .kind = Kind::table, .drafts = {std::move(table)}});
}

void FlatDraft::tables(int field, std::vector<FlatDraft> tables) {
  fields_.push_back({.number = field, .kind = Kind::tables, .drafts = std::move(tables)});
}

void FlatDraft::text(int field, std::string_view text) {
  fields_.push_back({.number = field, .kind = Kind::text, .bytes = std::string(text)});
}

void FlatDraft::vector(int field, std::string bytes, std::int64_t count, std::int64_t alignment) {
  fields_.push_back({.number = field,
                     .kind = Kind::vector,
                     .bytes = std::move(bytes),
                     .count = count,
                     .alignment = alignment});
}

class FlatWriter {
 public:
  std::string run(const FlatDraft& root) {
    put<std::uint32_t>(0);
    point(0, write(root));
    align(8, 0);
    return std::move(bytes_);
  }

 private:
  using Field = FlatDraft::Field;
  using Kind = FlatDraft::Kind;

  [[nodiscard]] std::int64_t size() const noexcept { return std::ssize(bytes_); }

  template <typename T>
  void put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  template <typename T>
  void replace(std::int64_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }

  void point(std::int64_t from, std::int64_t to) {
    replace(from, static_cast<std::uint32_t>(to - from));
  }

  // Writes zeros until the byte `ahead` bytes further on is aligned.
  void align(std::int64_t alignment, std::int64_t ahead) {
    while ((size() + ahead) % alignment != 0) bytes_.push_back('\0');
  }

  static std::int64_t size_of(const Field& field) {
    return field.kind == Kind::number ? std::ssize(field.bytes) : 4;
  }

  std::int64_t write(const FlatDraft& draft) {
    std::vector<const Field*> fields;
    for (const Field& field : draft.fields_) fields.push_back(&field);
    // From large to small, so that all fields are aligned without gaps.
    std::stable_sort(fields.begin(), fields.end(),
                     [](const Field* a, const Field* b) { return size_of(*a) > size_of(*b); });
    int last = -1;
    for (const Field* field : fields) last = std::max(last, field->number);
    std::vector<std::uint16_t> locations(static_cast<std::size_t>(last + 1));
    const bool has_wide = !fields.empty() && size_of(*fields.front()) == 8;
    std::int64_t table_bytes = has_wide ? 8 : 4;
    for (const Field* field : fields) {
      locations[static_cast<std::size_t>(field->number)] = static_cast<std::uint16_t>(table_bytes);
      table_bytes += size_of(*field);
    }
    const std::int64_t list_bytes = 4 + 2 * std::ssize(locations);
    align(8, list_bytes);
    put(static_cast<std::uint16_t>(list_bytes));
    put(static_cast<std::uint16_t>(table_bytes));
    for (const std::uint16_t location : locations) put(location);
    const std::int64_t table = size();
    bytes_.append(static_cast<std::size_t>(table_bytes), '\0');
    replace(table, static_cast<std::int32_t>(list_bytes));
    for (const Field* field : fields) {
      const std::int64_t at = table + locations[static_cast<std::size_t>(field->number)];
      if (field->kind == Kind::number) {
        std::memcpy(bytes_.data() + at, field->bytes.data(), field->bytes.size());
      } else {
        point(at, write_target(*field));
      }
    }
    return table;
  }

  std::int64_t write_target(const Field& field) {
    if (field.kind == Kind::table) return write(field.drafts.front());
    align(std::max<std::int64_t>(field.alignment, 4), 4);
    const std::int64_t at = size();
    if (field.kind == Kind::tables) {
      put(static_cast<std::uint32_t>(field.drafts.size()));
      bytes_.append(field.drafts.size() * 4, '\0');
      std::int64_t from = at;
      for (const FlatDraft& draft : field.drafts) point(from += 4, write(draft));
      return at;
    }
    const bool is_text = field.kind == Kind::text;
    put(static_cast<std::uint32_t>(is_text ? std::ssize(field.bytes) : field.count));
    bytes_ += field.bytes;
    if (is_text) bytes_.push_back('\0');
    return at;
  }

  std::string bytes_;
};

std::string flat_bytes(const FlatDraft& root) { return FlatWriter().run(root); }

}  // namespace sheaf::arrow
