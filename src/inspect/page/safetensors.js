// A model as a file that the program opens, and PyTorch too: src/train/safetensors.h says what stands in it.

// What src/train/checkpoint.cpp reads of a model. All are texts.
function checkpointMetadata({ config, characters, w }) {
  const { n_layer, n_embd, n_head, q_latent, kv_latent, rope_dim, activation, attention, mask, rope } = config;
  const block_size = w.wpe?.rows ?? config.block_size;
  const n_kv_head = attention === "mla" ? 0 : config.n_kv_head;
  const numbers = { n_layer, n_embd, n_head, block_size, n_kv_head, q_latent, kv_latent, rope_dim };
  const texts = Object.entries(numbers).map(([name, number]) => [name, String(number)]);
  const pos = rope ? "rope" : "learned";
  return { format: "microgpt", ...Object.fromEntries(texts), activation, mask, pos, characters: characters.join("") };
}

// Its matrices lie in one list of numbers, in their order, as in the file.
function safetensors(model) {
  const header = { __metadata__: checkpointMetadata(model) };
  for (const { name, rows, cols, at } of Object.values(model.w)) {
    header[name] = { dtype: "F64", shape: [rows, cols], data_offsets: [8 * at, 8 * (at + rows * cols)] };
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const padded = new Uint8Array(8 * Math.ceil(text.length / 8)).fill(32);
  padded.set(text);
  return new Blob([BigUint64Array.of(BigInt(padded.length)), padded, model.numbers]);
}
