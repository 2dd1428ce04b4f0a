// All heads of a model at once: a map of each on a text, and below it what the head looks at and what it is worth.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "draw/plot.h"
#include "heads/heads.h"
#include "heads/importance.h"

namespace microgpt {

/// A map of every head on this text (tokens BOS ... BOS), in the order of all_heads(), under "layer 0, head 2". Row t
/// says how much the head takes from each position when it stands at t; all of it is darkest.
std::vector<TitledGrid> head_maps(const Config& config, const Parameters& parameters, std::span<const Token> tokens,
                                  const Tokenizer& tokenizer);

/// What is known about a head, in three lines: its shape, the mass that speaks for it, and the loss without it.
std::vector<std::string> evidence(const HeadLook& look, const std::array<double, num_places>& bar,
                                  const Importance& importance);

/// What rows and columns of a map are, and, on a terminal, what its shades mean.
inline constexpr const char* map_axes = "A row is the letter that looks, a column the one it looks at (\".\" is BOS).";
inline constexpr const char* map_shades =
    "Blank: nothing, ░░ about a quarter of its weight, ▒▒ half, ▓▓ three quarters, ██ all of it.";

/// So many maps in a row; 0: as many as fit on a page.
Svg gallery(const std::string& title, const std::vector<TitledGrid>& maps, std::size_t in_a_row = 0);

/// The same for a terminal of a hundred columns, with a legend.
std::string gallery(const std::vector<TitledGrid>& maps);

}  // namespace microgpt
