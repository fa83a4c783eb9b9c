"""What rights the pods of a test need, and the Pod Security level that admits them."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LEVELS = ("restricted", "baseline", "privileged")


class Rights(Enum):
    """Who a test runs as; the value says why, for messages."""

    USER = "an ordinary user without capabilities"
    ROOT = "root without capabilities, for a hostengine of its own"
    LOCK = "CAP_IPC_LOCK, to register memory for RDMA"

    @property
    def level(self) -> str:
        """The least Pod Security level that admits such a pod.

        ``baseline`` admits root and adds no capability but a few; CAP_IPC_LOCK is not among them.
        Source: https://kubernetes.io/docs/concepts/security/pod-security-standards/
        """
        return {Rights.USER: "restricted", Rights.ROOT: "baseline", Rights.LOCK: "privileged"}[self]


def rights_of(measurement: Mapping[str, Any], pool: Mapping[str, Any]) -> Rights:
    """Return the rights that the pods of a measurement need in a pool."""
    if measurement["tool"] == "dcgm":
        return Rights.ROOT
    fabric = pool.get("fabric")
    if fabric and fabric["resource"] in measurement["resources"] and fabric.get("ipcLock", True):
        return Rights.LOCK
    return Rights.USER


def level_of(needs: Iterable[Rights]) -> str:
    """Return the least level that admits all of them."""
    return max((need.level for need in needs), key=LEVELS.index, default=LEVELS[0])


def container_rights(rights: Rights) -> dict[str, Any]:
    """Return the securityContext of a container.

    A capability that is added for an ordinary user is lost at exec. So a pod that needs CAP_IPC_LOCK starts
    as root with nothing else than that and the two rights to become another user; the script then runs the
    tools as that user and hands the one capability down as an ambient one.
    """
    added = {"add": ["IPC_LOCK", "SETGID", "SETUID"]} if rights is Rights.LOCK else {}
    return {
        "allowPrivilegeEscalation": False,
        "capabilities": {**added, "drop": ["ALL"]},
        "readOnlyRootFilesystem": rights is not Rights.ROOT,
    }


def pod_rights(rights: Rights, user: int) -> dict[str, Any]:
    """Return the securityContext of a pod whose tools run as ``user``."""
    context: dict[str, Any] = {"fsGroup": user, "seccompProfile": {"type": "RuntimeDefault"}}
    if rights is Rights.USER:
        return {**context, "runAsGroup": user, "runAsNonRoot": True, "runAsUser": user}
    return {**context, "runAsGroup": 0, "runAsUser": 0}
