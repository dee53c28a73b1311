// Check data, split the sequences, and count what is in the parts: the operations of the library.
//
//     operations IN OUT
//
// operations.py and operations.sh beside print the same.

#include <exception>
#include <iostream>

#include "sheaf/check.h"
#include "sheaf/convert.h"
#include "sheaf/stat.h"

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: operations IN OUT\n";
    return 2;
  }
  const sheaf::DataSpec input{sheaf::FilesSpec{.files = {argv[1]}}};
  const sheaf::CheckReport checked = sheaf::check(input);
  std::cout << "good " << checked.sequences << ", left out " << checked.holes << '\n';

  sheaf::ConvertOptions options;
  options.parts = sheaf::parse_split("train=0.9,test=0.1");
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
