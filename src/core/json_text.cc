#include "core/json_text.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "base/text.h"
#include "base/utf8.h"

namespace sheaf::internal {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kBytesField = "latin-1";

constexpr int kJsonDepthMax = 64;

// Returns the line and the column of a byte.
std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 if there is none
  return formatted("{}:{}", line, before.size() - line_begin + 1);
}

/// Refuses duplicate names and deep nesting, which the parser would accept.
class JsonWatch {
 public:
  explicit JsonWatch(std::string name) : name_(std::move(name)) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    const bool is_container =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    if (is_container && depth >= kJsonDepthMax) {
      throw ConfigError(formatted("{}: values are nested deeper than {}", name_, kJsonDepthMax));
    }
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second) {
        throw ConfigError(
            formatted("{}: an object has the name {} twice", name_, shown_json(parsed)));
      }
    }
    return true;
  }

 private:
  std::string name_;
  std::vector<std::set<std::string>> keys_;  // the names of the enclosing objects
};

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
    } else if (code == 0xC2 || code == 0xC3) {  // the JSON is UTF-8, so one more byte follows
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
    // Do not cut inside a character. The first byte of a character is never 10xxxxxx.
    std::size_t size = kSizeMax;
    while ((static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
    text.resize(size);
    text += "...";
  }
  return text;
}

Json parse_json(std::string_view text, const std::string& name) {
  JsonWatch watch(name);
  try {
    return Json::parse(text, [&watch](int depth, Json::parse_event_t event, Json& parsed) {
      return watch(depth, event, parsed);
    });
  } catch (const Json::parse_error& error) {
    throw ConfigError(formatted("{}:{}: not JSON", name,
                                line_and_column(text, error.byte == 0 ? 0 : error.byte - 1)));
  } catch (const Json::out_of_range&) {
    throw ConfigError(formatted("{}: a number in it does not fit any type", name));
  }
}

}  // namespace sheaf::internal
