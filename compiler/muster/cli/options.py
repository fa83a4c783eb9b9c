"""Options that several commands share, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")

FORMATS = ("text", "json", "markdown", "github", "sarif", "junit")


def sites_argument(function: F) -> F:
    """Take names of sites or paths of site files; none means all of ``sites/``."""
    return click.argument("sites", nargs=-1, shell_complete=_site_names)(function)


def _site_names(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete names of sites, and files as the shell does."""
    from muster.site.names import label_problem

    folder = Path(ctx.params.get("repository") or ".") / "sites"
    names = sorted(path.stem for path in folder.glob("*.y*ml") if not label_problem(path.stem))
    found = [CompletionItem(name) for name in names if name.startswith(incomplete)]
    return found or [CompletionItem(incomplete, type="file")]


def repository_option(function: F) -> F:
    """Take the GitOps repository: the folder with sites/, policies/ and generated/."""
    return click.option(
        "--repository",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        default=Path(),
        help="Folder with sites/, policies/ and generated/ (default: here).",
    )(function)


def output_option(function: F) -> F:
    """Take the folder of compiled output."""
    return click.option(
        "--output",
        type=click.Path(file_okay=False, path_type=Path),
        default=None,
        help="Folder of the compiled output (default: generated/ of the repository).",
    )(function)


def format_option(*choices: str) -> Callable[[F], F]:
    """Take an output format."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(choices or FORMATS),
        default="text",
        show_default=True,
        help="Format of what goes to standard output.",
    )


def archive_option(function: F) -> F:
    """Take the URL or folder of the evidence archive."""
    return click.option(
        "--archive",
        default="archive",
        show_default=True,
        envvar="MUSTER_ARCHIVE",
        help="Archive of evidence: a folder, or s3://, gs://, az://.",
    )(function)


def as_of_option(function: F) -> F:
    """Take the moment that validity and waivers are judged at."""
    return click.option(
        "--as-of",
        default=None,
        help="Judge validity and waivers at this date or RFC 3339 time (default: now).",
    )(function)
