"""The grammars of sizes, durations, figures, quantities, dates and versions.

Each refuses what is not exactly of its grammar with a ``UnitError`` that says what to write instead.
"""

from muster.site.units.dates import parse_date
from muster.site.units.durations import format_duration, parse_duration
from muster.site.units.errors import UnitError
from muster.site.units.percents import parse_percent
from muster.site.units.quantities import canonical_quantity
from muster.site.units.rates import METRICS, Rate, parse_rate
from muster.site.units.sizes import format_bytes, parse_bytes
from muster.site.units.versions import Version, parse_version

__all__ = [
    "METRICS",
    "Rate",
    "UnitError",
    "Version",
    "canonical_quantity",
    "format_bytes",
    "format_duration",
    "parse_bytes",
    "parse_date",
    "parse_duration",
    "parse_percent",
    "parse_rate",
    "parse_version",
]
