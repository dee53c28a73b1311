#include <nanobind/nanobind.h>

#include "bindings.h"

NB_MODULE(_sheaf, module) {
  nanobind::set_leak_warnings(false);  // they reach users of other packages
  sheaf::python::bind_errors(module);
  sheaf::python::bind_minibatch(module);
  sheaf::python::bind_reader(module);
}
