/// \file
/// Values of a transform's options.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/transform.h"

namespace sheaf::internal {

/// Reads the options of a request by name. An option that was not given has its default.
///
/// Lifetime: the type and the request must outlive this.
class OptionValues {
 public:
  /// Throws: ConfigError for an option that the type does not have. The message suggests the
  ///         nearest one.
  OptionValues(const TransformType& type, const TransformRequest& request);

  /// Throws: ConfigError that names the option, the valid range and the text, here and below.
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t min,
                                     std::int64_t max) const;
  [[nodiscard]] double number(std::string_view name, double min, double max) const;
  [[nodiscard]] bool flag(std::string_view name) const;  // "true" or "false"

  /// Returns the numbers of a text such as "0.5 1 -2"; none where the text is empty.
  [[nodiscard]] std::vector<double> numbers(std::string_view name) const;

  /// Returns which of some words the option is, from 0.
  [[nodiscard]] std::size_t choice(std::string_view name,
                                   std::span<const std::string_view> words) const;

  /// Returns the text; empty where the option was not given and has no default.
  [[nodiscard]] std::string_view text(std::string_view name) const;

  /// Returns whether the option was given.
  [[nodiscard]] bool has(std::string_view name) const;

 private:
  [[nodiscard]] std::string_view needed(std::string_view name) const;

  const TransformType& type_;
  const TransformRequest& request_;
};

}  // namespace sheaf::internal
