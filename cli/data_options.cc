#include "data_options.h"

#include <cstdio>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"

#include "size_option.h"
#include "stream_option.h"

namespace sheaf::cli {

void add_data_options(CLI::App& verb, DataOptions& options) {
  verb.add_option("FILE", options.path, "The data; its extension tells the format")->required();
  verb.add_option("--stream", options.streams,
                  "A stream to read; once for each. DIM counts the values of a dense sample (or is "
                  "its shape: 8x8), or the indices of a sparse one. alias=A: the file calls it A. "
                  "mb: its samples are the ones that the minibatch size counts")
      ->type_name("NAME:dense|sparse:DIM[:alias=A][:mb]")
      ->allow_extra_args(false);
  verb.add_option("--precision", options.precision, "Type of all values: float or double")
      ->check(CLI::IsMember({"float", "double"}).description(""))
      ->type_name("TYPE")
      ->capture_default_str();
  verb.add_option_function<std::string>(
          "--chunk-bytes",
          [&options](const std::string& text) {
            options.chunk_size_bytes = parse_size("--chunk-bytes", text);
          },
          "Bytes of the file that are read and decoded together, about")
      ->type_name("SIZE")
      ->default_str(fmt::format("{}MiB", options.chunk_size_bytes >> 20));
  verb.add_option("--threads", options.run.threads,
                  "Threads that read ahead; 0: one for each processor. The result is the same")
      ->type_name("N")
      ->capture_default_str();
  verb.add_option_function<std::string>(
          "--memory-limit",
          [&options](const std::string& text) {
            options.run.memory_limit_bytes = parse_size("--memory-limit", text);
          },
          "Most memory for what is read ahead: bytes, or as 64MiB, 2GB; 0: no limit")
      ->type_name("SIZE")
      ->default_str("0");
}

void add_max_errors_option(CLI::App& verb, DataOptions& options) {
  verb.add_option("--max-errors", options.run.max_errors,
                  "Wrong places tolerated: each spoils its sequence, which is left out whole")
      ->type_name("N")
      ->capture_default_str();
}

std::shared_ptr<const Deserializer> open(const DataOptions& options) {
  FormatOptions format;
  format.chunk_size_bytes = options.chunk_size_bytes;
  for (const std::string& text : options.streams) {
    StreamOptions stream = parse_stream_option(text);
    stream.element_type = options.precision == "double" ? ElementType::f64 : ElementType::f32;
    format.streams.push_back(std::move(stream));
  }
  try {
    return open_data(options.path, format);
  } catch (const ConfigError& error) {
    if (!options.streams.empty()) throw;
    throw ConfigError(
        fmt::format("{}\n  say which streams to read: --stream NAME:dense|sparse:DIM "
                    "for each, as --stream features:dense:64 --stream labels:sparse:10",
                    error.what()));
  }
}

Reader make_reader(const std::shared_ptr<const Deserializer>& data, const LinearOrderOptions& order,
                   Layout packing, const RunOptions& run) {
  const std::shared_ptr<const Counts> counts(data, &data->index());
  return Reader(data, std::make_unique<LinearSequencer>(counts, order), make_packer(packing), run);
}

void print_diagnostics(std::span<const Diagnostic> diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    std::fputs((to_string(diagnostic) + "\n").c_str(), stderr);
  }
}

void print_left_out(const Reader& reader) {
  const ReaderStats stats = reader.stats();
  if (stats.error_places == 0) return;
  print_diagnostics(reader.diagnostics());
  std::fputs(
      fmt::format("sheaf: left out {} sequences, for {} errors\n", stats.holes, stats.error_places)
          .c_str(),
      stderr);
}

}  // namespace sheaf::cli
