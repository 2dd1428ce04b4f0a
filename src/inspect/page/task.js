// Tasks, as `microgpt task` writes them: a document is a word, "=", and the answer that follows from the word.

const tasks = [
  { does: "repeats what came before", answer: (word) => word },
  { does: "writes what came before backwards", answer: (word) => [...word].reverse().join("") },
  {
    does: "names the letter that came most often",
    answer: (word) => most([...word], (letter) => word.split(letter).length),
  },
  {
    does: "finds the last letter earlier in the word, and writes what followed it there",
    answer: (word, length) => word.slice(word.indexOf(word.at(-1)) + 1).slice(0, length),
  },
];

// What a model learned from. One that knows "=" was trained on a task, and a task's documents are no names.
function nounOf(model) {
  return model.tokens.has("=") ? "documents" : "names";
}

// What a model of these documents does after "=", a word to try it with, and what may be typed; undefined if they are
// of no task.
function describeTask(documents) {
  const pairs = documents.map((each) => each.split("="));
  if (!pairs.every(([word, given]) => word && given)) return undefined;
  const isIt = ({ answer }) => pairs.every(([word, given]) => answer(word, given.length) === given);
  const word = pairs[0]?.[0] ?? "";
  const letters = [...new Set(pairs.flatMap(([each]) => [...each]))].sort();
  const many = pairs.every(([{ length }]) => length === word.length) ? `${word.length} ` : "";
  const form = `${many}letters ${letters[0]}–${letters.at(-1)}, then =`;
  return { does: tasks.find(isIt)?.does ?? "writes an answer", word, form };
}

// What the model makes of a text that ends in "=".
function answered(model, prompt, changes = unchanged) {
  return sample(model, { temperature: 0.01, num: 1, prompt }, changes)[0];
}

// Where in a text something is worth a look: where a task's answer is on its way; of other texts after three letters.
function usualPosition(text) {
  const equals = [...text].indexOf("=");
  return equals < 0 ? 3 : equals + 3;
}
