#include "format/arrow/ipc_schema.h"

#include <utility>

#include "base/text.h"
#include "format/arrow/arrow_errors.h"
#include "format/arrow/ipc_numbers.h"
#include "format/arrow/ipc_types.h"

namespace sheaf::arrow {
namespace {

constexpr int kDepthMax = 64;

class SchemaReader {
 public:
  // Each field takes more than 8 bytes of metadata, and each byte of a text more than one byte.
  // Only several offsets to the same table could give more, so these numbers limit them.
  SchemaReader(const FlatBytes& bytes, std::int16_t version)
      : version_(version),
        fields_left_(std::ssize(bytes.bytes) / 8),
        text_left_(std::ssize(bytes.bytes) * 4) {}

  IpcSchema read(const FlatTable& schema) {
    result_.type.format = "+s";
    result_.type.metadata = metadata(schema, kSchemaMetadata);
    const FlatVector fields = schema.vector(kSchemaFields, 4);
    for (std::int64_t i = 0; i < fields.size(); ++i) {
      ArrowNode type;
      result_.columns.push_back(
          field(fields.table(i), {.path = {}, .depth = 0, .counts = &result_.all}, type));
      result_.type.children.push_back(std::move(type));
    }
    return std::move(result_);
  }

 private:
  // The parent of a field.
  struct Parent {
    std::string path;
    int depth;
    IpcCounts* counts;
    std::optional<std::size_t> dictionary = {};  // the dictionary whose values hold the field
  };

  IpcField field(const FlatTable& table, const Parent& parent, ArrowNode& type) {
    take_field(table, parent.depth);
    type.name = text(table, kFieldName);
    type.is_nullable = table.number<std::uint8_t>(kFieldNullable) != 0;
    type.metadata = metadata(table, kFieldMetadata);
    const Parent self{.path = parent.path.empty() ? type.name : parent.path + '.' + type.name,
                      .depth = parent.depth + 1,
                      .counts = parent.counts,
                      .dictionary = parent.dictionary};
    spend_text(table, std::ssize(self.path));
    const std::optional<FlatTable> encoding = table.table(kFieldDictionary);
    return encoding ? encoded(table, *encoding, self, type) : plain(table, self, type);
  }

  IpcField plain(const FlatTable& table, const Parent& self, ArrowNode& type) {
    const FlatVector children = table.vector(kFieldChildren, 4);
    type.format = format_of_field(table, children.size());
    IpcField field = counted_field(table, self, type.format);
    if (const auto count = child_count(field.layout); count && *count != children.size()) {
      fail(*table.bytes().file, kType, table.location(),
           formatted("{} of type \"{}\" with {} children", quoted(field.path), type.format,
                     children.size()));
    }
    for (std::int64_t i = 0; i < children.size(); ++i) {
      ArrowNode child;
      field.children.push_back(this->field(children.table(i), self, child));
      type.children.push_back(std::move(child));
    }
    check_children(table, field, type);
    return field;
  }

  static void check_children(const FlatTable& table, const IpcField& field, const ArrowNode& type) {
    bool is_right = true;
    if (field.layout.kind == LayoutKind::run_ends) {
      const std::string& ends = type.children.front().format;
      is_right = (ends == "s" || ends == "i" || ends == "l") && !field.children[0].dictionary;
    } else if (type.format == "+m") {
      const ArrowNode& entries = type.children.front();
      is_right = entries.format == "+s" && entries.children.size() == 2;
    }
    if (is_right) return;
    fail(*table.bytes().file, kType, table.location(),
         formatted("{} of type \"{}\" with children of other types", quoted(field.path),
                   type.format));
  }

  IpcField encoded(const FlatTable& table, const FlatTable& encoding, const Parent& self,
                   ArrowNode& type) {
    const std::optional<FlatTable> numbers = encoding.table(kEncodingIndexType);
    type.format = numbers ? format_of_int(*numbers) : "i";
    IpcField field = counted_field(table, self, type.format);
    const std::size_t number = result_.dictionaries.size();
    field.dictionary = number;
    if (self.dictionary) result_.dictionaries[*self.dictionary].is_nested = true;
    result_.dictionaries.push_back({.id = encoding.number<std::int64_t>(kEncodingId)});
    IpcCounts counts;
    ArrowNode values{.is_nullable = true};
    IpcField value_field = plain(
        table, {.path = self.path, .depth = self.depth, .counts = &counts, .dictionary = number},
        values);
    result_.dictionaries[number].values = std::move(value_field);
    result_.dictionaries[number].all = counts;
    type.dictionary.push_back(std::move(values));
    return field;
  }

  // Returns a field without children, with the counts so far in the walk.
  IpcField counted_field(const FlatTable& table, const Parent& self,
                         const std::string& format) const {
    const std::optional<Layout> layout = layout_of(format);
    if (!layout) {
      fail(*table.bytes().file, kType, table.location(), formatted("the type \"{}\"", format));
    }
    IpcField field{.path = self.path,
                   .layout = *layout,
                   .before = *self.counts,
                   .has_old_validity = version_ < kVersion5};
    self.counts->nodes += 1;
    self.counts->buffers += buffer_count(*layout, field.has_old_validity);
    self.counts->views += layout->kind == LayoutKind::views ? 1 : 0;
    return field;
  }

  std::string metadata(const FlatTable& table, int field) {
    const FlatVector entries = table.vector(field, 4);
    if (entries.size() == 0) return {};
    std::vector<std::pair<std::string, std::string>> pairs;
    for (std::int64_t i = 0; i < entries.size(); ++i) {
      const FlatTable entry = entries.table(i);
      spend_text(entry, 8);
      std::string key = text(entry, 0);
      pairs.emplace_back(std::move(key), text(entry, 1));
    }
    return arrow_metadata(pairs);
  }

  std::string text(const FlatTable& table, int field) {
    const std::string_view text = table.text(field);
    spend_text(table, std::ssize(text));
    return std::string(text);
  }

  void take_field(const FlatTable& table, int depth) {
    if (depth >= kDepthMax) {
      fail(*table.bytes().file, kType, table.location(),
           formatted("a type with more than {} levels", kDepthMax));
    }
    if (--fields_left_ < 0) {
      fail(*table.bytes().file, kMetadata, table.location(), "fields that lie in the same bytes");
    }
  }

  void spend_text(const FlatTable& table, std::int64_t bytes) {
    text_left_ -= bytes;
    if (text_left_ < 0) {
      fail(*table.bytes().file, kMetadata, table.location(), "texts that lie in the same bytes");
    }
  }

  const std::int16_t version_;
  std::int64_t fields_left_;
  std::int64_t text_left_;
  IpcSchema result_;
};

}  // namespace

IpcSchema read_schema(const FlatTable& schema, std::int16_t version) {
  if (schema.number<std::int16_t>(kSchemaEndianness) != 0) {
    fail(*schema.bytes().file, kByteOrder, schema.location(), "big-endian numbers");
  }
  return SchemaReader(schema.bytes(), version).read(schema);
}

}  // namespace sheaf::arrow
