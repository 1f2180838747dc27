# SPDX-License-Identifier: MIT
"""What a PDF file holds that cairo wrote: its text, the names of embedded fonts, the sizes of pages and pictures. No PDF library is needed."""
import re
import zlib

OBJECT = re.compile(rb"(\d+) 0 obj\b(.*?)\bendobj", re.S)
STREAM = re.compile(rb"stream\r?\n")


class Pdf:
    def __init__(self, path):
        self.objects, self.streams = {}, {}
        for number, body in OBJECT.findall(path.read_bytes()):
            found = STREAM.search(body)
            self.objects[int(number)] = body[:found.start()] if found else body
            if found:
                data = body[found.end():]
                inflate = zlib.decompressobj()
                self.streams[int(number)] = inflate.decompress(data) if b"/FlateDecode" in body[:found.start()] else data
        for number in list(self.streams):  # newer cairos pack objects into streams
            head = self.objects[number]
            if b"/ObjStm" in head:
                first, n = (int(re.search(rb"/%s (\d+)" % key, head).group(1)) for key in (b"First", b"N"))
                numbers = [int(w) for w in self.streams[number][:first].split()]
                ends = [*numbers[3::2], len(self.streams[number]) - first]
                for i in range(n):
                    self.objects[numbers[2 * i]] = self.streams[number][first + numbers[2 * i + 1]:first + ends[i]]

    def page_size(self):
        """Width and height in points."""
        boxes = [re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", o) for o in self.objects.values()]
        return [tuple(float(v) for v in box.groups()) for box in boxes if box]

    def fonts(self):
        """Name of each font, and whether its program is in the file."""
        descriptors = [o for o in self.objects.values() if b"/FontDescriptor" in o and b"/FontName" in o]
        return {re.search(rb"/FontName\s*/([^\s/]+)", o).group(1).decode(): b"/FontFile" in o for o in descriptors}

    def images(self):
        """Widths and heights of pictures in pixels, the largest first."""
        sizes = [tuple(int(re.search(rb"/%s (\d+)" % key, o).group(1)) for key in (b"Width", b"Height"))
                 for o in self.objects.values() if b"/Subtype /Image" in o or b"/Subtype/Image" in o]
        return sorted(sizes, reverse=True)

    def text(self):
        """All that can be selected, in the order in which it was drawn."""
        return " ".join("".join(self.words(n)) for n in sorted(self.streams)
                        if b"/Image" not in self.objects[n] and re.search(rb"\bBT\b", self.streams[n]))

    def glyphs(self, font):
        """What the codes of a font mean."""
        found = re.search(rb"/ToUnicode (\d+) 0 R", self.objects[font])
        codes = {}
        for block in re.findall(rb"beginbfchar(.*?)endbfchar", self.streams[int(found.group(1))] if found else b"", re.S):
            for code, value in re.findall(rb"<(\w+)>\s*<(\w+)>", block):
                codes[code.lower()] = bytes.fromhex(value.decode()).decode("utf-16-be", "replace")
        for block in re.findall(rb"beginbfrange(.*?)endbfrange", self.streams[int(found.group(1))] if found else b"", re.S):
            for low, high, value in re.findall(rb"<(\w+)>\s*<(\w+)>\s*<(\w+)>", block):
                for i in range(int(low, 16), int(high, 16) + 1):
                    codes[b"%0*x" % (len(low), i)] = chr(int(value, 16) + i - int(low, 16))
        return codes

    def font_names(self):
        """What streams call the fonts, all of them: cairo's names are of the whole file."""
        names = {}
        for body in self.objects.values():
            names.update({name: int(number) for name, number in re.findall(rb"/(f-\d+-\d+)\s+(\d+) 0 R", body)})
        return names

    def words(self, number):
        names, codes = self.font_names(), {}
        token = re.compile(rb"/(f-\d+-\d+) [\d.-]+ Tf|<([0-9a-fA-F\s]*)>|\(((?:\\.|[^\\()])*)\)|\b(ET|Td|Tm|T\*)\b|(?<=[>)])\s*(-\d{3,}(?:\.\d+)?)\s*(?=[<(])", re.S)
        for font, digits, plain, end, gap in token.findall(self.streams[number]):
            if font:
                codes = self.glyphs(names[font]) if font in names else {}
            elif end or gap:
                yield " "
            else:
                raw = re.sub(rb"\s", b"", digits).lower() if not plain else unescape(plain).hex().encode()
                width = len(next(iter(codes), b"00"))
                for i in range(0, len(raw), width):
                    yield codes.get(raw[i:i + width], chr(int(raw[i:i + 2] or b"20", 16)) if plain else "")


def unescape(plain):
    def one(match):
        code = match.group(1)
        return bytes([int(code, 8) & 255]) if code[0] in b"01234567" else {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}.get(code, code)
    return re.sub(rb"\\([0-7]{1,3}|.)", one, plain, flags=re.S)
