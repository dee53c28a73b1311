// Shows the operations of the library: checks data, writes the index file, measures an order,
// splits the sequences into files, and counts the sequences of each file.
//
//     operations IN OUT
//
// operations.py and operations.sh print the same.

#include <exception>
#include <iomanip>
#include <iostream>

#include "sheaf/check.h"
#include "sheaf/convert.h"
#include "sheaf/index_data.h"
#include "sheaf/order_summary.h"
#include "sheaf/stat.h"

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: operations IN OUT\n";
    return 2;
  }
  const sheaf::DataSpec input{sheaf::FilesSpec{.files = {argv[1]}}};
  const sheaf::CheckReport checked = sheaf::check(input);
  std::cout << "good " << checked.sequences << ", left out " << checked.holes << '\n';

  const sheaf::IndexReport indexed = sheaf::index_data(input);
  std::cout << "indexed " << indexed.sequences << '\n';
  for (const sheaf::IndexFile& file : indexed.files) {
    std::cout << file.path << ' ' << file.bytes << '\n';
  }

  sheaf::Spec spec{.data = input};
  spec.read.order = {.minibatch_size = 30,
                     .worker_count = 8,
                     .algorithm = sheaf::OrderAlgorithm::keyed,
                     .seed = 7};
  const sheaf::OrderSummary order = sheaf::summarize_order(spec);
  std::cout << "noise " << std::fixed << std::setprecision(3) << order.report.all.noise.value_or(0)
            << ", a sweep reads " << std::setprecision(0) << order.sweep_bytes() << " bytes\n";
  for (const sheaf::Advice& advice : order.advice) std::cout << "advice " << advice.code << '\n';

  sheaf::ConvertOptions options;
  options.split = sheaf::parse_split("train=0.9,test=0.1");
  options.selected.max_length = 3;
  options.max_errors = 100;
  const sheaf::ConvertReport converted = sheaf::convert(sheaf::open(input).data, argv[2], options);
  for (const sheaf::WrittenFile& file : converted.files) {
    std::cout << file.path << ' ' << file.bytes << ' ' << file.sequences << '\n';
    const sheaf::StatReport report =
        sheaf::stat(sheaf::DataSpec{sheaf::FilesSpec{.files = {file.path}}});
    std::cout << "samples " << report.lengths.total() << ", longest " << report.lengths.max()
              << '\n';
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
