/// \file
/// Options about order, workers and packing, for verbs that follow an order.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "sheaf/extend/sequencer.h"
#include "sheaf/minibatch.h"
#include "sheaf/worker.h"

namespace CLI {
class App;
}

namespace sheaf::cli {

class Console;
struct DataOptions;

/// The type name of --worker.
inline constexpr const char* kWorkerSyntax = "R/W|env";

/// Filled by the options that add_order_options() adds.
struct OrderChoice {
  OrderOptions order = {};  // without the options below
  std::string algorithm = "file";
  std::string unit = "samples";
  std::string sweep_ends = {};  // empty, here and below: the default of the order
  std::string timeline = {};
  std::string balance = {};
  std::string batching = {};
  std::string sizes = {};
  std::string long_sequences = {};
  std::optional<std::uint64_t> seed = {};
  std::optional<std::int64_t> sweeps = {};  // 0 means endless, here and below
  std::int64_t epochs = 1;
  std::optional<std::int64_t> epoch_size = {};
  std::optional<std::int64_t> truncation_length = {};
  std::optional<std::int64_t> row_samples = {};
  std::map<std::string, PadValue, std::less<>> pad_values = {};
  std::string pad_side = {};
  std::optional<std::int64_t> pad_multiple = {};
  std::optional<std::int64_t> pad_length = {};
  std::string packing = {};           // empty: the layout that the other options need
  std::optional<Worker> worker = {};  // from the environment, with --worker env
};

/// Adds only the options about the order of the sequences.
///
/// Lifetime: `choice` must outlive the parsing, here and below.
void add_shuffle_options(CLI::App& verb, OrderChoice& choice);

/// Adds the options about order, workers and packing.
void add_order_options(CLI::App& verb, OrderChoice& choice);

/// Returns the chosen order. Without an option for the window, the window suits chunks of
/// `chunk_size_bytes`. With transforms, any order takes a seed.
///
/// Throws: ConfigError for options that exclude each other.
[[nodiscard]] OrderOptions chosen_order(const OrderChoice& choice, std::int64_t chunk_size_bytes,
                                        bool has_transforms = false);

/// Returns the chosen order for the chosen data. With a spec, this is the order of the spec,
/// changed by the given options.
[[nodiscard]] OrderOptions chosen_order(const OrderChoice& choice, const DataOptions& data);

/// Prints the warning about the environment variables that name the worker, if there is one.
void print_worker_warning(Console& console, const OrderChoice& choice);

/// Returns the chosen packing, or `otherwise` if no option is about packing.
///
/// Throws: ConfigError for a packing that does not suit the order.
[[nodiscard]] Layout chosen_packing(const OrderChoice& choice, Layout otherwise);

/// Returns the chosen packing for the chosen data. If no option is about packing, returns the
/// packing of the spec. Without a spec, or if the spec has `padded`, the default, returns
/// `otherwise`.
[[nodiscard]] Layout chosen_packing(const OrderChoice& choice, const DataOptions& data,
                                    Layout otherwise);

/// Returns the fixed length of a slot, by the option or else by the spec, or nothing.
[[nodiscard]] std::optional<std::int64_t> chosen_row_samples(const OrderChoice& choice,
                                                             const DataOptions& data);

/// Returns the padding of the spec, changed by the given options.
[[nodiscard]] Padding chosen_padding(const OrderChoice& choice, const DataOptions& data);

}  // namespace sheaf::cli
