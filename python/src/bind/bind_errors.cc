#include <exception>
#include <span>

#include <nanobind/nanobind.h>

#include "sheaf/error.h"

#include "bind/bindings.h"
#include "text.h"
#include "user/user_calls.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

nb::object errors_attribute(const char* name) {
  return nb::module_::import_("sheaf.errors").attr(name);
}

void raise(const char* type, const std::exception& error) {
  PyErr_SetObject(errors_attribute(type).ptr(), to_text(error.what()).ptr());
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const UserError& error) {
    error.raise();
  } catch (const DataError& error) {
    const nb::object type = errors_attribute("DataError");
    PyErr_SetObject(type.ptr(), type(to_text(error.what()), to_python(error.diagnostics())).ptr());
  } catch (const ConfigError& error) {
    raise("ConfigError", error);
  } catch (const IoError& error) {
    raise("IoError", error);
  } catch (const InternalError& error) {
    raise("InternalError", error);
  } catch (const Error& error) {
    raise("Error", error);
  }
}

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::fatal:
      return "fatal";
  }
  throw InternalError("a severity that Python does not know");
}

}  // namespace

void bind_errors(nb::module_& /*module*/) { nb::register_exception_translator(translate); }

nb::list to_python(std::span<const Diagnostic> diagnostics) {
  const nb::object type = errors_attribute("Diagnostic");
  nb::list list;
  for (const Diagnostic& d : diagnostics) {
    list.append(type(d.path, d.line, d.column, d.byte_offset, d.sequence_key, d.stream, d.code,
                     d.expected, d.found, to_string(d), severity_name(d.severity), d.hint));
  }
  return list;
}

}  // namespace sheaf::python
