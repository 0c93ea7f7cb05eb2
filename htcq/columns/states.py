"""What a row of a column can be, as bits, so that a set of states is one number."""

from __future__ import annotations

UNDEFINED = 1
ERROR = 2
BOOLEAN = 4
INTEGER = 8
REAL = 16
STRING = 32
#: The row is left to the ClassAd library; it hides every other state that it meets.
UNKNOWN = 64
#: The ad lacks the attribute, so that another ad is asked; only in columns of tables.
ABSENT = 128

WHOLE = BOOLEAN | INTEGER
NUMBERS = WHOLE | REAL
EXCEPTIONS = UNDEFINED | ERROR | UNKNOWN
