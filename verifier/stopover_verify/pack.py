"""A release as one file, NAME.odrz: a ZIP archive of its folder that can be written in one way only."""
import struct
import zipfile
import zlib

from stopover_verify.broken import require

TIME, DATE, FLAGS, MADE_BY = 0, 0x21, 0x0800, 3 << 8 | 20
MODE = 0o100644 << 16


def pack_bytes(files):
    """The archive of {name: bytes}: sorted, stored, 1980-01-01, without anything between the files."""
    parts, directory, at = [], [], 0
    for name in sorted(files, key=str.encode):
        data, path = files[name], name.encode()
        common = struct.pack("<HHHHIIIHH", FLAGS, 0, TIME, DATE, zlib.crc32(data), len(data), len(data), len(path), 0)
        parts += [struct.pack("<IH", 0x04034b50, 20), common, path, data]
        directory.append(struct.pack("<IHH", 0x02014b50, MADE_BY, 20) + common
                         + struct.pack("<HHHII", 0, 0, 0, MODE, at) + path)
        at += 30 + len(path) + len(data)
    listed = b"".join(directory)
    end = struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, len(files), len(files), len(listed), at, 0)
    return b"".join(parts) + listed + end


def unpack(path, place):
    """Writes the files of a pack to the folder `place`."""
    data = path.read_bytes()
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            names = [entry.filename for entry in entries]
            stored = all(entry.compress_type == zipfile.ZIP_STORED for entry in entries)
            require(names == sorted(set(names)) and stored, "the pack's files are not in order, once each, stored as they are")
            plain = all(name and not name.startswith("/") and ".." not in name.split("/") for name in names)
            require(plain, "the pack has a file with an odd name")
            files = {name: archive.read(name) for name in names}
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, UnicodeError, RuntimeError,
            ValueError, OverflowError) as problem:
        require(False, f"the pack is damaged: {problem}")
    require(pack_bytes(files) == data, "the pack holds more than its files, or tells of them in another way")
    for name, content in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
