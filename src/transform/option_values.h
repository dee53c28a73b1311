/// \file
/// The values of a transform's options.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/transform.h"

namespace sheaf::internal {

/// Returns the options of a request by name. An option that was not given has its default.
///
/// Lifetime: `type` and `request` must outlive the object.
class OptionValues {
 public:
  /// Throws: ConfigError for an option that the type does not have. The message suggests the
  ///         nearest name.
  OptionValues(const TransformType& type, const TransformRequest& request);

  /// Throws: ConfigError that names the option, the valid range and the text, as do the functions
  ///         below.
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t min,
                                     std::int64_t max) const;
  [[nodiscard]] double number(std::string_view name, double min, double max) const;
  [[nodiscard]] bool flag(std::string_view name) const;  // "true" or "false"

  /// Returns the numbers of a text such as "0.5 1 -2". An empty text has no numbers.
  [[nodiscard]] std::vector<double> numbers(std::string_view name) const;

  /// Returns the index in `words` of the option's text.
  [[nodiscard]] std::size_t choice(std::string_view name,
                                   std::span<const std::string_view> words) const;

  /// Returns the text, or an empty text if the option was not given and has no default.
  [[nodiscard]] std::string_view text(std::string_view name) const;

  /// Returns whether the option was given.
  [[nodiscard]] bool has(std::string_view name) const;

 private:
  [[nodiscard]] std::string_view needed(std::string_view name) const;

  const TransformType& type_;
  const TransformRequest& request_;
};

}  // namespace sheaf::internal
