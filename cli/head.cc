#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "sheaf/error.h"
#include "sheaf/reader.h"

#include "data_options.h"
#include "format_minibatch.h"
#include "output.h"
#include "verbs.h"

namespace sheaf::cli {
namespace {

// Small, so that the head of a large file is there at once.
constexpr std::int64_t kChunkSize = std::int64_t{1} << 20;

struct HeadOptions {
  DataOptions data;
  std::int64_t sequences = 10;
  bool json = false;
};

void append_json(std::string& out, const Minibatch& minibatch) {
  out += "{\"key\":";
  append_quoted(out, to_string(minibatch.keys()[0]));
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
  out += to_string(minibatch.keys()[0]);
  for (std::size_t i = 0; i < minibatch.streams().size(); ++i) {
    const Stream& stream = minibatch.streams()[i];
    out += "\n  " + stream.name + std::string(indent - 2 - stream.name.size(), ' ');
    append_samples_readable(out, stream, minibatch.view(static_cast<std::int64_t>(i), 0), indent);
  }
}

int run_head(const HeadOptions& options) {
  const LinearOrderOptions order{.minibatch_size = 1, .unit = MinibatchUnit::sequences};
  Reader reader = make_reader(open(options.data), order, Layout::ragged, options.data.run);
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
  print_left_out(reader);
  return kExitGood;
}

}  // namespace

Verb add_head(CLI::App& parent) {
  CLI::App* const app = parent.add_subcommand("head", "Print the first sequences of a file");
  const auto options = std::make_shared<HeadOptions>();
  options->data.chunk_size_bytes = kChunkSize;
  add_data_options(*app, options->data);
  add_max_errors_option(*app, options->data);
  app->add_option("-n,--sequences", options->sequences, "How many sequences")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()).description(""))
      ->capture_default_str();
  app->add_flag("--json", options->json,
                "One JSON object a line: {\"key\":...,\"streams\":{NAME:[SAMPLE,...]}}; a dense "
                "sample is [VALUE,...], a sparse one [[INDEX,VALUE],...]");
  return {app, [options] { return run_head(*options); }};
}

}  // namespace sheaf::cli
