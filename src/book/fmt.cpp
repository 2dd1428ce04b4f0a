// The functions of fmt, for Emscripten, which brings no such library.
#include <fmt/format-inl.h>

template auto fmt::detail::thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl<char>(locale_ref) -> char;
#if FMT_VERSION < 110000  // a template up to version 10
template void fmt::detail::vformat_to<char>(buffer<char>&, string_view, format_args, locale_ref);
#endif
