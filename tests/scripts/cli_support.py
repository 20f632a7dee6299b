"""Running the program in tests of the command line."""

import json
import os
import struct
import subprocess
import zlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("DRAGOMAN_BINARY", ROOT / "build" / "release" / "dragoman")).resolve()

# Threads that wait asleep: on a busy machine spinning ones would make short tests long.
PASSIVE = {**os.environ, "OMP_WAIT_POLICY": "passive"}

needs_program = pytest.mark.skipif(
    not os.access(BINARY, os.X_OK), reason=f"no program at {BINARY}; build it or set DRAGOMAN_BINARY"
)

MODEL = """
model:
  encoder: {embedding_size: 12, hidden_size: 12}
  decoder: {embedding_size: 12, hidden_size: 16}
"""


def run(*arguments, code=0, stdin="", cwd=None):
    """Runs the program and checks its exit code; `stdin` may be bytes. Returns the process, with text output."""
    data = stdin if isinstance(stdin, bytes) else stdin.encode()
    command = [str(BINARY), *map(str, arguments)]
    process = subprocess.run(
        command, input=data, capture_output=True, cwd=cwd, check=False, timeout=60, env=PASSIVE
    )
    process.stdout = process.stdout.decode("utf-8")
    process.stderr = process.stderr.decode("utf-8")
    assert process.returncode == code, f"{command}: exit code {process.returncode}\n{process.stderr}"
    return process


def refused(*arguments, **options):
    """The one line that the program prints about a user's mistake."""
    process = run(*arguments, code=2, **options)
    lines = process.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("dragoman: "), process.stderr
    assert process.stdout == ""
    return lines[0]


def write_state(path, state):
    """A state.json with the checksum that the program expects."""
    text = json.dumps({**state, "checksum": "00000000"})
    checksum = f"{zlib.crc32(text.encode()):08x}"
    path.write_text(text.replace('"checksum": "00000000"', f'"checksum": "{checksum}"'), encoding="utf-8")


def lines_of(path):
    """Lines as the program counts them: ended by LF and by nothing else."""
    text = Path(path).read_bytes().decode("utf-8")
    assert text == "" or text.endswith("\n")
    return text.split("\n")[:-1]


def poison(model, word, to):
    """A copy of the model's weights with an embedding that no layer norm survives, of the piece that begins so."""
    data = bytearray((model / "model.safetensors").read_bytes())
    length = int.from_bytes(data[:8], "little")
    entry = json.loads(data[8 : 8 + length])["encoder.embedding"]
    pieces = json.loads((model / "tokenizer.json").read_text())["pieces"]
    row = 3 + next(i for i, piece in enumerate(pieces) if piece.startswith(word))
    width = entry["shape"][1]
    start = 8 + length + entry["data_offsets"][0] + 4 * row * width
    data[start : start + 4 * width] = struct.pack(f"<{width}f", *([3e38, -3e38] * width)[:width])
    to.write_bytes(data)
