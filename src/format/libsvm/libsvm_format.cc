#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "sheaf/extend/format.h"

#include "format/libsvm/libsvm_deserializer.h"
#include "format/libsvm/libsvm_options.h"
#include "format/libsvm/libsvm_serializer.h"
#include "format/text/text_format.h"

namespace sheaf {
namespace {

// Returns the first row with data, without its comment. The row may be cut off at the end of the
// bytes.
std::string_view first_row(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    std::string_view row = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    row = row.substr(0, row.find('#'));
    if (row.find_first_not_of(" \t\r") != std::string_view::npos) return row;
  }
  return {};
}

// A row must have a number, and then an index or a qid with a colon, or nothing.
Recognition recognize_libsvm(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);  // a byte order mark
  std::string_view row = first_row(bytes);
  if (row.empty()) return Recognition::possible;
  row.remove_prefix(row.find_first_not_of(" \t\r"));
  const std::size_t label_end = row.find_first_not_of("+-.,0123456789eE");
  if (label_end == 0) return Recognition::no;
  if (label_end == std::string_view::npos) return Recognition::possible;
  const std::size_t next = row.find_first_not_of(" \t\r", label_end);
  if (next == label_end) return Recognition::no;
  if (next == std::string_view::npos) return Recognition::possible;
  std::string_view pair = row.substr(next);
  pair = pair.substr(0, pair.find_first_of(" \t\r"));
  const std::size_t colon = pair.find(':');
  const bool is_index = pair.find_first_not_of("0123456789") == colon;
  const bool is_pair = colon != std::string_view::npos && (is_index || pair.starts_with("qid:"));
  return is_pair ? Recognition::possible : Recognition::no;
}

}  // namespace

Format libsvm_format();

Format libsvm_format() {
  static constexpr std::array<std::string_view, 3> kExtensions = {"libsvm", "svm", "svmlight"};
  return {.name = "libsvm",
          .description = "LibSVM and SVMlight text",
          .extensions = kExtensions,
          .recognize = recognize_libsvm,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<libsvm::LibsvmDeserializer>(
                request.source, request.options, request.context, internal::found_earlier(request));
          },
          .create = [](CreateRequest request) -> std::unique_ptr<Serializer> {
            return std::make_unique<libsvm::LibsvmSerializer>(std::move(request.sink),
                                                              request.streams, request.options);
          },
          .read_options = libsvm::kReadOptions,
          .write_options = libsvm::kWriteOptions};
}

}  // namespace sheaf
