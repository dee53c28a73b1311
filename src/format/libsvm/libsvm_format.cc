#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "sheaf/format.h"

#include "format/libsvm/libsvm_deserializer.h"
#include "format/libsvm/libsvm_serializer.h"
#include "format/text_format.h"

namespace sheaf {

Format libsvm_format();

Format libsvm_format() {
  static constexpr std::array<std::string_view, 3> kExtensions = {"libsvm", "svm", "svmlight"};
  return {.name = "libsvm",
          .description = "LibSVM and SVMlight text",
          .extensions = kExtensions,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<libsvm::LibsvmDeserializer>(
                request.source, request.options, request.context, internal::found_earlier(request));
          },
          .create = [](std::unique_ptr<ByteSink> sink, std::span<const Stream> streams,
                       const SerializerOptions& options) -> std::unique_ptr<Serializer> {
            return std::make_unique<libsvm::LibsvmSerializer>(std::move(sink), streams, options);
          }};
}

}  // namespace sheaf
