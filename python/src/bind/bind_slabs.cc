#include <cstdint>

#include <nanobind/nanobind.h>

#include "sheaf/error.h"
#include "sheaf/extend/buffer.h"
#include "sheaf/extend/slab_memory.h"

#include "bind/bindings.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

void init(SlabMemory* self, std::int64_t bytes_max) {
  if (bytes_max < 0) throw ConfigError("bytes_max: must be 0 or more");
  new (self) SlabMemory(bytes_max);
}

nb::tuple turn(SlabMemory& self) {
  const SlabMemory::Turn turn = self.turn();
  nb::list spent;
  for (const std::byte* slab : turn.spent) spent.append(reinterpret_cast<std::uintptr_t>(slab));
  return nb::make_tuple(spent, turn.slab_bytes, turn.slabs_wanted);
}

void add(SlabMemory& self, std::uintptr_t address, std::int64_t size_bytes) {
  if (address == 0 || address % Buffer::kAlignment != 0 || size_bytes < 0) {
    throw ConfigError("slabs begin at a multiple of 64 bytes");
  }
  self.add(reinterpret_cast<std::byte*>(address), size_bytes);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

void bind_slabs(nb::module_& module) {
  nb::class_<SlabMemory>(module, "SlabMemory",
                         "Memory for minibatches, cut from slabs that the program provides.")
      .def("__init__", init, nb::arg("bytes_max"))
      .def(
          "turn", turn, nb::sig("def turn(self) -> tuple[list[int], int, int]"),
          "Return the addresses of spent slabs, the size of a new slab, and how many slabs to add.")
      .def("add", add, nb::arg("address"), nb::arg("size_bytes"),
           "Add a slab. The slab must stay valid until turn() returns its address, or until this "
           "object is gone.")
      .def_prop_ro("slab_bytes", &SlabMemory::slab_bytes,
                   "The size of all slabs together, in bytes.")
      .def_prop_ro("ordinary_count", &SlabMemory::ordinary_count,
                   "How many arrays did not fit into a slab.");
}

}  // namespace sheaf::python
