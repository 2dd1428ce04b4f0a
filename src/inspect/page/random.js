// The random numbers of CPython's `random` module, as in src/base/python_random.h: with the same seed, the page draws
// the names that the program draws.
"use strict";

class PythonRandom {
  // seed: a whole number as text, of any size.
  constructor(seed) {
    this.state = new Uint32Array(624);
    this.next = 624;
    this.waitingGauss = null;
    this.seedByArray(wordsOfDecimal(String(seed)));
  }

  seedByArray(key) {
    const state = this.state;
    state[0] = 19650218;
    for (let i = 1; i < 624; i++) state[i] = Math.imul(1812433253, state[i - 1] ^ (state[i - 1] >>> 30)) + i;
    let i = 1;
    const advance = () => {
      if (++i === 624) {
        state[0] = state[623];
        i = 1;
      }
    };
    const mixed = (factor) => state[i] ^ Math.imul(state[i - 1] ^ (state[i - 1] >>> 30), factor);
    for (let k = Math.max(624, key.length), j = 0; k > 0; k--, j = (j + 1) % key.length) {
      state[i] = mixed(1664525) + key[j] + j;
      advance();
    }
    for (let k = 623; k > 0; k--) {
      state[i] = mixed(1566083941) - i;
      advance();
    }
    state[0] = 0x80000000;
  }

  // Makes the next 624 words from the last 624.
  twist() {
    const state = this.state;
    for (let i = 0; i < 624; i++) {
      const mixed = (state[i] & 0x80000000) | (state[(i + 1) % 624] & 0x7fffffff);
      state[i] = state[(i + 397) % 624] ^ (mixed >>> 1) ^ (mixed & 1 ? 0x9908b0df : 0);
    }
    this.next = 0;
  }

  bits32() {
    if (this.next === 624) this.twist();
    let y = this.state[this.next++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  // In [0, 1), with 53 bits.
  random() {
    const high = this.bits32() >>> 5;
    const low = this.bits32() >>> 6;
    return (high * 2 ** 26 + low) / 2 ** 53;
  }

  gauss(mean, stddev) {
    let z = this.waitingGauss;
    this.waitingGauss = null;
    if (z === null) {
      const angle = this.random() * (2 * Math.PI);
      const radius = Math.sqrt(-2 * Math.log(1 - this.random()));
      z = Math.cos(angle) * radius;
      this.waitingGauss = Math.sin(angle) * radius;
    }
    return mean + z * stddev;
  }

  // A whole number in [0, n), for n below 2^32.
  below(n) {
    const bits = 32 - Math.clz32(n);
    let r = this.bits32() >>> (32 - bits);
    while (r >= n) r = this.bits32() >>> (32 - bits);
    return r;
  }

  shuffle(items) {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [items[i], items[j]] = [items[j], items[i]];
    }
  }

  // An index, drawn in proportion to its weight.
  choice(weights) {
    let total = 0;
    const cumulative = Array.from(weights, (weight) => (total += weight));
    const drawn = this.random() * total;
    let i = 0;
    while (i < weights.length - 1 && cumulative[i] <= drawn) i++;
    return i;
  }
}

// A decimal whole number as 32-bit words, least significant first. The sign is ignored, as in Python.
function wordsOfDecimal(text) {
  if (!/^[-+]?[0-9]+$/.test(text)) throw new Error(`the seed '${text}' is not a whole number`);
  let rest = BigInt(text.replace(/^[-+]/, ""));
  const words = [];
  do {
    words.push(Number(rest & 0xffffffffn));
    rest >>= 32n;
  } while (rest > 0n);
  return words;
}
