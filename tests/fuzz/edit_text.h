// Small changes to a text, often to a header in JSON, by which it may still be read, but as something else.
#pragma once

#include <string>

namespace microgpt {

class PythonRandom;

/// The text with another of its whole numbers: a neighbour, or one where code that computes with sizes may go wrong.
std::string edit_number(const std::string& text, PythonRandom& random);

/// A safetensors header with another number of rows in one tensor, and all offsets as this needs.
std::string resize_tensor(const std::string& header, PythonRandom& random);

/// A header with one change: one of the above, another text in quotes, two of them exchanged (also names), or a member
/// of an object or list dropped or repeated elsewhere.
std::string edit_header(const std::string& header, PythonRandom& random);

}  // namespace microgpt
