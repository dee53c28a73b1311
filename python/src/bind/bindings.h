/// \file
/// The functions that bind the parts of the Python module.

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include <nanobind/nanobind.h>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/index_file.h"
#include "sheaf/minibatch.h"
#include "sheaf/writer.h"

namespace sheaf::python {

/// Translates the exceptions of the library to those of sheaf.errors.
void bind_errors(nanobind::module_& module);

/// Minibatch, DenseBatch, SparseBatch.
void bind_minibatch(nanobind::module_& module);

/// formats, set_sound_library, sound_library.
void bind_formats(nanobind::module_& module);

/// cntk_spec.
void bind_cntk(nanobind::module_& module);

/// transforms, generator_key, generator_key_of_text.
void bind_transforms(nanobind::module_& module);

/// Data, and the options that open them.
void bind_data(nanobind::module_& module);

/// Run.
void bind_run(nanobind::module_& module);

/// SlabMemory.
void bind_slabs(nanobind::module_& module);

/// check.
void bind_check(nanobind::module_& module);

/// index_data.
void bind_index(nanobind::module_& module);

/// convert, output_paths.
void bind_convert(nanobind::module_& module);

/// report_json, report_html, write_report.
void bind_report(nanobind::module_& module);

/// stat_json, order_json.
void bind_stat(nanobind::module_& module);

/// worker.
void bind_worker(nanobind::module_& module);

/// FileWriter.
void bind_writer(nanobind::module_& module);

/// arrow_stream, ArrowSource.
void bind_arrow(nanobind::module_& module);

/// give_stream, give_batches, for tables of Arrow arrays.
void bind_tables(nanobind::module_& module);

/// UserCalls, UserCall, UserTable, for deserializers and functions in Python.
void bind_user(nanobind::module_& module);

using Settings = std::map<std::string, std::string>;

/// Returns the options of a writer.
[[nodiscard]] WriterOptions writer_options(const std::string& format, Settings extra,
                                           std::int64_t chunk_size_bytes, bool overwrite);

/// Returns the mode that a word of the keyword `index` stands for.
///
/// Throws: ConfigError for any other word.
[[nodiscard]] IndexMode index_mode_named(std::string_view name);

/// Returns a list of sheaf.errors.Diagnostic.
[[nodiscard]] nanobind::list to_python(std::span<const Diagnostic> diagnostics);

}  // namespace sheaf::python
