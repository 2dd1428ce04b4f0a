// The random numbers of CPython's `random` module, as in src/base/python_random.h: with the same seed, the page draws
// the names that the program draws.
class PythonRandom {
  // seed: a whole number as text, of any size; its sign is ignored, as in Python.
  constructor(seed) {
    if (!/^[-+]?\d+$/.test(seed)) throw new Error(`the seed “${seed}” is not a whole number`);
    const key = []; // its 32-bit words, least significant first
    for (let rest = BigInt(seed.replace(/^[-+]/, "")); rest > 0n || key.length === 0; rest >>= 32n) {
      key.push(Number(rest & 0xffffffffn));
    }
    const state = (this.state = new Uint32Array(624));
    this.next = 624;
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

  bits32() {
    const { state } = this;
    if (this.next === 624) {
      // The next 624 words, from the last 624.
      for (let i = 0; i < 624; i++) {
        const mixed = (state[i] & 0x80000000) | (state[(i + 1) % 624] & 0x7fffffff);
        state[i] = state[(i + 397) % 624] ^ (mixed >>> 1) ^ (mixed & 1 ? 0x9908b0df : 0);
      }
      this.next = 0;
    }
    let y = state[this.next++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  // An index, drawn in proportion to its weight.
  choice(weights) {
    let total = 0;
    const cumulative = Array.from(weights, (weight) => (total += weight));
    const [high, low] = [this.bits32() >>> 5, this.bits32() >>> 6];
    const drawn = ((high * 2 ** 26 + low) / 2 ** 53) * total; // a number in [0, 1) with 53 bits, times the total
    const i = cumulative.findIndex((sum) => sum > drawn);
    return i < 0 ? weights.length - 1 : i;
  }
}
