"""Long-form ads as text: what is found in them, and what is told of damage. Expected texts are written here by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htcq.classads import UNDEFINED
from htcq.pool.ad_lines import AdSchema, RawAd
from htcq.pool.adtext import Damage, blocks, read_ads
from htcq.pool.values import Interned

MACHINE = AdSchema(("cpus", "memory"), frozenset({"slotweight", "consumption*"}))
AD = (
    b'MyType = "Machine"\nCpus = 8\nMemory = 1024\nSlotWeight = Cpus\nConsumptionCpus = 1\n'
    b'Arch = "X86_64"\n'
)


def read(*chunks: bytes, untyped: bytes = b"") -> tuple[list[RawAd], Damage]:
    damage = Damage()
    return list(read_ads(chunks, {b"Machine": MACHINE}, damage, Interned(), untyped)), damage


def test_wanted_lines_are_found_and_the_others_passed_over() -> None:
    (found,), damage = read(AD)

    assert found == RawAd(
        b"Machine",
        [8, 1024],
        [b"8", b"1024"],
        ((b"SlotWeight", b"Cpus"), (b"ConsumptionCpus", b"1")),
    )
    assert damage.sentences() == ()


@pytest.mark.parametrize(
    "text", [AD.lower().replace(b'"machine"', b'"Machine"'), AD.replace(b"Cpus =", b"CPUS =")]
)
def test_names_of_attributes_are_found_in_any_case(text: bytes) -> None:
    (found,), _ = read(text)

    assert found.own == [8, 1024]
    assert [name.lower() for name, _ in found.shared] == [b"slotweight", b"consumptioncpus"]


@pytest.mark.parametrize("equals", [b"=", b" =", b"= ", b"  =  "])
def test_spaces_around_the_equals_sign_do_not_matter(equals: bytes) -> None:
    (found,), damage = read(AD.replace(b" = ", equals))

    assert found.own == [8, 1024]
    assert damage.sentences() == ()


def test_an_absent_attribute_is_undefined() -> None:
    (found,), _ = read(b'MyType = "Machine"\nCpus = 8\n')

    assert found.own == [8, UNDEFINED]


def test_the_last_of_equal_names_counts() -> None:
    (found,), _ = read(AD + b"cpus = 4\n")

    assert found.own == [4, 1024]


def test_windows_line_ends_are_line_ends() -> None:
    text = (AD + b"\n" + AD).replace(b"\n", b"\r\n")

    assert read(text)[0] == read(AD + b"\n" + AD)[0]
    assert [found.own for found in read(text)[0]] == [[8, 1024]] * 2


def test_any_number_of_blank_lines_stands_between_ads() -> None:
    found, damage = read(b"\n\n\n" + AD + b"\n\n\n\n\n" + AD + b"\n\n\n")

    assert len(found) == 2
    assert damage.sentences() == ()


@pytest.mark.parametrize("text", [b"", b"\n", b"\n\n\n\n\n", b"\r\n\r\n\r\n"])
def test_nothing_is_no_ad_and_no_damage(text: bytes) -> None:
    assert read(text) == ([], Damage())
    assert read(text, untyped=b"Machine") == ([], Damage())


def test_an_ad_that_the_end_cuts_is_left_out_and_told() -> None:
    """A cut line may be a shorter number that looks like a whole one."""
    found, damage = read(AD + b"\n" + AD + b"Memory = 10")

    assert len(found) == 1
    assert damage.sentences() == ("ends in the middle of an ad, which was left out",)


def test_lines_that_are_no_attributes_are_counted_and_the_first_is_told() -> None:
    (found,), damage = read(b"what is this?\n" + AD + b"0Cpus = 9\n<html>\n")

    assert found.own == [8, 1024]
    assert damage.sentences() == ("has 3 lines that are no attributes, the first: 'what is this?'",)


def test_only_the_beginning_of_a_long_line_is_told() -> None:
    _, damage = read(b"x" * 5000 + b"\n\n")

    assert damage.first == "x" * 60


def test_comments_and_headers_of_condor_q_are_no_damage() -> None:
    header = b"\n\n-- Schedd: access1 : <127.0.0.1:9618?addrs=127.0.0.1-9618> @ 11/21/26 10:00:00\n"
    found, damage = read(b"# a comment\n" + header + AD + header + b"\n" + AD + header)

    assert len(found) == 2
    assert damage.sentences() == ()


def test_headers_and_rubbish_are_no_ads_where_ads_may_lack_a_type() -> None:
    found, _ = read(b"-- Schedd: access1\n\nrubbish\n\nCpus = 8\n", untyped=b"Machine")

    assert [each.own for each in found] == [[8, UNDEFINED]]


def test_ads_without_a_type_are_counted() -> None:
    found, damage = read(b"Cpus = 8\n\n" + AD + b"\nArch = 1\n")

    assert len(found) == 1
    assert damage.sentences() == ()
    assert [(each.what, each.count) for each in damage.left_out.found()] == [("ad", 2)]


def test_ads_of_other_types_are_passed_over() -> None:
    assert read(b'MyType = "DaemonMaster"\nCpus = 8\n') == ([], Damage())


def test_an_ad_larger_than_any_is_given_up() -> None:
    """Rubbish without line ends must not fill the memory."""
    piece = b"x" * (16 * 1024 * 1024)
    found, damage = read(*[piece] * 3, b"\n\n", AD)

    assert len(found) == 1
    assert damage.too_long == 1


@pytest.mark.parametrize("size", range(1, 40))
def test_ads_are_the_same_however_the_text_is_cut(size: int) -> None:
    text = (AD + b"\n\n-- Schedd: x\n" + AD + b"\n").replace(b"\n", b"\r\n")
    pieces = [text[start : start + size] for start in range(0, len(text), size)]

    assert read(*pieces) == read(text)
    assert list(blocks(pieces, Damage())) == list(blocks([text], Damage()))


def test_names_that_need_quotes_are_never_found_and_do_no_harm() -> None:
    kind = AdSchema(("cpus",), frozenset({"é", "e", "a b", "x|y", "(", "slot weight*"}))

    assert [
        each.shared
        for each in read_ads([AD + b"e = 1\n"], {b"Machine": kind}, Damage(), Interned())
    ] == [((b"e", b"1"),)]


@pytest.mark.parametrize("letters", [64, 65, 1200, 20_000])
def test_a_name_of_any_length_is_found(letters: int) -> None:
    """Any user can put such a name into the Rank of a job, and every command looks for what expressions name."""
    name = "a" * letters
    kind = AdSchema(("cpus",), frozenset({name, f"{name}b", "memory"}))
    text = f'MyType = "Machine"\nCpus = 1\n{name} = 2\n{name}b = 3\n\n'.encode()
    (ad,) = read_ads([text], {b"Machine": kind}, Damage(), Interned())

    assert ad.own == [1]
    assert ad.shared == ((name.encode(), b"2"), (f"{name}b".encode(), b"3"))


_LINES = st.lists(
    st.sampled_from(
        [
            b"Cpus = 8", b"Cpus = 4", b"CPUS=  2", b"Memory = 1024", b"Memory =", b"Arch = 1", b"Arch = 2",
            b"SlotWeight = Cpus", b"SlotWeight = 1", b"slotweight  = 2", b"ConsumptionCpus = 1",
            b'MyType = "Machine"', b'MyType = "Other"', b"mytype = 5", b"# a comment = 1", b"what = is",
            b"what is this?", b"Cpus", b"0Cpus = 9", b" Cpus = 7", b"Cpus.x = 6", b"-- Schedd: x",
        ]
    ),
    max_size=6,
)  # fmt: skip


@given(st.lists(_LINES, max_size=12), st.sampled_from([b"", b"Machine"]))
def test_an_ad_is_the_same_whatever_was_read_before_it(
    ads: list[list[bytes]], untyped: bytes
) -> None:
    texts = [b"\n".join(lines) + b"\n\n" for lines in ads]
    alone = [read(text, untyped=untyped) for text in texts]

    found, damage = read(b"".join(texts), untyped=untyped)

    assert found == [ad for each, _ in alone for ad in each]
    assert damage.lines == sum(each.lines for _, each in alone)
    assert damage.first == next((each.first for _, each in alone if each.first), "")
    counts = [left.count for _, each in alone for left in each.left_out.found()]
    assert sum(left.count for left in damage.left_out.found()) == sum(counts)


def test_of_an_ad_like_the_last_one_only_what_differs_is_new() -> None:
    """The attributes that ads share stay one object: 500,000 slots have a few hundred sets."""
    (first, second, third), _ = read(
        b"\n".join([AD, AD.replace(b"= 8", b"= 4"), AD.replace(b"= Cpus", b"= 1")])
    )

    assert second.own == [4, 1024]
    assert second.shared is first.shared
    assert third.own == [8, 1024]
    assert third.shared == ((b"SlotWeight", b"1"), (b"ConsumptionCpus", b"1"))
