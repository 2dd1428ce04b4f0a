// Measures of what was read, as in src/heads/heads.h.

// The loss of one who knows nothing, and gives every token the same probability.
function guessingLoss(model) {
  return Math.log(model.bos + 1);
}

// The n largest weights of the visible positions; equal ones in the order of their positions.
function strongest(weights, seen, n) {
  return [...seen].sort((a, b) => weights[b] - weights[a] || a - b).slice(0, n);
}

// That of a list of which `of` says most; of equal ones the first.
function most(list, of) {
  return list.reduce((a, b) => (of(b) > of(a) ? b : a));
}

// Which of some chances is the largest.
function likeliest(probs) {
  return most([...probs.keys()], (token) => probs[token]);
}

// A set with one thing more, or without it.
function toggled(set, key) {
  return new Set(set.has(key) ? [...set].filter((each) => each !== key) : [...set, key]);
}
