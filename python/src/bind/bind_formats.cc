// Bindings of the table of formats.

#include <span>
#include <string_view>

#include <nanobind/nanobind.h>

#include "sheaf/extend/format.h"
#include "sheaf/extend/sound_library.h"

#include "bind/bindings.h"
#include "text.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

nb::str text_of(std::string_view text) { return nb::str(text.data(), text.size()); }

nb::list texts_of(std::span<const std::string_view> texts) {
  nb::list list;
  for (const std::string_view text : texts) list.append(text_of(text));
  return list;
}

nb::list options_of(std::span<const FormatOption> options) {
  nb::list list;
  for (const FormatOption& option : options) {
    list.append(
        nb::make_tuple(text_of(option.name), texts_of(option.values), text_of(option.help)));
  }
  return list;
}

std::string_view word_of(CntkSetting::Kind kind) noexcept {
  switch (kind) {
    case CntkSetting::Kind::truth:
      return "truth";
    case CntkSetting::Kind::whole:
      return "whole";
    case CntkSetting::Kind::text:
      return "text";
    case CntkSetting::Kind::path:
      return "path";
    case CntkSetting::Kind::errors:
      return "errors";
    case CntkSetting::Kind::fixed:
      return "fixed";
    case CntkSetting::Kind::ignored:
      break;
  }
  return "ignored";
}

nb::list settings_of(std::span<const CntkSetting> settings) {
  nb::list list;
  for (const CntkSetting& setting : settings) {
    list.append(nb::make_tuple(text_of(setting.name), text_of(word_of(setting.kind)),
                               text_of(setting.option), text_of(setting.if_true),
                               text_of(setting.if_false)));
  }
  return list;
}

nb::object stream_of(const CntkStream* stream) {
  if (stream == nullptr) return nb::none();
  nb::list files;
  for (const CntkFileSetting& file : stream->files) files.append(text_of(file.name));
  nb::list options;
  for (const CntkFixedOption& option : stream->options) {
    options.append(nb::make_tuple(text_of(option.name), text_of(option.value)));
  }
  nb::dict row;
  row["files"] = files;
  row["dims"] = texts_of(stream->dims);
  row["settings"] = settings_of(stream->settings);
  row["options"] = options;
  row["is_sparse"] = stream->storage == Storage::sparse;
  row["may_be_first"] = stream->may_be_first;
  row["has_parts"] = stream->has_parts;
  row["makes_text_keys"] = stream->makes_text_keys;
  row["has_context"] = stream->has_context;
  return row;
}

nb::object cntk_of(const CntkNames* names) {
  if (names == nullptr) return nb::none();
  nb::dict cntk;
  cntk["deserializers"] = texts_of(names->deserializers);
  cntk["declares_streams"] = names->declares_streams;
  cntk["has_strict"] = names->has_strict;
  cntk["settings"] = settings_of(names->settings);
  cntk["stream"] = stream_of(names->stream);
  cntk["has_images"] = names->images != nullptr;
  return cntk;
}

nb::list all_formats() {
  nb::list list;
  for (const Format& format : builtin_formats()) {
    nb::dict row;
    row["name"] = text_of(format.name);
    row["description"] = text_of(format.description);
    row["extensions"] = texts_of(format.extensions);
    row["opens_folders"] = format.opens_folders;
    row["is_writable"] = format.create != nullptr;
    row["keeps_keys"] = format.keeps_keys;
    row["read_options"] = options_of(format.read_options);
    row["write_options"] = options_of(format.write_options);
    row["cntk"] = cntk_of(format.cntk);
    list.append(row);
  }
  return list;
}

}  // namespace

void bind_formats(nb::module_& module) {
  module.def("formats", all_formats, nb::sig("def formats() -> list[dict[str, typing.Any]]"),
             "Return a description of each format.");
  module.def("set_sound_library", &set_sound_library, nb::arg("path"),
             "Choose the file of libsndfile that decodes later recordings. An empty path chooses "
             "the library of the system.");
  module.def("sound_library", &sound_library, "Return the path that set_sound_library() got last.");
}

}  // namespace sheaf::python
