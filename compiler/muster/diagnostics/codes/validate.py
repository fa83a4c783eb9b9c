"""Codes of the validation of rendered objects (MU550-MU599)."""

from __future__ import annotations

from muster.diagnostics.registry import Code

CODES = (
    Code(
        "MU550",
        "No object was checked",
        """A check that looks at nothing proves nothing, so zero objects are a failure.""",
    ),
    Code(
        "MU551",
        "Kubernetes version without schemas",
        """Built-in kinds are checked against the OpenAPI of the site's own minor version, from the schemas that
the `kubernetes-validate` package carries. There are none for this version. A newer package may have them.""",
        hint="correct spec.cluster.kubernetes, or update kubernetes-validate",
    ),
    Code(
        "MU552",
        "Object without a kind",
        """Every Kubernetes object says `apiVersion` and `kind`.""",
    ),
    Code(
        "MU553",
        "Kind that nothing here can check",
        """The kind is not built into the site's Kubernetes version, no CRD of the site has it, and muster has no
schema of its own for it. An object that is checked against nothing is not emitted.""",
        hint="name the cluster's CRDs with spec.cluster.crds",
    ),
    Code(
        "MU554",
        "API version that the cluster does not serve",
        """The kind exists in the site's Kubernetes version or among its CRDs, but not in this API version: the
API server would refuse the object.""",
    ),
    Code(
        "MU555",
        "CRD that accepts anything",
        """The CRD preserves unknown fields where its spec should be, so that checking against it proves
nothing.""",
        hint="take the CRD from the release that the cluster runs",
    ),
    Code(
        "MU556",
        "CRD that cannot be used",
        """The CRD is no `apiextensions.k8s.io/v1` CustomResourceDefinition with a structural schema.""",
        hint="take the CRD from the release that the cluster runs",
    ),
    Code(
        "MU560",
        "Field that does not exist",
        """The API server would drop the field silently, or refuse the object under strict validation.""",
    ),
    Code(
        "MU561",
        "Value that the API server would refuse",
        """A required field is missing, or a value is of the wrong type or out of range.""",
    ),
    Code(
        "MU562",
        "Name that Kubernetes does not accept",
        """Names of objects are lower-case letters, digits, `-` and, for most kinds, `.`; at most 253 characters,
63 for Jobs, Services and namespaces, 52 for CronJobs.""",
    ),
    Code(
        "MU563",
        "Label or annotation that Kubernetes does not accept",
        """Keys are an optional DNS prefix and a name of at most 63 characters; label values are empty or at most 63
letters, digits, `-`, `_` and `.`, with a letter or digit at both ends.""",
    ),
    Code(
        "MU564",
        "Namespace missing or misplaced",
        """An object without its namespace lands in whatever namespace the delivery engine happens to use.
Cluster-scoped objects have none.""",
    ),
    Code(
        "MU565",
        "Object emitted twice",
        """Two objects of a site have the same kind, namespace and name: one would overwrite the other.""",
    ),
    Code(
        "MU566",
        "Field that only a running cluster may set",
        """`status`, `uid`, `resourceVersion` and the like come from a live object. In Git they make every sync a
conflict.""",
    ),
    Code(
        "MU567",
        "Pod that does not fit together",
        """Containers, volumes and mounts of a pod refer to each other by name; the API server refuses names that
are doubled, malformed or lead nowhere.""",
    ),
    Code(
        "MU568",
        "Object that is too large",
        """The API server takes at most 1 MiB of data in a ConfigMap or Secret and 256 KiB of annotations.""",
    ),
)
