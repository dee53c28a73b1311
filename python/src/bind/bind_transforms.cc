// Bindings of the table of transforms, and of the keys of their random numbers.

#include <cstdint>
#include <string>
#include <string_view>

#include <nanobind/nanobind.h>

#include "sheaf/extend/keyed_generator.h"
#include "sheaf/extend/transform.h"

#include "bind/bindings.h"
#include "text.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

nb::list all_transforms() {
  nb::list list;
  for (const TransformType& type : builtin_transforms()) {
    nb::list options;
    for (const TransformOption& option : type.options) {
      options.append(
          nb::make_tuple(to_text(option.name), to_text(option.default_text), to_text(option.help)));
    }
    nb::dict row;
    row["name"] = to_text(type.name);
    row["description"] = to_text(type.description);
    row["takes_all"] = type.takes_all;
    row["options"] = options;
    list.append(row);
  }
  return list;
}

nb::tuple generator_key(std::uint64_t seed, std::int64_t sweep, SequenceKey key,
                        std::string_view transform) {
  const KeyedGenerator::Key words =
      KeyedGenerator::key_of({.seed = seed, .sweep = sweep, .key = key, .transform = transform});
  return nb::make_tuple(words[0], words[1]);
}

}  // namespace

void bind_transforms(nb::module_& module) {
  module.def("transforms", all_transforms,
             nb::sig("def transforms() -> list[dict[str, typing.Any]]"),
             "Return a description of each transform.");
  module.def(
      "generator_key",
      [](std::uint64_t seed, std::int64_t sweep, std::uint64_t key, const std::string& transform) {
        return generator_key(seed, sweep, {.low = key}, transform);
      },
      nb::arg("seed"), nb::arg("sweep"), nb::arg("key"), nb::arg("transform"),
      nb::sig("def generator_key(seed: int, sweep: int, key: int, transform: str) -> "
              "tuple[int, int]"),
      "Return the key of the random generator Philox for a sequence with a numeric key.");
  module.def(
      "generator_key_of_text",
      [](std::uint64_t seed, std::int64_t sweep, const std::string& key,
         const std::string& transform) {
        return generator_key(seed, sweep, key_of_text(key), transform);
      },
      nb::arg("seed"), nb::arg("sweep"), nb::arg("key"), nb::arg("transform"),
      nb::sig("def generator_key_of_text(seed: int, sweep: int, key: str, transform: str) -> "
              "tuple[int, int]"),
      "Return the key of the random generator Philox for a sequence with a text key.");
}

}  // namespace sheaf::python
