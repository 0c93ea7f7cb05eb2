"""Messages: one line each, however long the names are that they tell of."""

from __future__ import annotations

import pickle

from htcq.errors import InputError


def test_a_message_is_as_it_was_written() -> None:
    error = InputError("x" * 800, "a hint")

    assert (str(error), error.hint) == ("x" * 800, "a hint")


def test_of_a_name_of_thousands_of_letters_the_beginning_and_the_end_are_told() -> None:
    error = InputError(f"node.json: 'begin{'x' * 10_000}end' is unknown", f"not {'y' * 10_000}!")

    assert len(str(error)) < 800
    assert str(error).startswith("node.json: 'beginxxx")
    assert str(error).endswith("xxxend' is unknown")
    assert len(error.hint) < 800


def test_an_error_of_another_process_says_the_same() -> None:
    error = pickle.loads(pickle.dumps(InputError("x" * 5000, "a hint")))

    assert (str(error), error.hint) == (str(InputError("x" * 5000)), "a hint")
