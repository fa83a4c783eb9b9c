"""Codes of finding a compile's inputs beside the site file."""

from muster.diagnostics.registry import Code

CODES = (
    Code(
        "MU231",
        "the cluster's CRDs cannot be read",
        "`spec.cluster.crds` names a folder beside the site file with the CustomResourceDefinitions of the cluster,"
        " one or more per file. Custom objects are checked against them, so a folder without any would check nothing.",
        hint="export them: kubectl get crd NAME -o yaml > FOLDER/NAME.yaml",
    ),
)
