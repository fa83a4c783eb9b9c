"""Codes of the command line itself."""

from muster.diagnostics.registry import Code

CODES = (
    Code(
        "MU001",
        "no site is found",
        "A command over zero sites would succeed and say nothing. Sites are `sites/*.yaml` of the repository"
        " (`--repository`, by default the working directory), or the files and names given as arguments.",
        hint="give site names or files, or run in a repository that has sites/",
    ),
    Code(
        "MU002",
        "an argument cannot be used",
        "The value of an option or argument is outside its grammar, or contradicts another one.",
    ),
    Code(
        "MU003",
        "two site files have one name",
        "Output, archive and reports are keyed by the site's name.",
        hint="rename one of them",
    ),
    Code(
        "MU004",
        "nothing is known by that name",
        "`muster explain` knows codes, catalog tests, profiles, names of generated objects and ids of desired tests.",
    ),
    Code(
        "MU005",
        "a plan cannot be read",
        "Evidence is bound to, and judged by, `generated/<site>/plan.json`. It is written by `muster compile` only.",
        hint="run `muster compile`",
    ),
)
