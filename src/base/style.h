// Data of several lists. Each document begins with the sign of its list, ① for the first, which is a letter as any
// other: so one model learns what is special about each list, and can be asked for names of one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/dataset.h"

namespace microgpt {

class PythonRandom;

/// The signs: ① to ⑳.
inline constexpr std::size_t most_styles = 20;
bool is_sign(char32_t character);

struct Style {
  std::string path;
  std::size_t weight = 1;    // training reads each of its documents so many times
  std::u32string sign = {};  // empty if there is one list only

  /// "towns" of data/towns.txt.
  std::string name() const;
};

/// The lists of a DataFile's path: one, or several, a line for each, "towns.txt" or with a weight "towns.txt:2". Throws
/// UsageError if they are too many, a weight is not from 1 to 1000, or two lists have one name.
std::vector<Style> styles_of(const std::string& path);

/// Only their files.
std::vector<std::string> paths_of(const std::string& path);

/// The path for a message, on one line.
std::string title_of(std::string path);

/// The document without the sign that it may begin with.
std::u32string_view without_sign(std::u32string_view document);

/// Repeats the documents of each list by its weight, in a new order. With weights of 1 nothing changes.
/// Throws UsageError if that makes more than max_documents.
void weigh(std::vector<Document>& documents, const std::vector<Style>& lists, PythonRandom& random);

}  // namespace microgpt
