"""Check every object before it is emitted: schema of the site's own cluster, names, labels, namespaces."""

from muster.render.validate.builtin import known_minors
from muster.render.validate.checker import ValidationResult, validate_objects
from muster.render.validate.faults import Fault

__all__ = ["Fault", "ValidationResult", "known_minors", "validate_objects"]
