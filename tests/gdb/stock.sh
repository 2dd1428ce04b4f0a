#!/bin/sh
# Looks at the heart in a debugger that knows nothing of this project: tests/gdb/stock.sh gdb|lldb build/debug/heart
# In gpt(), when the second head of the third position is ready; and after backward(), from the loss to a parameter.
line() { grep -nF "$1" src/microgpt.cpp | cut -d: -f1; }
in_gpt=$(line 'x_attn.insert(') condition='pos_id == 2 && h == 1' after_backward=$(line 'adam.update(')
child='->edges[0].child'
parameter="*loss.node$child$child$child$child$child$child$child$child"
case $1 in
  gdb)
    gdb -nx -batch -iex 'set debuginfod enabled off' -ex "break microgpt.cpp:$in_gpt if $condition" \
      -ex "break microgpt.cpp:$after_backward" -ex run -ex 'p attn_logits' -ex 'p *attn_logits[1].node' -ex continue \
      -ex 'p *loss.node' -ex 'p model.wte[5][0]' -ex 'p *model.wte[5][0].node' -ex "p $parameter" "$2"
    ;;
  lldb) # `v` is for variables, `p` for what the program must compute
    for module in /usr/lib/llvm-*/lib/python3*/*-packages/lldb/formatters; do # Debian 12's lldb does not find it
      export PYTHONPATH="${module%/lldb/*}"
    done
    lldb -x -b -o 'settings set target.disable-aslr false' \
      -o "breakpoint set -f microgpt.cpp -l $in_gpt -c '$condition'" \
      -o "breakpoint set -f microgpt.cpp -l $after_backward" -o run -o 'v attn_logits' -o 'v *attn_logits[1].node' \
      -o continue -o 'v *loss.node' -o 'v model.wte[5][0]' -o 'v *model.wte[5][0].node' -o "p $parameter" "$2"
    ;;
esac >"$2.$1.txt" 2>&1
for seen in '(length |size=)3' '"\*",? data = 0\.092703' '"\*",? data = 3\.2147773' '= \{ ?node = 0x[0-9a-f]+ ?\}' \
  '"parameter",? data = -0\.0663757' '"parameter",? data = 0\.0529834[^"]* grad = 0\.12049'; do
  tr -s '\n ' ' ' <"$2.$1.txt" | grep -qE "$seen" || { echo "$1 alone: no $seen in $2.$1.txt" >&2; exit 1; }
done
echo "session of the heart in $1 alone: runs as shown"
