// Small changes to a header in JSON, by which it may still be read, but as something else.
#pragma once

#include <string>

namespace microgpt {

class PythonRandom;

/// The text with one change: another number, another text in quotes, or a member dropped or repeated elsewhere.
std::string edit_header(const std::string& header, PythonRandom& random);

}  // namespace microgpt
