#include "ops/report/sections.h"

#include <cmath>
#include <cstddef>

#include "sheaf/diagnostic.h"

#include "dataset/member_locations.h"

namespace sheaf::internal {

// The bytes that continue a character of UTF-8 begin with the bits 10.
std::string cut_text(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "...";
}

void set_number(Json& object, const char* name, double value) {
  if (std::isfinite(value)) object[name] = value;
}

Json value_numbers(const ValueStat& stat, bool has_range) {
  Json values = {{"count", stat.count}, {"zeros", stat.zeros}, {"non_finite", stat.non_finite}};
  if (stat.finite_count() == 0) return values;
  if (has_range) {
    set_number(values, "min", stat.min);
    set_number(values, "max", stat.max);
  }
  set_number(values, "mean", stat.mean);
  set_number(values, "deviation", stat.deviation());
  return values;
}

Json location_json(const NamedData& data, const CompactLocation& location) {
  const Diagnostic found =
      location_of(data, {ChunkIndex{location.chunk}, std::int64_t{location.sequence}});
  Json json = {{"key", cut_text(found.sequence_key)}, {"path", cut_text(found.path, 300)}};
  if (found.line > 0) json["line"] = found.line;
  return json;
}

}  // namespace sheaf::internal
