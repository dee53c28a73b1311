/// \file
/// The types of values, by the names that NumPy and torch use.

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "sheaf/dtype.h"
#include "sheaf/types.h"

#include "choice.h"

namespace sheaf::python {

/// Returns the type with this name.
///
/// Throws: ConfigError that lists the names.
inline ElementType element_type_named(std::string_view dtype) {
  std::array<std::pair<std::string_view, ElementType>, kDtypeNames.size()> choices;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    choices[i] = {kDtypeNames[i].word, kDtypeNames[i].type};
  }
  return choice<ElementType>("dtype", dtype, std::span(std::as_const(choices)));
}

}  // namespace sheaf::python
