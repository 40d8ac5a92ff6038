"""Compares the cells of pages with the data under the same name: web_cells.py ADDRESS VIEW...

Prints a line for each cell that differs, and the number of cells that were compared."""
import html
import json
import re
import sys
import urllib.request


def read(url):
    with urllib.request.urlopen(url) as answer:
        return answer.read().decode()


def text_of(markup):
    return html.unescape(re.sub(r"<[^>]*>", "", re.sub(r'<span class="b\d">[^<]*</span> ?', "", markup))).strip()


def same(shown, value):
    """Whether a cell shows a value of the data: numbers are rounded, and times lose their seconds."""
    if value is None:
        return shown in ("-", "unknown", "")
    if isinstance(value, (int, float)):
        if shown in ("yes", "no"):
            return value == (shown == "yes")
        number = re.match(r"[-+]?\d+(?:\.(\d+))?", shown.replace(",", ""))
        return bool(number) and abs(float(number[0]) - value) <= 0.5000001 * 10.0 ** -len(number[1] or "")
    if re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", value):
        return re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", shown) is not None  # of the configured zone
    return " ".join(shown.split()) == " ".join(value.split())


def compare(address, view):
    if view in ("grants", "sources"):
        return 0  # pages of several tables
    most = "limit=50" + ("&since=7d" if view in ("costs", "billed_credits") else "")
    data = json.loads(read(f"{address}/{view}.json?{most}"))
    if not data:
        return 0
    page = read(f"{address}/{view}?{most}&columns={','.join(data[0])}")
    heads = [text_of(h).replace(" ", "_") for h in re.findall(r'<th class="thn?" scope="col">(.*?)</th>', page, re.S)]
    rows = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.S) for row in re.findall(r"<tr>(.*?)</tr>", page, re.S)[1:]]
    if [len(row) for row in rows] != [len(heads)] * len(data):
        print(f"{view}: {len(rows)} rows of {len(heads)} columns for {len(data)} rows of data")
    for i, (row, want) in enumerate(zip(rows, data)):
        for name, cell in zip(heads, row):
            if not same(text_of(cell), want[name]):
                print(f"{view}, row {i}, {name}: {text_of(cell)!r} for {want[name]!r}")
    return len(rows) * len(heads)


print(sum(compare(sys.argv[1], view) for view in sys.argv[2:]), "cells")
