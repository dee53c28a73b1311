// Bindings of the worker that this process is.

#include <nanobind/nanobind.h>

#include "sheaf/worker.h"

#include "bind/bindings.h"
#include "text.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

nb::tuple found_worker() {
  const Worker found = worker();
  return nb::make_tuple(found.index, found.count, found.source, found.warning);
}

}  // namespace

void bind_worker(nb::module_& module) {
  module.def("worker", found_worker, nb::sig("def worker() -> tuple[int, int, str, str]"),
             "Return (index, count, source, warning) of this worker, from the environment "
             "variables of launchers.");
}

}  // namespace sheaf::python
