// Bytes as text of 64 harmless characters (RFC 4648), three bytes as four of them.
#pragma once

#include <string>
#include <string_view>

namespace microgpt {

std::string base64(std::string_view bytes);

}  // namespace microgpt
