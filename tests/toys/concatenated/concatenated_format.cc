#include <array>
#include <memory>
#include <string_view>

#include "sheaf/extend/concatenate.h"
#include "sheaf/extend/format.h"

#include "toys/concatenated/concatenated_options.h"
#include "toys/several_texts.h"

namespace sheaf {

Format concatenated_format();

Format concatenated_format() {
  static constexpr std::array<std::string_view, 1> kExtensions = {"concatenated"};
  return {.name = "concatenated",
          .description = "toy: several texts of CTF, one after the other",
          .extensions = kExtensions,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return concatenate(
                toys::open_texts(request.source, {toys::options_of_text(request.options)}),
                {.keys = toys::keys_of(request.options), .memory_limit_bytes = 200});
          }};
}

}  // namespace sheaf
