/// \file
/// Reads XML files of OpenCV that options name.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/transform.h"

#include "transform/option_values.h"

namespace sheaf::internal {

/// Returns the text of the file that the option `file` names.
///
/// Throws: ConfigError if the option is missing, or if there are no files; the exceptions of
///         reading.
[[nodiscard]] std::string option_file_text(const TransformRequest& request,
                                           const OptionValues& values);

/// A matrix of numbers in row-major order. The channels of an element are adjacent.
struct OpencvMatrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t channels = 1;
  std::vector<double> values = {};  // [rows, columns, channels]
};

/// The numbers and matrices of an XML file written by OpenCV's FileStorage.
class OpencvFile {
 public:
  /// `name` is the name of the file in messages.
  ///
  /// Throws: ConfigError with name and line if the text is no such file, as do the functions below.
  OpencvFile(std::string_view text, std::string name);
  OpencvFile(const OpencvFile&) = delete;
  OpencvFile& operator=(const OpencvFile&) = delete;

  /// Returns a whole number from 1 to 2^31 - 1.
  [[nodiscard]] std::int64_t whole(std::string_view node) const;

  /// Returns a matrix whose values are finite.
  [[nodiscard]] OpencvMatrix matrix(std::string_view node) const;

 private:
  /// An element of the XML. Its text ends at the first element inside.
  struct Node {
    std::string_view tag;
    std::string text;
    std::size_t parent = 0;
    std::int64_t line = 1;
  };

  void parse(std::string_view text);
  [[nodiscard]] const Node& child(std::size_t parent, std::string_view tag) const;
  [[nodiscard]] std::int64_t whole_of(const Node& node, std::int64_t min) const;
  [[nodiscard]] std::int64_t channels_of(const Node& type) const;
  [[noreturn]] void refuse(std::int64_t line, std::string_view expected,
                           std::string_view found) const;

  std::string name_;
  std::string text_;  // tags of nodes refer to it
  std::vector<Node> nodes_;
};

}  // namespace sheaf::internal
