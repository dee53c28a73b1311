/// \file
/// Options of versions to come: known by name, so that each is refused with a plain sentence.

#pragma once

namespace CLI {
class App;
}

namespace sheaf::cli {

/// Add them. They are refused where they would change something; `--epochs 1` and `--worker 0/1`
/// would not. The help does not list them.
void add_later_options(CLI::App& verb);

}  // namespace sheaf::cli
