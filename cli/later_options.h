/// \file
/// Options of versions to come: known by name, so that each is refused with a plain sentence.

#pragma once

namespace CLI {
class App;
}

namespace sheaf::cli {

/// Add them. The help does not list them.
void add_later_options(CLI::App& verb);

}  // namespace sheaf::cli
