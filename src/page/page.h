// The inspector: one page of HTML that shows a model at work, with everything it needs inside. Its parts are the files
// of this folder, which the build embeds.
#pragma once

#include <string>

namespace microgpt {

/// The page with this data, a JSON object that src/program/inspector.cpp writes. Whatever text is in it stays data.
std::string inspector_page(const std::string& json);

}  // namespace microgpt
