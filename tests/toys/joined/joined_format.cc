#include <array>
#include <memory>
#include <string_view>

#include "sheaf/extend/format.h"
#include "sheaf/extend/join.h"

#include "toys/joined/joined_options.h"
#include "toys/several_texts.h"

namespace sheaf {

Format joined_format();

Format joined_format() {
  static constexpr std::array<std::string_view, 1> kExtensions = {"joined"};
  return {.name = "joined",
          .description = "toy: several texts of CTF, joined",
          .extensions = kExtensions,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return join(
                toys::open_texts(request.source, toys::options_of_texts(request.options)),
                {.missing_sequences = toys::missing_of(request.options),
                 .memory_limit_bytes = 200,
                 .held_bytes = request.options.streams[0].defines_minibatch_size ? 1 << 20 : 0});
          }};
}

}  // namespace sheaf
