"""Makes the mutants of a source: small changes of its syntax, each with a name that survives other changes."""
import collections
import glob
import hashlib
import re

Mutant = collections.namedtuple("Mutant", "id file first line function op start end text old")
Token = collections.namedtuple("Token", "kind text start end")

TOKEN_C = re.compile(r"""(?P<skip>\s+|/\*.*?\*/|//[^\n]*)|(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<number>\.?\d(?:[eE][+-]|[\w.])*)|(?P<name>[A-Za-z_]\w*)
    |(?P<sign><<=|>>=|->|\+\+|--|&&|\|\||[<>=!+\-*/%&|^]=|<<|>>|.)""", re.S | re.X)
TOKEN_SQL = re.compile(r"""(?P<skip>\s+|--[^\n]*)|(?P<text>'(?:''|[^'])*')|(?P<param>\$\w+\#?\??)
    |(?P<number>\.?\d[\w.]*)|(?P<name>[A-Za-z_]\w*)|(?P<sign><>|[<>!]=|\|\||.)""", re.S | re.X)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
NUMERIC = re.compile(r"^[ \t]*#[ \t]*define[ \t]+([A-Z][A-Z0-9_]*)[ \t]+([^\n]+)$", re.M)

NEXT_TO = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
NOT = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "==", "=": "<>", "<>": "="}
SWAP = {"+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}
STEP = {"++": "--", "--": "++"}
ASSIGN = {"=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>="}
PAIRS = {"(": ")", "[": "]", "{": "}", "CASE": "END"}
ENDS = ASSIGN | {",", ";", "?", ":", "return"} | {"AND", "OR", "WHERE", "ON", "WHEN", "THEN", "ELSE", "HAVING", "SELECT", "GROUP",
        "ORDER", "LIMIT", "UNION", "RETURNING", "JOIN", "LEFT", "FROM", "SET", "AS", "DO"} - {"="}
SQL_ENDS = ENDS - ASSIGN
ALLOCATES = {"arena_alloc", "xcalloc", "xmalloc", "xrealloc"}
LENGTH = re.compile(r"\b(?:n|n_\w+|ARRAY_LEN \( .* \))$")
FREES = re.compile(r"(^|_)(free|done)$")  # what is not given back shows in the sanitizer, in no test


class Source:
    def __init__(self, file, text, numeric=frozenset()):
        self.file, self.text, self.numeric = file, text, numeric
        self.sql = file.endswith(".sql")
        self.ends = SQL_ENDS if self.sql else ENDS | {"="}
        plain = text if self.sql else DIRECTIVE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
        self.t = [Token(m.lastgroup, m.group(), m.start(), m.end())
                  for m in (TOKEN_SQL if self.sql else TOKEN_C).finditer(plain) if m.lastgroup != "skip"]
        self.t.append(Token("end", "", len(text), len(text)))
        self.pair, self.within, self.out, self.seen, self.code = {}, [], [], {}, False
        opened, between = [], False
        for i, t in enumerate(self.t):
            self.within.append(opened[-1] if opened else -1)
            if self.sql and t.text in ("BETWEEN", "AND"):
                if between and t.text == "AND":  # belongs to it, and joins nothing
                    self.t[i] = t._replace(kind="text")
                between = t.text == "BETWEEN"
            if t.kind != "text" and t.text in PAIRS:
                opened.append(i)
            elif opened and t.kind != "text" and t.text == PAIRS[self.t[opened[-1]].text]:
                self.pair[i] = opened[-1]
                self.pair[opened.pop()] = i

    def is_(self, i, *texts):
        return 0 <= i < len(self.t) and self.t[i].kind != "text" and self.t[i].text in texts

    def words(self, i, j):
        return [t.text for t in self.t[i:j]]

    def raw(self, i, j):
        return self.text[self.t[i].start:self.t[j - 1].end]

    def spaced(self, i):
        """the formatter puts spaces around operators of two operands only"""
        return self.text[self.t[i].start - 1] in " \n\t" and self.text[self.t[i].end] in " \n\t"

    def top(self, i, j):
        """the places from i to j that are in no brackets of their own"""
        while i < j:
            yield i
            i = self.pair[i] + 1 if self.pair.get(i, -1) > i else i + 1

    def is_size(self, i):
        """of allocated memory: too much changes nothing, too little shows in the sanitizer"""
        o = self.within[i]
        while o > 0 and self.is_(o, "(") and self.t[o - 1].text not in ALLOCATES:
            o = self.within[o]
        return o > 0 and self.is_(o, "(")

    def is_end_of_list(self, i):
        """the < of for (...; i < n; ...) v[i]: with <= it reads behind the list, which shows in the sanitizer"""
        o = self.within[i]
        if not (self.is_(o - 1, "for") and self.is_(i - 2, ";", "&&") and self.t[i - 1].kind == "name"):
            return False
        j = self.right(i + 1, {";", "&&", "||"})
        k = self.pair[o] + 1
        end = self.pair[k] if self.is_(k, "{") else next((x for x in self.top(k, len(self.t)) if self.is_(x, ";", "}")), k)
        return bool(LENGTH.search(" ".join(self.words(i + 1, j)))) and \
            any(self.is_(x, "[") and self.is_(x + 1, self.t[i - 1].text) and self.is_(x + 2, "]") for x in range(j, end))

    def is_larger(self, i):
        """of a > b ? a : b, or if (a > b) b = a; or the same in SQL: the larger of two that are equal is either"""
        ends = self.ends | {"&&", "||", "AND", "OR", "WHEN", "THEN"}
        a, c = self.left(i, ends), self.right(i + 1, ends)
        both = {self.raw(a, i), self.raw(i + 1, c)}
        if self.is_(c, "?", "THEN") and self.is_(a - 1, "=", "(", "return", ",", "WHEN"):
            d = self.right(c + 1, self.ends | {"ELSE"})
            e = self.right(d + 1, self.ends - {":"})
            return self.is_(d, ":", "ELSE") and {self.raw(c + 1, d), self.raw(d + 1, e)} == both
        if self.is_(a - 2, "if") and self.pair.get(a - 1) == c:
            d = self.right(c + 1, self.ends)
            return self.is_(d, "=") and {self.raw(c + 1, d), self.raw(d + 1, self.right(d + 1, {";"}))} == both
        return False

    def put(self, op, i, j, text):
        if not self.sql and (self.is_size(i) or op == "boundary" and text == "<=" and self.is_end_of_list(i)) or \
                op == "boundary" and self.is_larger(i) or \
                op == "constant" and FREES.search(self.function):
            return
        old = self.raw(i, j)
        text += "\n" * (old.count("\n") - text.count("\n"))
        begin, end = self.range
        near = [" ".join(self.words(a, b)) for a, b in ((max(i - 5, begin), i), (i, j), (j, min(j + 5, end)))] + [text]
        key = hashlib.sha256("\0".join([self.function, op] + near).encode()).hexdigest()[:6]
        name = f"{self.file}:{self.function}:{op}:{key}"
        self.seen[name] = self.seen.get(name, 0) + 1
        if self.seen[name] > 1:
            name += f".{self.seen[name]}"
        k = self.value(i)
        while self.code and not self.begins(k) and not self.is_(k - 1, ";", "{", "}"):
            k -= 1
        if k != i and "static" in self.words(self.declaration(k), k):
            k = begin  # a table, which has no line that runs
        first = self.line(k) if self.code else 0  # of the statement; 0: of data, outside of functions
        self.out.append(Mutant(name, self.file, first, self.line(i), self.function, op, self.t[i].start, self.t[j - 1].end, text, old))

    def value(self, i):
        """the brace of the value in braces, over several lines perhaps, that i is in; i: it is in none"""
        k, o = i, self.within[i]
        while o > 0 and not self.sql:
            q = self.pair.get(o - 1, 0) - 1 if self.is_(o - 1, ")") else 0
            if self.is_(o, "{"):
                if not (self.is_(o - 1, "=", ",", "(", "{") or q > 0 and (self.t[q].kind != "name" or self.is_(q, "return"))):
                    break
                k = o
            o = self.within[o]
        return k

    def declaration(self, i):
        """where the declaration of i begins, of a struct { } perhaps"""
        while i > 0 and not self.is_(i - 1, ";", "{"):
            i = self.pair[i - 1] if self.is_(i - 1, "}") else i - 1
        return i

    def line(self, i):
        return self.text.count("\n", 0, self.t[i].start) + 1

    def left(self, i, ends):
        """where the operand that ends before i begins"""
        while i > 0 and not self.is_(i - 1, *ends, *PAIRS):
            i = self.pair[i - 1] if self.pair.get(i - 1, i) < i - 1 else i - 1
        return i

    def right(self, i, ends):
        """behind the operand that begins at i"""
        for k in self.top(i, len(self.t)):
            if self.is_(k, *ends, *PAIRS.values()) or self.t[k].kind == "end":
                return k
        return len(self.t) - 1

    # ---- of both languages

    def chain(self, i, both, either):
        """an operand of AND or OR, taken out of the sentence"""
        ends = self.ends | {both, either} if self.t[i].text == both else self.ends - {both} | {either}
        operands = [(i + 1, self.right(i + 1, ends))]
        a = self.left(i, ends)
        if not self.is_(a - 1, self.t[i].text):
            operands.insert(0, (a, i))
        for a, b in operands:
            keep = (f"(1 OR {self.raw(a, b)})", f"(0 AND {self.raw(a, b)})") if self.sql else ("1", "0")
            self.put("operand", a, b, keep[self.t[i].text == either])

    def no_figure(self, i):
        """what EXISTS selects, and how much room is made: cap = cap ? cap * 2 : 16, xcalloc(1, ...)"""
        if self.sql:
            return self.is_(i - 1, "SELECT") and self.is_(i - 3, "EXISTS")
        if self.is_(i - 2, "xcalloc"):
            return True
        k = i - 1 if self.is_(i - 1, "*") else i - 3 if self.is_(i - 1, ":") and self.is_(i - 3, "*") else 0
        return self.is_(k - 1, "cap", "room")

    def number(self, i):
        t = self.t[i]
        if self.no_figure(i):
            return
        m = re.fullmatch(r"(\d+)([uUlL]*)", t.text)
        if t.kind == "name":
            if not self.sql and t.text in self.numeric and not (self.is_(i - 1, "[") and self.is_(i + 1, "]")):
                self.put("constant", i, i + 1, f"({t.text} + 1)")
        elif m and not (self.is_(i - 1, "{", "LIMIT") and not self.is_(i + 1, ",")) and \
                not (m[1] > "1" and self.is_(i - 1, "[") and self.is_(i + 1, "]")):
            n = int(m[1], 8 if m[1][0] == "0" and len(m[1]) > 1 else 10)
            self.put("constant", i, i + 1, ("0" if n == 1 else str(n + 1)) + m[2])

    def signs(self, i):
        t = self.t[i].text
        if self.t[i].kind != "sign":
            return
        if t in NEXT_TO:
            self.put("boundary", i, i + 1, NEXT_TO[t])
        if t in NOT and (t != "=" or self.sql):
            self.put("relation", i, i + 1, NOT[t])
        if t in SWAP and self.spaced(i) and not (self.sql and self.is_(i - 1, "SELECT")):
            self.put("arithmetic", i, i + 1, SWAP[t])

    # ---- C

    def simple(self, i, j):
        """is it negated by another operator already?"""
        inside = [k for k in self.top(i, j) if self.t[k].kind == "sign"]
        return not any(self.is_(k, "&&", "||") for k in inside) and \
            (self.is_(i, "!") or any(self.t[k].text in NOT for k in inside))

    def negate(self, i, j):
        if not self.simple(i, j):
            self.put("negation", i, j, f"!({self.raw(i, j)})")

    def c_token(self, i):
        t = self.t[i].text
        self.signs(i)
        self.number(i)
        if self.t[i].kind == "text":
            return
        if t in ("&&", "||"):
            self.put("logic", i, i + 1, "||" if t == "&&" else "&&")
            self.chain(i, "&&", "||")
        elif t == "!":
            self.put("not", i, i + 1, "")
        elif t in STEP:
            self.put("step", i, i + 1, STEP[t])
        elif t == "?":
            self.negate(self.left(i, self.ends), i)
        elif t in ("if", "while") and i + 1 in self.pair:
            self.negate(i + 2, self.pair[i + 1])
        elif t in ("break", "continue"):
            self.put("jump", i, i + 1, "continue" if t == "break" else "break")

    def begins(self, i):
        """does a statement begin here?"""
        if not self.is_(self.within[i], "{"):
            return False
        if self.is_(i - 1, ")"):  # of if, for, while, or of a macro that is a loop
            k = self.pair[i - 1] - 1
            return self.is_(k, "if", "for", "while", "switch") or re.fullmatch("[A-Z_]{4,}", self.t[k].text)
        if self.is_(i - 1, ":"):
            k = self.left(i - 1, {";", ":"})
            return self.is_(k, "case", "default")
        return self.is_(i - 1, ";", "{", "}", "else", "do")

    def statement(self, i, kind):
        if not (self.t[i].kind == "name" or self.is_(i, "*", "(", "++", "--")) or not self.begins(i):
            return
        j = next((k for k in self.top(i, len(self.t)) if self.is_(k, ";", "}") or self.t[k].kind == "end"), i)
        if not self.is_(j, ";"):
            return
        if self.is_(i, "if"):
            k = self.pair[i + 1] + 1
            if self.is_(k, "return", "continue", "break", "goto") and not self.is_(j + 1, "else"):
                self.put("guard", i, j + 1, ";")
        elif self.is_(i, "return"):
            self.result(i + 1, j, kind)
        elif not self.is_(i, "for", "while", "do", "switch", "case", "default", "goto", "break", "continue", "static", "const"):
            self.expression(i, j)

    def expression(self, i, j):
        if self.is_(i + 1, "(") and self.t[self.pair[i + 1] + 1].kind == "name" or self.is_(self.pair.get(i + 1, i) + 1, "{"):
            return  # a macro that is a loop
        called = next((k for k in self.top(i, j) if self.is_(k, "(")), None)
        if any(self.t[k].text in ASSIGN | set(STEP) for k in self.top(i, j)):
            declared = self.t[i].kind == "name" and (self.t[i + 1].kind == "name" or self.is_(i + 1, "*"))
            if not declared:
                self.put("statement", i, j, "")
        elif called and called > i and self.pair[called] == j - 1 and self.t[called - 1].kind == "name":
            declared = any(self.t[k].kind == "name" and self.t[k + 1].kind == "name" for k in range(i, called - 1))
            if not declared and not FREES.search(self.t[called - 1].text):
                self.put("statement", i, j, "")

    def result(self, i, j, kind):
        if i == j:
            return
        said = self.raw(i, j)
        if said in ("true", "false"):
            self.put("result", i, j, "false" if said == "true" else "true")
        elif kind == "error" and said != "E_OK":
            self.put("result", i, j, "E_OK")
        elif kind == "pointer" and said != "NULL":
            self.put("result", i, j, "NULL")
        elif kind == "bool" and not any(self.t[k].text in set(NOT) | {"&&", "||", "!"} for k in self.top(i, j)):
            self.put("result", i, j, "true")
            self.put("result", i, j, "false")

    def c(self):
        begin = 0
        for i in self.top(0, len(self.t)):
            if self.is_(i, ";"):
                begin = i + 1
            if not self.is_(i, "{") or i not in self.pair:
                continue
            kind = None
            if self.is_(i - 1, ")"):
                k = self.pair[i - 1]
                macro = self.t[k - 1].text.isupper()
                self.function = self.t[k + 1 if macro else k - 1].text
                before = self.words(begin, k - 1)
                kind = "pointer" if "*" in before else "bool" if "bool" in before else "error" if macro or "err_code" in before else ""
            else:
                names = [t.text for t in self.t[begin:i] if t.kind == "name"]
                self.function = names[-1] if names else "-"
                if names[:1] == ["struct"] and not self.is_(i - 1, "="):
                    continue
            self.range, self.code = (begin, self.pair[i]), kind is not None
            for k in range(i + 1, self.pair[i]):
                self.c_token(k)
                if kind is not None:
                    self.statement(k, kind)
            begin = self.pair[i] + 1
        return self.out

    # ---- SQL

    def sql_token(self, i):
        t, word = self.t[i].text, self.t[i].text.upper()
        if self.t[i].kind in ("text", "param"):
            return
        self.number(i)
        if t == "=" and self.is_(self.left(i, {",", "SET"}) - 1, ",", "SET") and self.assigns(i):
            self.put("statement", i + 1, self.right(i + 1, {",", "WHERE", "RETURNING", ";", "FROM"}), " " + self.t[i - 1].text)
        else:
            self.signs(i)
        if word in ("AND", "OR"):
            self.put("logic", i, i + 1, "OR" if word == "AND" else "AND")
            self.chain(i, "AND", "OR")
        elif word in ("WHERE", "HAVING", "ON") and not self.is_(i + 1, "CONFLICT"):
            j = self.right(i + 1, self.ends - {"AND", "OR"})
            if not any(self.is_(k, "AND", "OR") for k in self.top(i + 1, j)):
                self.put("operand", i + 1, j, f"(1 OR {self.raw(i + 1, j)})")
        elif word == "IS" and self.is_(i + 1, "NOT"):
            self.put("not", i, i + 2, "IS")
        elif word == "IS":
            self.put("not", i, i + 1, "IS NOT")
        elif word == "NOT" and not self.is_(i - 1, "IS"):
            self.put("not", i, i + 1, "")
        elif word in ("SUM", "MIN", "MAX") and self.is_(i + 1, "("):
            self.put("aggregate", i, i + 1, {"SUM": "MAX", "MIN": "MAX", "MAX": "MIN"}[word])
        elif word == "COALESCE" and self.is_(i + 1, "("):
            j = self.right(i + 2, {","})
            self.put("coalesce", i, self.pair[i + 1] + 1, f"({self.raw(i + 2, j)})")

    def assigns(self, i):
        """is it within the SET of an UPDATE?"""
        k = i
        while k > 0 and not self.is_(k, "SET", "WHERE", "SELECT", "FROM", "ON", ";", *PAIRS):
            k = self.pair[k] - 1 if self.pair.get(k, k + 1) < k else k - 1
        return self.is_(k, "SET")

    def queries(self):
        name = re.compile(r"^-- (?:name|cells): (\w+)", re.M)
        marks = [(m.end(), m[1]) for m in name.finditer(self.text)]
        if not marks:
            marks = [(0, re.sub(r".*/\d*_?|\.sql$", "", self.file))]
        marks.append((len(self.text), "-"))
        for (at, self.function), (until, _) in zip(marks, marks[1:]):
            inside = [i for i, t in enumerate(self.t) if at <= t.start < until]
            self.range = (inside[0], inside[-1] + 1) if inside else (0, 0)
            for i in inside:
                self.sql_token(i)
        return self.out


def numeric_names(texts):
    """macros that are numbers, or made of such"""
    defined = {m[1]: m[2] for text in texts for m in NUMERIC.finditer(text)}
    known = set()
    while True:
        more = {n for n, value in defined.items() if n not in known and
                all(w in known or w == "INT64_C" or w[0].isdigit() for w in re.findall(r"\w+", value.split("/*")[0])) and
                re.fullmatch(r"[\w\s()+*/<-]+", value.split("/*")[0])}
        if not more:
            return frozenset(known)
        known |= more


def mutants(files):
    """All mutants of these files of the tree one stands in."""
    texts = {}
    for name in sorted(set(glob.glob("*/*.[ch]")) | set(files)):
        with open(name, encoding="utf-8") as f:
            texts[name] = f.read()
    numeric = numeric_names(texts[n] for n in texts if n[-2:] in (".c", ".h"))
    out = []
    for name in files:
        s = Source(name, texts[name], numeric)
        out += s.queries() if s.sql else s.c()
    return out
