"""The one doorway to Jinja: strict, and a site's own templates come first.

A template lies below ``templates/``: in an installed distribution inside the package, in a checkout beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from htcq.errors import TemplateError

_PACKAGED = Path(__file__).parent / "templates"
_CHECKOUT = Path(__file__).parent.parent / "templates"


def template_directory() -> Path:
    """Return the directory of the templates that htcq brings along."""
    return _PACKAGED if _PACKAGED.is_dir() else _CHECKOUT


def render(name: str, values: Mapping[str, Any], site_directory: Path | None = None) -> str:
    """Return the template ``name`` filled with ``values``; a file of that name in ``site_directory`` replaces it.

    Raises:
        TemplateError: there is no such directory or template, it does not parse, or it uses an undefined variable.
    """
    if site_directory is not None and not site_directory.is_dir():
        raise TemplateError(f"templates: {site_directory} is not a directory", "give a directory that holds condor/")
    places = [str(each) for each in (site_directory, template_directory()) if each is not None]
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(places),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=name.endswith(".html.j2"),
    )
    try:
        return environment.get_template(name).render(values)
    except jinja2.TemplateSyntaxError as error:
        place = f"{error.filename or name}, line {error.lineno}"
        raise TemplateError(f"template {place}: {error.message}", "mend the template") from error
    except jinja2.UndefinedError as error:
        raise TemplateError(f"template {name}: {error.message}", "its opening comment lists its variables") from error
    except jinja2.TemplateNotFound as error:
        raise TemplateError(f"template {error.name} is not there", f"looked in {' and '.join(places)}") from error
    except UnicodeDecodeError as error:
        raise TemplateError(f"template {name} is not UTF-8 text", "save it as UTF-8") from error
    except (jinja2.TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise TemplateError(f"template {name} cannot be rendered: {error}", "mend the template") from error
