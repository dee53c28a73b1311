// Reads the fields of a JSON object by name.

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "dataset/spec_fields.h"

namespace sheaf::internal {

/// Returns the fields of an object by name, and refuses fields that nobody asked for.
///
/// Throws: ConfigError from all calls: "train.json: data.keys: expected numeric or text, found 1".
/// Lifetime: `object` must outlive the fields.
class JsonFields {
 public:
  /// `location` is the name of the object in messages, such as "train.json: data". `separator`
  /// stands between `location` and the name of a field.
  JsonFields(const nlohmann::ordered_json& object, std::string location,
             std::string_view separator = ".");

  /// Returns the value of a field, or null if there is none.
  ///
  /// Lifetime: that of the object.
  [[nodiscard]] const nlohmann::ordered_json* find(std::string_view name);

  /// Returns the name of a field in messages, such as "train.json: data.keys".
  [[nodiscard]] std::string location_of(std::string_view name) const;
  [[nodiscard]] const std::string& location() const noexcept { return location_; }

  /// Refuses names that no call has asked for, and suggests the nearest name that a call has asked
  /// for.
  void check_all_known() const;

  // The functions that spec_fields.h requires.

  void whole(std::string_view name, std::int64_t& value, std::int64_t otherwise,
             const Whole& range);
  void whole(std::string_view name, std::optional<std::int64_t>& value,
             const std::optional<std::int64_t>& otherwise, const Whole& range);
  void seed(std::string_view name, std::uint64_t& value, std::uint64_t otherwise);
  void truth(std::string_view name, bool& value, bool otherwise);
  void text(std::string_view name, std::string& value, const std::string& otherwise);
  void texts(std::string_view name, std::map<std::string, std::string>& values);
  void names(std::string_view name, std::vector<std::string>& values);
  void numbers(std::string_view name, std::map<std::string, PadValue, std::less<>>& values);

  template <typename T, std::size_t kCount>
  void word(std::string_view name, std::optional<T>& value, const std::optional<T>& otherwise,
            const std::array<Word<T>, kCount>& words) {
    std::vector<std::string_view> all;
    all.reserve(words.size());
    for (const Word<T>& each : words) all.push_back(each.word);
    const std::optional<std::size_t> index = index_of_word(name, all);
    value = index ? std::optional<T>(words[*index].value) : otherwise;
  }
  template <typename T, std::size_t kCount>
  void word(std::string_view name, T& value, const T& otherwise,
            const std::array<Word<T>, kCount>& words) {
    std::optional<T> chosen;
    word(name, chosen, std::optional<T>(otherwise), words);
    value = *chosen;
  }

 private:
  [[nodiscard]] std::optional<std::size_t> index_of_word(std::string_view name,
                                                         std::span<const std::string_view> words);

  const nlohmann::ordered_json& object_;
  std::string location_;
  std::string_view separator_;
  std::vector<std::string> asked_;
};

/// Throws: ConfigError "PLACE: expected EXPECTED, found VALUE".
[[noreturn]] void refuse_json(const std::string& location, std::string_view expected,
                              const nlohmann::ordered_json& found);

/// Returns a text of any bytes. Throws ConfigError if `value` is no text.
[[nodiscard]] std::string text_of_json(const nlohmann::ordered_json& value,
                                       const std::string& location);

/// Returns a whole number within a range. Throws ConfigError if `value` is none.
[[nodiscard]] std::int64_t whole_of_json(const nlohmann::ordered_json& value,
                                         const std::string& location, const Whole& range);

}  // namespace sheaf::internal
