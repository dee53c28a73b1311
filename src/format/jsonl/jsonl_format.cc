#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "sheaf/extend/format.h"

#include "format/jsonl/jsonl_deserializer.h"
#include "format/jsonl/jsonl_options.h"
#include "format/jsonl/jsonl_serializer.h"
#include "format/text/text_format.h"

namespace sheaf {
namespace {

// The first line that is not blank must begin with an object, which may be empty.
Recognition recognize_jsonl(std::string_view bytes) {
  constexpr std::string_view kSpaces = " \t\r\n";
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);  // a byte order mark
  const std::size_t begin = bytes.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return Recognition::possible;
  if (bytes[begin] != '{') return Recognition::no;
  const std::size_t next = bytes.find_first_not_of(" \t\r", begin + 1);
  if (next == std::string_view::npos) return Recognition::possible;
  return bytes[next] == '"' || bytes[next] == '}' ? Recognition::possible : Recognition::no;
}

}  // namespace

Format jsonl_format();

Format jsonl_format() {
  static constexpr std::array<std::string_view, 2> kExtensions = {"jsonl", "ndjson"};
  return {.name = "jsonl",
          .description = "JSON Lines: an object a line, of numbers, lists, texts, sparse samples",
          .extensions = kExtensions,
          .recognize = recognize_jsonl,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<jsonl::JsonlDeserializer>(
                request.source, request.options, request.context, internal::found_earlier(request));
          },
          .create = [](CreateRequest request) -> std::unique_ptr<Serializer> {
            return std::make_unique<jsonl::JsonlSerializer>(std::move(request.sink),
                                                            request.streams, request.options);
          },
          .read_options = jsonl::kReadOptions,
          .write_options = jsonl::kWriteOptions};
}

}  // namespace sheaf
