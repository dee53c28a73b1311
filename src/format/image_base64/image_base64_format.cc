#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "sheaf/extend/format.h"

#include "base/base64.h"
#include "format/image_base64/image_base64_deserializer.h"
#include "format/image_base64/image_base64_options.h"
#include "format/image_base64/image_base64_serializer.h"

namespace sheaf {
namespace {

// The first bytes of JPEG, PNG and WebP, in base64.
constexpr std::array<std::string_view, 3> kImageMarks = {"/9j/", "iVBORw0KGgo", "UklGR"};

constexpr std::string_view kBlanksBehind = " \t\r";

// Returns the first line that is not blank, which may be cut off at the end of the bytes.
std::string_view first_image_line(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);  // a byte order mark
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  const std::string_view line = bytes.substr(begin);
  return line.substr(0, line.find('\n'));
}

// Takes a column off the front of a line. The last column takes the rest of the line.
std::string_view take_column(std::string_view& line) {
  const std::size_t end = line.find('\t');
  const std::string_view column = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return column;
}

bool is_class_id(std::string_view column) {
  return !column.empty() && column.find_first_not_of("0123456789") == std::string_view::npos;
}

Recognition recognize_image(std::string_view column) {
  while (!column.empty() && kBlanksBehind.find(column.back()) != std::string_view::npos) {
    column.remove_suffix(1);
  }
  if (column.empty() || !std::ranges::all_of(column, internal::is_base64)) return Recognition::no;
  const bool has_mark = std::ranges::any_of(
      kImageMarks, [&](std::string_view mark) { return column.starts_with(mark); });
  return has_mark ? Recognition::certain : Recognition::possible;
}

Recognition recognize_image_base64(std::string_view bytes) {
  std::string_view line = first_image_line(bytes);
  if (line.empty()) return Recognition::possible;
  const std::string_view first = take_column(line);
  const std::string_view second = take_column(line);
  if (line.empty()) return is_class_id(first) ? recognize_image(second) : Recognition::no;
  return is_class_id(second) ? recognize_image(line) : Recognition::no;
}

constexpr std::array<std::string_view, 1> kImageBase64Deserializers = {"Base64ImageDeserializer"};
constexpr std::array<CntkSetting, 3> kImageBase64Settings = {{
    {.name = "cacheIndex",
     .kind = CntkSetting::Kind::truth,
     .option = "index",
     .if_true = "auto",
     .if_false = "off"},
    {.name = "verbosity", .reason = "what is told does not depend on it"},
    {.name = "multiThreadedDeserialization", .reason = "sheaf decodes on all its threads"},
}};
constexpr CntkImages kImageBase64Images = {.image = "image",
                                           .label = "label",
                                           .view = "view",
                                           .labels = image_base64::kLabelsOption.name,
                                           .classes = image_base64::kClassesOption.name,
                                           .views = image_base64::kViewsOption.name};
// The module ImageReader is not named here, because as a reader the word means a list of paths.
constexpr CntkNames kImageBase64Names = {.deserializers = kImageBase64Deserializers,
                                         .has_strict = false,
                                         .settings = kImageBase64Settings,
                                         .images = &kImageBase64Images};

}  // namespace

Format image_base64_format();

Format image_base64_format() {
  static constexpr std::array<std::string_view, 2> kExtensions = {"b64", "base64"};
  return {.name = "image_base64",
          .description = "lines with a label and an image in base64",
          .extensions = kExtensions,
          .recognize = recognize_image_base64,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<image_base64::ImageBase64Deserializer>(
                request.source, request.options, request.context);
          },
          .create = [](CreateRequest request) -> std::unique_ptr<Serializer> {
            return std::make_unique<image_base64::ImageBase64Serializer>(std::move(request));
          },
          .read_options = image_base64::kReadOptions,
          .write_options = image_base64::kWriteOptions,
          .cntk = &kImageBase64Names};
}

}  // namespace sheaf
