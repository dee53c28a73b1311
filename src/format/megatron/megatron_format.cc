#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "sheaf/extend/format.h"

#include "format/megatron/megatron_deserializer.h"
#include "format/megatron/megatron_list.h"
#include "format/megatron/megatron_options.h"
#include "format/megatron/megatron_serializer.h"

namespace sheaf {
namespace {

Recognition recognize_megatron(std::string_view bytes) {
  return bytes.starts_with(megatron::kMagic) ? Recognition::certain : Recognition::no;
}

}  // namespace

Format megatron_format();

Format megatron_format() {
  static constexpr std::array<std::string_view, 1> kExtensions = {"idx"};
  return {.name = "megatron",
          .description = "documents of tokens, as Megatron-LM stores them: FILE.idx and FILE.bin",
          .extensions = kExtensions,
          .recognize = recognize_megatron,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<megatron::MegatronDeserializer>(request);
          },
          .create = [](CreateRequest request) -> std::unique_ptr<Serializer> {
            return std::make_unique<megatron::MegatronSerializer>(std::move(request));
          },
          .keeps_keys = false,
          .writes_several = true,
          .read_options = megatron::kReadOptions};
}

}  // namespace sheaf
