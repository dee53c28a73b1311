/// \file
/// What data sets are made of that are made of several.

#pragma once

#include <memory>
#include <string>

#include "sheaf/extend/deserializer.h"

namespace sheaf {

/// A data set and its name.
struct NamedData {
  std::shared_ptr<const Deserializer> data;
  std::string name;  // what messages call it: the path of its file, as the user gave it
};

}  // namespace sheaf
