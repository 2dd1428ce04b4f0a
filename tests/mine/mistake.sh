# Usual mistakes, for scripts that make them: a $table lists one after the other, each with a line "# title", lines that
# stand in the solution behind "- ", lines that a reader writes in their place behind "+ ", and behind "? " a part of
# what the tests must say.

# Reads a file, and writes it with mistake $1: the text of its - lines replaced by that of its + lines, once.
make_mistake() {
  awk -v k="$1" '
    function joined(lines, line) { return lines == "" ? line : lines "\n" line }
    FNR == NR {
      if (/^# /) at++
      if (at == k && /^- /) from = joined(from, substr($0, 3))
      if (at == k && /^\+ /) to = joined(to, substr($0, 3))
      next
    }
    { all = all $0 "\n" }
    END { i = index(all, from); if (from == "" || i == 0) exit 1
      printf "%s", substr(all, 1, i - 1) to substr(all, i + length(from)) }' "$table" -
}
field() {
  awk -v k="$1" -v mark="$2" '/^# / { at++ } at == k && index($0, mark " ") == 1 { print substr($0, 3) }' "$table"
}
