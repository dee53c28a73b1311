#include "ops/report/page_fields.h"

#include <cmath>
#include <cstddef>

#include "ops/report/page_text.h"

namespace sheaf::internal::page {
namespace {

const Json no_value;
const Json::array_t no_elements;

}  // namespace

const Json& field(const Json& from, const char* name) {
  if (!from.is_object()) return no_value;
  const auto found = from.find(name);
  return found == from.end() ? no_value : *found;
}

const Json::array_t& list_in(const Json& from, const char* name) {
  const Json& found = field(from, name);
  return found.is_array() ? found.get_ref<const Json::array_t&>() : no_elements;
}

const Json& element(const Json& list, std::size_t index) {
  return list.is_array() && index < list.size() ? list[index] : no_value;
}

std::optional<double> number_in(const Json& from, const char* name) {
  const Json& found = field(from, name);
  if (!found.is_number()) return std::nullopt;
  return found.get<double>();
}

std::optional<std::int64_t> count_in(const Json& from, const char* name) {
  const Json& found = field(from, name);
  if (!found.is_number_integer()) return std::nullopt;
  return found.get<std::int64_t>();
}

std::string text_in(const Json& from, const char* name) {
  const Json& found = field(from, name);
  return found.is_string() ? found.get_ref<const std::string&>() : std::string();
}

std::string value_html(const Json& value) {
  if (value.is_number_integer()) return value.dump();
  if (value.is_number()) return value_text(value.get<double>());
  if (value.is_string()) return marked(value.get_ref<const std::string&>());
  return {};
}

}  // namespace sheaf::internal::page
