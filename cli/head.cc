#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "sheaf/error.h"
#include "sheaf/reader.h"

#include "console.h"
#include "data_options.h"
#include "format_minibatch.h"
#include "options.h"
#include "output.h"
#include "verbs.h"

namespace sheaf::cli {
namespace {

// Small, so that the head of a large file is there at once.
constexpr std::int64_t kChunkSize = std::int64_t{1} << 20;
constexpr std::int64_t kInferenceSize = std::int64_t{64} << 20;

struct HeadOptions {
  DataOptions data;
  std::int64_t sequences = 10;
  bool json = false;
};

void append_json(std::string& out, const Minibatch& minibatch) {
  out += "{\"key\":";
  append_quoted(out, key_text(minibatch, 0));
  out += ",\"streams\":{";
  for (std::size_t i = 0; i < minibatch.streams().size(); ++i) {
    const Stream& stream = minibatch.streams()[i];
    if (i > 0) out += ',';
    append_quoted(out, stream.name);
    out += ':';
    append_samples(out, stream, minibatch.view(static_cast<std::int64_t>(i), 0));
  }
  out += "}}";
}

void append_readable(std::string& out, const Minibatch& minibatch) {
  std::size_t width = 0;
  for (const Stream& stream : minibatch.streams()) width = std::max(width, stream.name.size());
  const std::size_t indent = width + 4;
  out += key_text(minibatch, 0);
  for (std::size_t i = 0; i < minibatch.streams().size(); ++i) {
    const Stream& stream = minibatch.streams()[i];
    out += "\n  " + stream.name + std::string(indent - 2 - stream.name.size(), ' ');
    append_samples_readable(out, stream, minibatch.view(static_cast<std::int64_t>(i), 0), indent);
  }
}

int run_head(const HeadOptions& options, Console& console) {
  const OrderOptions order{.minibatch_size = 1, .unit = MinibatchUnit::sequences};
  const OpenData open = cli::open(options.data);
  if (!options.json) print_found_streams(console, options.data, *open.data);
  Reader reader = make_reader(open, order, Layout::ragged, options.data.run);
  Output output;
  const auto print = [&] {
    for (std::int64_t printed = 0; printed < options.sequences;) {
      const auto minibatch = reader.next();
      if (!minibatch) return;
      if (minibatch->sequence_count() == 0) continue;  // left out
      if (options.json) {
        append_json(output.text(), *minibatch);
      } else {
        append_readable(output.text(), *minibatch);
      }
      output.end_line();
      ++printed;
    }
  };
  try {
    print();
  } catch (const Error&) {
    output.flush();  // the good sequences before the bad one
    throw;
  }
  output.flush();
  print_findings(console, reader);
  return kExitGood;
}

constexpr const char* kDescription = R"(Print the first sequences of a file

Without --stream it shows the streams that the first 64 MiB of the file have, and says on standard
error which these are, as options that declare them. It reads no more of the file than it has to.)";

constexpr const char* kFooter = R"(Examples:
  sheaf head train.ctf
  sheaf head -n 2 train.ctf --stream features:dense:64 --stream labels:sparse:10
  sheaf head -n 1 train.ctf --json

Exit codes:
  0 good; 1 bad data before the last sequence asked for, or the file cannot be read; 2 bad usage)";

}  // namespace

Verb add_head(CLI::App& parent, Console& console) {
  CLI::App* const app = parent.add_subcommand("head", kDescription);
  app->footer(kFooter);
  const auto options = std::make_shared<HeadOptions>();
  options->data.format.chunk_size_bytes = kChunkSize;
  options->data.format.inference_size_bytes = kInferenceSize;
  options->data.index = "off";  // not worth it for so little, and the chunks are others
  add_data_options(*app, options->data);
  add_max_errors_option(*app, options->data);
  add_count(*app, "-n,--sequences", options->sequences, {}, "How many sequences")->group("Output");
  app->add_flag("--json", options->json,
                "One JSON object a line: {\"key\":...,\"streams\":{NAME:[SAMPLE,...]}}; a dense "
                "sample is [VALUE,...], a sparse one [[INDEX,VALUE],...]")
      ->group("Output");
  return {app, [options, &console] { return run_head(*options, console); }};
}

}  // namespace sheaf::cli
