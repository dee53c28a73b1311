#include "core/json_text.h"

#include <cstddef>

#include "base/utf8.h"

namespace sheaf::internal {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kBytesField = "latin-1";

}  // namespace

Json json_of_bytes(const std::string& bytes) {
  if (is_utf8(bytes)) return bytes;
  std::string text;
  for (const char byte : bytes) {
    const auto code = static_cast<unsigned char>(byte);
    if (code < 0x80) {
      text += byte;
    } else {
      text += static_cast<char>(0xC0U | (code >> 6U));
      text += static_cast<char>(0x80U | (code & 0x3FU));
    }
  }
  Json object = Json::object();
  object[kBytesField] = text;
  return object;
}

std::optional<std::string> bytes_of_json(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  const bool is_bytes = value.is_object() && value.size() == 1 && value.contains(kBytesField) &&
                        value.at(kBytesField).is_string();
  if (!is_bytes) return std::nullopt;
  const auto text = value.at(kBytesField).get<std::string>();
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto code = static_cast<unsigned char>(text[i]);
    if (code < 0x80) {
      bytes += text[i];
    } else if (code == 0xC2 || code == 0xC3) {  // the JSON is UTF-8: one byte more follows
      bytes += static_cast<char>((code == 0xC3 ? 0x40 : 0) | static_cast<unsigned char>(text[++i]));
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

std::string shown_json(const Json& value) {
  constexpr std::size_t kSizeMax = 40;
  std::string text = value.dump();
  if (text.size() > kSizeMax) {
    // Not inside a character: the first byte of one is never 10xxxxxx.
    std::size_t size = kSizeMax;
    while ((static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
    text.resize(size);
    text += "...";
  }
  return text;
}

}  // namespace sheaf::internal
