#include <nanobind/nanobind.h>

#include "sheaf/version.h"

#include "bind/bindings.h"

NB_MODULE(_sheaf, module) {
  nanobind::set_leak_warnings(false);  // users of other packages would see them
  module.attr("version") = sheaf::kVersion.data();
  sheaf::python::bind_errors(module);
  sheaf::python::bind_formats(module);
  sheaf::python::bind_cntk(module);
  sheaf::python::bind_transforms(module);
  sheaf::python::bind_minibatch(module);
  sheaf::python::bind_data(module);
  sheaf::python::bind_slabs(module);
  sheaf::python::bind_run(module);
  sheaf::python::bind_check(module);
  sheaf::python::bind_index(module);
  sheaf::python::bind_convert(module);
  sheaf::python::bind_report(module);
  sheaf::python::bind_stat(module);
  sheaf::python::bind_worker(module);
  sheaf::python::bind_writer(module);
  sheaf::python::bind_arrow(module);
  sheaf::python::bind_user(module);
  sheaf::python::bind_tables(module);
}
