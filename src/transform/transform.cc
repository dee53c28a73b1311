#include "sheaf/extend/transform.h"

#include <cassert>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf {
namespace {

template <typename T>
T* allocated(std::pmr::memory_resource& memory, std::int64_t count) {
  constexpr std::size_t kAlignment = 64;
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
  return static_cast<T*>(memory.allocate(std::max<std::size_t>(1, bytes), kAlignment));
}

// Splits a text at a character, as in "a+b" at '+'. An empty text has no parts.
std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return parts;
}

std::vector<std::string> names_of(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view name : parts_of(text, '+')) names.emplace_back(name);
  return names;
}

[[noreturn]] void refuse(std::string_view text, std::string_view what) {
  throw ConfigError(formatted(
      "transform \"{}\": {}; a transform is written TYPE:STREAM+STREAM:OPTION=VALUE,OPTION=VALUE, "
      "such as context:features:left=5,right=5",
      text, what));
}

}  // namespace

void TransformOutput::warn(Diagnostic warning) {
  warning.severity = Severity::warning;
  warnings_.push_back(std::move(warning));
}

std::byte* TransformOutput::dense_bytes(std::size_t stream, std::int64_t sample_count) {
  const Stream& made = streams_[stream];
  assert(made.storage == Storage::dense && made.sample_shape.is_fixed());
  const std::int64_t value_count = sample_count * made.sample_shape.size();
  auto* const values = allocated<std::byte>(memory_, value_count * element_size(made.element_type));
  views_[stream] = {.values = values, .sample_count = sample_count, .value_count = value_count};
  return values;
}

TransformOutput::Sparse TransformOutput::sparse(std::size_t stream, std::int64_t sample_count,
                                                std::int64_t value_count) {
  const Stream& made = streams_[stream];
  assert(made.storage == Storage::sparse);
  const Sparse room{
      .values = allocated<std::byte>(memory_, value_count * element_size(made.element_type)),
      .indices = allocated<std::byte>(memory_, value_count * element_size(made.index_type)),
      .sample_offsets = allocated<std::int64_t>(memory_, sample_count + 1)};
  views_[stream] = {.values = room.values,
                    .indices = room.indices,
                    .sample_offsets = room.sample_offsets,
                    .sample_count = sample_count,
                    .value_count = value_count};
  return room;
}

TransformOutput::Variable TransformOutput::variable(std::size_t stream, std::int64_t sample_count,
                                                    std::int64_t value_count) {
  const Stream& made = streams_[stream];
  assert(made.storage == Storage::dense && !made.sample_shape.is_fixed());
  const Variable room{
      .values = allocated<std::byte>(memory_, value_count * element_size(made.element_type)),
      .sample_offsets = allocated<std::int64_t>(memory_, sample_count + 1),
      .extents = allocated<std::int64_t>(memory_, sample_count * made.sample_shape.rank())};
  views_[stream] = {.values = room.values,
                    .sample_offsets = room.sample_offsets,
                    .extents = room.extents,
                    .sample_count = sample_count,
                    .value_count = value_count};
  return room;
}

TransformSpec parse_transform(std::string_view text) {
  const std::size_t type_end = text.find(':');
  TransformSpec spec;
  spec.type = text.substr(0, type_end);
  if (spec.type.empty()) refuse(text, "there is no type");
  if (type_end == std::string_view::npos) return spec;
  std::string_view rest = text.substr(type_end + 1);
  // A part without '=' before the next ':' names streams.
  const std::size_t streams_end = rest.find(':');
  if (rest.substr(0, streams_end).find('=') == std::string_view::npos) {
    spec.streams = names_of(rest.substr(0, streams_end));
    rest =
        streams_end == std::string_view::npos ? std::string_view{} : rest.substr(streams_end + 1);
  }
  for (const std::string_view option : parts_of(rest, ',')) {
    const std::size_t name_end = option.find('=');
    if (name_end == std::string_view::npos || name_end == 0) {
      refuse(text, formatted("\"{}\" is no OPTION=VALUE", option));
    }
    const std::string_view name = option.substr(0, name_end);
    const std::string_view value = option.substr(name_end + 1);
    if (name == "as" ? !spec.as.empty() : spec.options.contains(std::string(name))) {
      refuse(text, formatted("the option \"{}\" is given twice", name));
    }
    if (name == "as") {
      spec.as = names_of(value);
    } else {
      spec.options.emplace(name, value);
    }
  }
  return spec;
}

std::string to_string(const TransformSpec& spec) {
  const auto joined = [](const std::vector<std::string>& names) {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : "+") + name;
    return all;
  };
  std::string options = spec.as.empty() ? "" : "as=" + joined(spec.as);
  for (const auto& [name, value] : spec.options) {
    if (!options.empty()) options += ',';
    options += name + '=' + value;
  }
  std::string text = spec.type;
  if (!spec.streams.empty() || !options.empty()) text += ':' + joined(spec.streams);
  if (!options.empty()) text += ':' + options;
  return text;
}

}  // namespace sheaf
