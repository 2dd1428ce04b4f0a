#!/usr/bin/env python3
"""The book and the project in one archive: python3 src/book/dist.py BOOK OUT

The same files make the same archive: in order, without times and owners."""
import subprocess
import sys
import zipfile
from pathlib import Path


def files_of(book):
    """What is packed: {name: path}. Of the project that is what git keeps."""
    listed = subprocess.run("git ls-files", shell=True, capture_output=True, text=True)
    if listed.returncode:
        raise SystemExit(f"make dist packs what git keeps of the project: {listed.stderr.strip()}")
    files = {path.relative_to(book).as_posix(): path for path in book.rglob("*") if path.is_file()}
    return files | {f"project/{name}": Path(name) for name in listed.stdout.splitlines()}


def pack(files, out):
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"microgpt/{name}")
            mode = 0o755 if files[name].stat().st_mode & 0o100 else 0o644
            entry.create_system, entry.external_attr = 3, mode << 16  # as on Unix, wherever it is packed
            archive.writestr(entry, files[name].read_bytes(), zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    packed = files_of(Path(sys.argv[1]))
    pack(packed, sys.argv[2])
    print(f"wrote {sys.argv[2]}: {len(packed)} files, {Path(sys.argv[2]).stat().st_size / 1e6:.1f} MB")
