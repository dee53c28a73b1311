#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/convert.h"
#include "sheaf/error.h"
#include "sheaf/extend/archive.h"
#include "sheaf/extend/file_sink.h"
#include "sheaf/extend/format.h"
#include "sheaf/spec.h"

#include "options/file_text.h"
#include "options/options.h"
#include "output/console.h"
#include "output/convert_report.h"
#include "output/counted.h"
#include "output/write_data.h"
#include "verbs/ctf2bin_header.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

constexpr std::int64_t kHeaderBytesMax = std::int64_t{64} << 20;  // a larger file is no header

struct Ctf2binOptions {
  std::string input;
  std::string header;
  std::string output;
  std::string precision = "float";
  std::int64_t chunk_size = 0;
};

std::string header_text(const std::string& path) {
  std::optional<std::string> text = file_text(path, kHeaderBytesMax);
  if (text) return *std::move(text);
  throw ConfigError(
      fmt::format("--header {}: more than {} bytes are no list of streams", path, kHeaderBytesMax));
}

// Throws: ConfigError, after the errors of the header were printed.
std::vector<StreamOptions> streams_of(const Ctf2binOptions& options, Console& console) {
  const ElementType type = options.precision == "double" ? ElementType::f64 : ElementType::f32;
  Ctf2binHeader header = parse_ctf2bin_header(header_text(options.header), options.header, type);
  if (header.errors.empty()) return std::move(header.streams);
  console.print_diagnostics(header.errors);
  throw ConfigError(
      fmt::format("--header {}: {}; each line is a stream: PUBLISHED-NAME "
                  "NAME-IN-CTF dense|sparse DIM",
                  options.header, counted(std::ssize(header.errors), "error")));
}

std::string format_of(std::string_view cntk_name) {
  const Format* const format = find_cntk_format(cntk_name);
  if (format == nullptr) throw ConfigError(fmt::format("this build does not have {}", cntk_name));
  return std::string(format->name);
}

// Opens CTF with text keys. If the first row has no id, opens CTF with numeric keys: each row
// then forms a separate sequence.
OpenData open_ctf(const FilesSpec& files) {
  const auto open = [&files](KeyType keys) {
    FilesSpec own = files;
    own.format.keys = keys;
    return cli::open(Spec{.data = {std::move(own)}}, 0, {});
  };
  try {
    return open(KeyType::text);
  } catch (const DataError& error) {
    if (error.diagnostics().back().code != "ctf-no-id") throw;
  }
  return open(KeyType::numeric);
}

int run_ctf2bin(const Ctf2binOptions& options, Console& console) {
  ConvertOptions convert;
  convert.warns_of_lost_keys = false;  // users of ctf2bin do not expect the ids in the file
  convert.writer.format = {.format = format_of("CNTKBinaryFormatDeserializer"),
                           .chunk_size_bytes = options.chunk_size};
  if (options.output != kStandardStream) {
    check_output_path(options.output, std::vector{options.input, options.header});
  }
  const FilesSpec files{.files = {options.input},
                        .format = {.format = format_of("CNTKTextFormatDeserializer"),
                                   .streams = streams_of(options, console),
                                   .index = {.mode = IndexMode::off}}};
  const std::int64_t input_bytes = open_file_or_entry(options.input)->size();
  const OpenData open = open_ctf(files);
  print_findings(
      console, write_data(open, options.output, convert, {console, When::automatic, input_bytes}));
  return kExitGood;
}

constexpr const char* kCtf2binDescription = R"(Convert CTF to CBF, called as CNTK's converter is

For scripts that call the converter from text to binary of CNTK: it takes the same arguments, and
where that one does no harm it writes the same bytes. sheaf convert does more.

The header file has a line for each stream: PUBLISHED-NAME NAME-IN-CTF dense|sparse DIM, in the
order in which they are written.)";

constexpr const char* kCtf2binFooter = R"(Examples:
  sheaf ctf2bin --input train.ctf --header streams.txt --chunk_size 33554432 --output train.cbf

Exit codes:
  0 good; 1 bad data, or a file cannot be read or written; 2 bad usage, also a header file that is
  wrong; 130 or 143: ended by a signal)";

}  // namespace

Verb add_ctf2bin(CLI::App& parent, Console& console) {
  CLI::App* const app = parent.add_subcommand("ctf2bin", kCtf2binDescription);
  app->footer(kCtf2binFooter);
  const auto options = std::make_shared<Ctf2binOptions>();
  constexpr const char* kGroup = "Conversion";
  const auto add_path = [&](const char* name, std::string& target, const char* description) {
    app->add_option(name, target, description)->required()->type_name("FILE")->group(kGroup);
  };
  add_path("--input", options->input, "The data, in CTF");
  add_path("--header", options->header, "The list of streams");
  add_count(*app, "--chunk_size", options->chunk_size, {1},
            "Bytes of a chunk, about; a chunk has whole sequences")
      ->required()
      ->default_str("")
      ->group(kGroup);
  add_path("--output", options->output, "The file to write, in CBF");
  add_choice(*app, "--precision", options->precision, {"float", "double"}, "Type of all values")
      ->group(kGroup);
  return {app, [options, &console] { return run_ctf2bin(*options, console); }};
}

}  // namespace sheaf::cli
