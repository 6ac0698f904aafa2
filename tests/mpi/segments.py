"""Reads cells segments (docs/cells-format.md) without any of Kymo's code: the format's page, in Python."""

import struct

CHANNELS = 3


def channel_rows(path):
    """(pid, [(key, number, cells)]) of a segment's live and ended channels."""
    data = path.read_bytes()
    magic, major = struct.unpack_from("<8sH", data, 0)
    assert magic == b"KYMOCELL" and major == 1, path
    (pid,) = struct.unpack_from("<I", data, 24)
    rows = []
    for table in range(4):
        kind, row_bytes, _, cells, _, _, _, _, offset, used, refused = struct.unpack_from("<8IQII", data, 256 + 64 * table)
        if kind != CHANNELS:
            continue
        assert refused == 0, f"{refused} channels refused"
        for i in range(1, used):
            at = offset + i * row_bytes
            generation, number, *key = struct.unpack_from("<5Q", data, at)
            (state,) = struct.unpack_from("<I", data, at + 56)
            assert generation % 2 == 0
            if state in (1, 2):
                rows.append((tuple(key), number, struct.unpack_from(f"<{cells}Q", data, at + 128)))
    return pid, rows
