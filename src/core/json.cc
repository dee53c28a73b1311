#include "sheaf/extend/json.h"

#include <nlohmann/json.hpp>

namespace sheaf {
namespace {

const char* severity_name(Severity severity) noexcept {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::fatal:
      return "fatal";
  }
  return "error";
}

}  // namespace

std::string json_text(std::string_view text) {
  return nlohmann::ordered_json(text).dump(-1, ' ', false,
                                           nlohmann::ordered_json::error_handler_t::replace);
}

std::string json_text(const Diagnostic& diagnostic) {
  nlohmann::ordered_json json = {
      {"severity", severity_name(diagnostic.severity)},
      {"path", diagnostic.path},
      {"line", diagnostic.line},
      {"column", diagnostic.column},
      {"byte_offset", diagnostic.byte_offset},
      {"sequence_key", diagnostic.sequence_key},
      {"stream", diagnostic.stream},
      {"code", diagnostic.code},
      {"expected", diagnostic.expected},
      {"found", diagnostic.found},
      {"hint", diagnostic.hint},
      {"excerpt", diagnostic.excerpt},
      {"excerpt_begin", diagnostic.excerpt_begin},
      {"excerpt_size", diagnostic.excerpt_size},
      {"message", message(diagnostic)},
      {"text", to_string(diagnostic)},
  };
  if (diagnostic.count != 1) json["places"] = diagnostic.count;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace sheaf
