#!/usr/bin/env python3
"""The book and the pages of the inspector in one archive: python3 src/book/dist.py BOOK PAGES OUT

The same files make the same archive: in order, without times and owners."""
import sys
import zipfile
from pathlib import Path


def pack(book, pages, out):
    files = {path.relative_to(book).as_posix(): path for path in book.rglob("*") if path.is_file()}
    files |= {f"pages/{path.name}": path for path in pages.glob("*.html")}
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"microgpt/{name}")
            entry.create_system, entry.external_attr = 3, 0o644 << 16  # as on Unix, wherever it is packed
            archive.writestr(entry, files[name].read_bytes(), zipfile.ZIP_DEFLATED, 9)
    return len(files)


if __name__ == "__main__":
    count = pack(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
    print(f"wrote {sys.argv[3]}: {count} files, {Path(sys.argv[3]).stat().st_size / 1e6:.1f} MB")
