# Usual mistakes, for scripts that make them: a $table lists one after the other, each with a line "# title", lines that
# stand in the solution behind "- ", lines that a reader writes in their place behind "+ ", and behind "? " a part of
# what the tests must say.

# Reads a file, and writes it with mistake $1: the text of its - lines replaced by that of the + lines below them, once;
# the same for the next - lines. A line "- ..." stands for all lines up to the text behind it. With STYLE and STAGE, it
# makes the changes of all entries "# STYLE FROM-TO" for that stage.
make_mistake() { # NUMBER, or STYLE STAGE
  awk -v k="$1" -v stage="${2:-}" '
    FNR == NR {
      if (/^# /) {
        at++; split($3, range, "-")
        on = stage == "" ? at == k : $2 == k && stage + 0 >= range[1] + 0 && stage + 0 <= range[2] + 0
      }
      mark = substr($0, 1, 2)
      if (on && mark == "- ") { if (last != mark) n++; from[n] = from[n] (last == mark ? "\n" : "") substr($0, 3) }
      if (on && mark == "+ ") to[n] = to[n] (last == mark ? "\n" : "") substr($0, 3)
      last = mark
      next
    }
    { all = all $0 "\n" }
    END {
      for (e = 1; e <= n; e++) {
        tail = ""
        if (i = index(from[e], "\n...\n")) { tail = substr(from[e], i + 4); from[e] = substr(from[e], 1, i - 1) }
        i = index(all, from[e])
        behind = substr(all, i + length(from[e]))
        j = tail == "" ? 1 : index(behind, tail)
        if (from[e] == "" || i == 0 || j == 0) { print "no: " from[e] >"/dev/stderr"; exit 1 }
        all = substr(all, 1, i - 1) to[e] substr(behind, j + length(tail))
      }
      if (n == 0) exit 1
      printf "%s", all
    }' "$table" -
}
field() {
  awk -v k="$1" -v mark="$2" '/^# / { at++ } at == k && index($0, mark " ") == 1 { print substr($0, 3) }' "$table"
}
