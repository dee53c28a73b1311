#include "format/arrow/ipc_fields.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "base/text.h"
#include "base/unaligned.h"
#include "format/arrow/arrow_layout.h"
#include "format/arrow/ipc_numbers.h"

namespace sheaf::arrow {
namespace {

// The union Type: a format, its code, and the fields in the table of the type.
struct WrittenType {
  enum class Has : std::uint8_t { nothing, sign_and_bits, precision, width };

  std::string_view format;
  std::uint8_t code;
  Has has = Has::nothing;
  std::int32_t number = 0;
};

constexpr auto kSignAndBits = WrittenType::Has::sign_and_bits;
constexpr auto kPrecision = WrittenType::Has::precision;

constexpr WrittenType kWrittenTypes[] = {
    {"n", 1},
    {"c", 2, kSignAndBits, 8},
    {"C", 2, kSignAndBits, 8},
    {"s", 2, kSignAndBits, 16},
    {"S", 2, kSignAndBits, 16},
    {"i", 2, kSignAndBits, 32},
    {"I", 2, kSignAndBits, 32},
    {"l", 2, kSignAndBits, 64},
    {"L", 2, kSignAndBits, 64},
    {"e", 3, kPrecision, 0},
    {"f", 3, kPrecision, 1},
    {"g", 3, kPrecision, 2},
    {"z", 4},
    {"u", 5},
    {"b", 6},
    {"+l", 12},
    {"+s", 13},
    {"Z", 19},
    {"U", 20},
    {"+L", 21},
};

WrittenType written_type(const ArrowNode& node) {
  const auto* const named =
      std::find_if(std::begin(kWrittenTypes), std::end(kWrittenTypes),
                   [&](const WrittenType& type) { return type.format == node.format; });
  const bool has_name = named != std::end(kWrittenTypes);
  if (has_name && node.dictionary.empty()) return *named;
  const std::optional<Layout> layout = layout_of(node.format);
  if (layout && node.dictionary.empty() && node.format.find("w:") != std::string::npos) {
    const bool is_list = layout->kind == LayoutKind::fixed_lists;
    return {.format = node.format,
            .code = static_cast<std::uint8_t>(is_list ? 16 : 15),
            .has = WrittenType::Has::width,
            .number = static_cast<std::int32_t>(layout->width)};
  }
  throw InternalError(formatted("an Arrow array of type \"{}\" cannot be written", node.format));
}

FlatDraft type_draft(const WrittenType& type) {
  FlatDraft draft;
  switch (type.has) {
    case WrittenType::Has::nothing:
      break;
    case WrittenType::Has::sign_and_bits: {
      const char letter = type.format.front();
      draft.number<std::int32_t>(0, type.number);
      draft.number<std::uint8_t>(1, letter >= 'a' ? 1 : 0);
      break;
    }
    case WrittenType::Has::precision:
      draft.number<std::int16_t>(0, static_cast<std::int16_t>(type.number));
      break;
    case WrittenType::Has::width:
      draft.number<std::int32_t>(0, type.number);
      break;
  }
  return draft;
}

// Reads the metadata that arrow_metadata() wrote.
class MetadataText {
 public:
  explicit MetadataText(std::string_view bytes) : bytes_(bytes) {}

  std::int32_t take_number() {
    const auto number =
        internal::load<std::int32_t>(reinterpret_cast<const std::byte*>(bytes_.data()));
    bytes_.remove_prefix(sizeof number);
    return number;
  }

  std::string_view take_text() {
    const auto size = static_cast<std::size_t>(take_number());
    const std::string_view text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return text;
  }

 private:
  std::string_view bytes_;
};

void add_metadata(FlatDraft& draft, int field, std::string_view metadata) {
  if (metadata.empty()) return;
  MetadataText text(metadata);
  std::vector<FlatDraft> entries(static_cast<std::size_t>(text.take_number()));
  for (FlatDraft& entry : entries) {
    entry.text(0, text.take_text());
    entry.text(1, text.take_text());
  }
  draft.tables(field, std::move(entries));
}

FlatDraft field_draft(const ArrowNode& node) {
  const WrittenType type = written_type(node);
  FlatDraft draft;
  draft.text(kFieldName, node.name);
  draft.number<std::uint8_t>(kFieldNullable, node.is_nullable ? 1 : 0);
  draft.number<std::uint8_t>(kFieldTypeCode, type.code);
  draft.table(kFieldType, type_draft(type));
  std::vector<FlatDraft> children;
  for (const ArrowNode& child : node.children) children.push_back(field_draft(child));
  draft.tables(kFieldChildren, std::move(children));
  add_metadata(draft, kFieldMetadata, node.metadata);
  return draft;
}

}  // namespace

FlatDraft schema_draft(const ArrowNode& type) {
  std::vector<FlatDraft> fields;
  for (const ArrowNode& column : type.children) fields.push_back(field_draft(column));
  FlatDraft schema;
  schema.tables(kSchemaFields, std::move(fields));
  add_metadata(schema, kSchemaMetadata, type.metadata);
  return schema;
}

}  // namespace sheaf::arrow
