"""Everything that a template needs to know about one run: what its pods are told, ask for and may do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from muster.render.model import (
    ACCOUNT,
    DOMAIN,
    MANAGED,
    Defaults,
    common_annotations,
    parse_position,
)
from muster.render.naming import Claim, content_name, label_value, object_name, short_digest
from muster.render.script import MOUNT, NAME, script_text
from muster.render.security import Rights, container_rights, pod_rights, rights_of

if TYPE_CHECKING:
    from collections.abc import Mapping

SCRIPT_PREFIX = "muster-script"
SELECTOR = f"{DOMAIN}/object"
ROLE = f"{DOMAIN}/role"
KINDS = {"job": "Job", "mpijob": "MPIJob"}
TEMPLATES = {"job": "job.jsonnet", "mpijob": "mpijob.jsonnet"}
_KEYS = "/muster-ssh"
_SCRATCH = "/tmp"  # noqa: S108 - a volume of the pod
_MODES = {"dcgm": "dcgm", "preflight": "preflight"}


@dataclass(frozen=True, slots=True)
class Setting:
    """What all runs of a site share.

    Attributes:
        site: the site's name.
        spec: the resolved site spec.
        minor: the cluster's Kubernetes version, ``(1, 30)``.
        deadline: seconds from an object's creation to its end, queueing included.
        dns: namespace and port of the cluster's DNS.
        defaults: what pods ask for where the measurement does not say.
    """

    site: str
    spec: Mapping[str, Any]
    minor: tuple[int, int]
    deadline: int
    dns: Mapping[str, Any]
    defaults: Defaults = field(default_factory=Defaults)

    @property
    def namespace(self) -> str:
        """The namespace of every test."""
        return str(self.spec["delivery"]["namespace"])


# What only pods with GPUs are told.
_OF_GPUS = {"NVIDIA_DRIVER_CAPABILITIES", "MUSTER_RUN_AS"}


def script_map() -> str:
    """Return the name of the ConfigMap that holds the pod script."""
    return content_name(SCRIPT_PREFIX, script_text().encode())


def name_of(desired: Mapping[str, Any]) -> str:
    """Return the name of the object that runs a desired test."""
    return object_name(desired["test"], desired["unit"], desired["digest"])


def claim_of(desired: Mapping[str, Any], runner: str) -> Claim:
    """Return the name that a desired test asks for, to be checked against all others."""
    position = parse_position(desired.get("position"))
    return Claim(KINDS[runner], name_of(desired), len(desired["unit"]), desired["id"], position)


def workload(setting: Setting, desired: Mapping[str, Any], runner: str) -> dict[str, Any]:
    """Return the input of a runner's template for one desired test; JSON data."""
    name = name_of(desired)
    launch = setting.spec.get("launch", {})
    found: dict[str, Any] = {
        "meta": {
            "name": name,
            "namespace": setting.namespace,
            "annotations": {**_identity(desired), **common_annotations(desired["stage"], desired["wave"])},
            "labels": _labels(desired),
        },
        "deadline": setting.deadline,
        "dns": setting.dns,
        "replaceWhenFailed": setting.minor >= (1, 29),
        "slots": desired["measurement"]["ranksPerNode"],
        "sshPort": launch.get("sshPort", 2222),
        "secretMount": _KEYS,
    }
    if runner == "job":
        return {**found, "pod": _job_pod(setting, desired, name)}
    return {**found, **_mpi_pods(setting, desired, name)}


def _job_pod(setting: Setting, desired: Mapping[str, Any], name: str) -> dict[str, Any]:
    measurement = desired["measurement"]
    several = len(desired["unit"]) > 1
    mode = "index" if several else _MODES.get(measurement["tool"], "node")
    pod = {**_pod(setting, desired, mode, name, "test"), "restart": "Never"}
    if several:
        hosts = [f"{name}-{index}.{name}" for index in range(len(desired["unit"]))]
        pod["env"] |= _several(setting, desired, hosts, hosts[0], "id_ed25519")
        pod |= {"secret": setting.spec["launch"]["sshSecret"], "subdomain": name, "apart": True}
    elif measurement["tool"] == "nccl-tests" and measurement["ranks"] > 1:
        pod["env"]["MUSTER_MPI"] = "yes"
    return pod


def _mpi_pods(setting: Setting, desired: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the pods of an MPIJob. Keys, host names and Service are the operator's (v0.6)."""
    domain = f"{name}.{setting.namespace}.svc"
    hosts = [f"{name}-worker-{index}.{domain}" for index in range(len(desired["unit"]))]
    env = _several(setting, desired, hosts, f"{name}-launcher.{domain}", "id_rsa")
    worker = _pod(setting, desired, "worker", name, "worker")
    worker["env"] |= env
    worker |= {"deadline": setting.deadline, "apart": len(desired["unit"]) > 1}
    launcher = {
        **_pod(setting, desired, "launcher", name, "launcher"),
        **_security(Rights.USER, setting.defaults),
    }
    launcher["env"] = {key: value for key, value in worker["env"].items() if key not in _OF_GPUS}
    launcher["resources"] = {
        "limits": {"memory": f"{setting.defaults.memory_limit_per_gpu}Gi"},
        "requests": {
            "cpu": str(setting.defaults.cpu_per_gpu),
            "memory": f"{setting.defaults.memory_per_gpu}Gi",
        },
    }
    return {"pod": worker, "launcher": launcher}


def _pod(setting: Setting, desired: Mapping[str, Any], mode: str, name: str, role: str) -> dict[str, Any]:
    measurement = desired["measurement"]
    pool = setting.spec["pools"][desired["pool"]]
    rights = rights_of(measurement, pool)
    env = _environment(desired)
    if rights is Rights.LOCK:
        env["MUSTER_RUN_AS"] = str(setting.defaults.user)
    return {
        "account": ACCOUNT,
        "apart": False,
        "command": measurement["command"],
        "deadline": None,
        "env": env,
        "image": measurement["image"],
        "mode": mode,
        "nodes": desired["unit"],
        "podAnnotations": _identity(desired),
        "podLabels": {**_labels(desired), SELECTOR: name, ROLE: role},
        "resources": _resources(measurement, pool, setting.defaults),
        "restart": None,
        "roleKey": ROLE,
        "scratch": setting.defaults.scratch,
        "script": f"{MOUNT}/{NAME}",
        "scriptMap": script_map(),
        "scriptMount": MOUNT,
        "secret": None,
        "secretMount": _KEYS,
        "selectorKey": SELECTOR,
        "sharedMemory": setting.defaults.shared_memory,
        "subdomain": None,
        "tolerations": pool["nodes"].get("tolerations", []),
        **_security(rights, setting.defaults),
    }


def _security(rights: Rights, defaults: Defaults) -> dict[str, Any]:
    return {"containerRights": container_rights(rights), "podRights": pod_rights(rights, defaults.user)}


def _labels(desired: Mapping[str, Any]) -> dict[str, str]:
    values = {key: label_value(desired[key]) for key in ("site", "pool", "test", "scope")}
    return {
        **MANAGED,
        **{f"{DOMAIN}/{key}": value for key, value in values.items()},
        f"{DOMAIN}/digest": short_digest(desired["digest"]),
    }


def _identity(desired: Mapping[str, Any]) -> dict[str, str]:
    return {
        f"{DOMAIN}/id": desired["id"],
        f"{DOMAIN}/digest": desired["digest"],
        f"{DOMAIN}/unit": ",".join(desired["unit"]),
    }


def _environment(desired: Mapping[str, Any]) -> dict[str, str]:
    """Return what the pod script is told about the run, and the measurement's own environment."""
    measurement = desired["measurement"]
    software = measurement.get("software", {})
    return {
        "MUSTER_CUDA": software.get("cuda", ""),
        "MUSTER_DIGEST": desired["digest"],
        "MUSTER_DRIVER": software.get("driver", ""),
        "MUSTER_EXPORT": " ".join(sorted(measurement["env"])),
        "MUSTER_GPUS": str(measurement["hardware"]["gpusPerNode"]),
        "MUSTER_IMAGE": measurement["image"],
        "MUSTER_NCCL": software.get("nccl", ""),
        "MUSTER_POOL": desired["pool"],
        "MUSTER_PRODUCT": measurement["hardware"]["product"],
        "MUSTER_RANKS": str(measurement["ranks"]),
        "MUSTER_RANKS_PER_NODE": str(measurement["ranksPerNode"]),
        "MUSTER_ROUNDS": str(measurement["rounds"]),
        "MUSTER_ROUND_SECONDS": str(measurement["timeoutSeconds"]),
        "MUSTER_SCOPE": desired["scope"],
        "MUSTER_SITE": desired["site"],
        "MUSTER_TEST": desired["test"],
        "MUSTER_UNIT": " ".join(desired["unit"]),
        "NVIDIA_DRIVER_CAPABILITIES": "compute,utility",
        "TMPDIR": _SCRATCH,
        **measurement["env"],
    }


def _several(
    setting: Setting, desired: Mapping[str, Any], hosts: list[str], head: str, key: str
) -> dict[str, str]:
    """Return what pods need to know to find and trust each other."""
    fabric = setting.spec["pools"][desired["pool"]].get("fabric", {})
    return {
        "MUSTER_HEAD": head,
        "MUSTER_HOSTS": " ".join(hosts),
        "MUSTER_INTERFACE": fabric.get("controlInterface", "eth0"),
        "MUSTER_LOST_SECONDS": str(setting.defaults.lost_seconds),
        "MUSTER_POLL_SECONDS": "5",
        "MUSTER_SSH_DIR": _KEYS,
        "MUSTER_SSH_KEY": key,
        "MUSTER_SSH_PORT": str(setting.spec.get("launch", {}).get("sshPort", 2222)),
        "MUSTER_WAIT_SECONDS": str(min(setting.defaults.wait_seconds, setting.deadline)),
    }


def _resources(
    measurement: Mapping[str, Any], pool: Mapping[str, Any], defaults: Defaults
) -> dict[str, dict[str, str]]:
    """Return requests and limits: devices the same in both, memory bounded, cores never."""
    devices = dict(measurement["resources"])
    gpus = int(devices.get(pool["gpu"].get("resource", "nvidia.com/gpu"), "0"))
    cores = {"cpu": str(max(1, gpus * defaults.cpu_per_gpu))}
    memory = {"memory": f"{(gpus + 1) * defaults.memory_per_gpu}Gi"}
    most = {"memory": f"{(gpus + 1) * defaults.memory_limit_per_gpu}Gi"}
    return {"limits": {**most, **devices}, "requests": {**cores, **memory, **devices}}
