"""From desired tests to Kubernetes objects: names, templates, the pod script, a last look at safety. Pure."""

from muster.render.model import Defaults, RenderedObject, RenderedSite
from muster.render.naming import label_value, object_name, short_digest
from muster.render.script import script_digest, script_text
from muster.render.site import render_site

__all__ = [
    "Defaults",
    "RenderedObject",
    "RenderedSite",
    "label_value",
    "object_name",
    "render_site",
    "script_digest",
    "script_text",
    "short_digest",
]
