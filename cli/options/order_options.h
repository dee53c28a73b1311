/// \file
/// What the verbs that follow an order need to know about it.

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
  OrderOptions order = {};  // without what is below
  std::string algorithm = "file";
  std::string unit = "samples";
  std::string sweep_ends = {};  // empty, here and below: what the order does
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
  std::string packing = {};           // empty: what the other options are for
  std::optional<Worker> worker = {};  // of the environment, with --worker env
};

/// Add the options about the order of the sequences, and no others.
///
/// Lifetime: `choice` must outlive the parsing; here and below.
void add_shuffle_options(CLI::App& verb, OrderChoice& choice);

/// Add the options about order, workers and packing.
void add_order_options(CLI::App& verb, OrderChoice& choice);

/// Returns the order that was chosen; without a window, one that fits chunks of so many bytes.
/// `has_transforms` says whether the data have transforms, for which a seed serves in any order.
///
/// Throws: ConfigError for options that exclude each other.
[[nodiscard]] OrderOptions chosen_order(const OrderChoice& choice, std::int64_t chunk_size_bytes,
                                        bool has_transforms = false);

/// The same for data that are chosen, too: where a spec says the order, that one, changed by the
/// options that were given.
[[nodiscard]] OrderOptions chosen_order(const OrderChoice& choice, const DataOptions& data);

/// Prints the warnings about the variables that say which worker this is.
void print_worker_warning(Console& console, const OrderChoice& choice);

/// The packing that was chosen; `otherwise` where the options say nothing about it.
///
/// Throws: ConfigError for one that does not go with the order.
[[nodiscard]] Layout chosen_packing(const OrderChoice& choice, Layout otherwise);

/// The same for data that are chosen, too: `otherwise` is what a spec says, where it says anything.
[[nodiscard]] Layout chosen_packing(const OrderChoice& choice, const DataOptions& data,
                                    Layout otherwise);

/// Returns the fixed length of a slot that an option or a spec says; nothing where none does.
[[nodiscard]] std::optional<std::int64_t> chosen_row_samples(const OrderChoice& choice,
                                                             const DataOptions& data);

/// Returns what options and a spec say of padding. Each option replaces what the spec says.
[[nodiscard]] Padding chosen_padding(const OrderChoice& choice, const DataOptions& data);

}  // namespace sheaf::cli
