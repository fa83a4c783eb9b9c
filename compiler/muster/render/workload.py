"""Everything that a template needs to know about one run: what its pods are told, ask for and may do."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
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
    from collections.abc import Iterable, Mapping

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

# What only the cluster knows: where the pod runs, and as what.
_OF_THE_POD = [
    {"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}
    for name, path in (
        ("MUSTER_ADDRESS", "status.podIP"),
        ("MUSTER_ATTEMPT", "metadata.uid"),
        ("MUSTER_NODE", "spec.nodeName"),
    )
]


@cache
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


def workloads(setting: Setting, desired: Iterable[Mapping[str, Any]], runner: str) -> dict[str, Any]:
    """Return the input of a runner's template: what its runs share, and each run; JSON data."""
    launch = setting.spec.get("launch", {})
    shared = {
        "account": ACCOUNT,
        "command": ["/bin/sh", f"{MOUNT}/{NAME}"],
        "deadline": setting.deadline,
        "dns": setting.dns,
        "keyMount": _KEYS,
        "keySecret": launch.get("sshSecret"),
        "replaceWhenFailed": setting.minor >= (1, 29),
        "scratch": setting.defaults.scratch,
        "scriptMap": script_map(),
        "scriptMount": MOUNT,
        "sharedMemory": setting.defaults.shared_memory,
        "sshPort": launch.get("sshPort", 2222),
    }
    return {"shared": shared, "runs": [_run(setting, item, runner) for item in desired]}


def _run(setting: Setting, desired: Mapping[str, Any], runner: str) -> dict[str, Any]:
    name = name_of(desired)
    found: dict[str, Any] = {
        "meta": {
            "name": name,
            "namespace": setting.namespace,
            "annotations": {**_identity(desired), **common_annotations(desired["stage"], desired["wave"])},
            "labels": _labels(desired),
        },
        "selector": {SELECTOR: name},
        "slots": desired["measurement"]["ranksPerNode"],
    }
    pods = _job_pod if runner == "job" else _mpi_pods
    return {**found, **pods(setting, desired, name)}


def _job_pod(setting: Setting, desired: Mapping[str, Any], name: str) -> dict[str, Any]:
    measurement = desired["measurement"]
    several = len(desired["unit"]) > 1
    env = _environment(setting, desired)
    if several:
        hosts = [f"{name}-{index}.{name}" for index in range(len(desired["unit"]))]
        env |= _several(setting, desired, hosts, hosts[0], "id_ed25519")
    elif measurement["tool"] == "nccl-tests" and measurement["ranks"] > 1:
        env["MUSTER_MPI"] = "yes"
    mode = "index" if several else _MODES.get(measurement["tool"], "node")
    pod = _pod(setting, desired, mode, name, "test", env)
    return {"pod": {**pod, "key": several, "restart": "Never", "subdomain": name if several else None}}


def _mpi_pods(setting: Setting, desired: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the pods of an MPIJob. Keys, host names and Service are the operator's (v0.6)."""
    domain = f"{name}.{setting.namespace}.svc"
    hosts = [f"{name}-worker-{index}.{domain}" for index in range(len(desired["unit"]))]
    env = _environment(setting, desired)
    env |= _several(setting, desired, hosts, f"{name}-launcher.{domain}", "id_rsa")
    worker = _pod(setting, desired, "worker", name, "worker", env)
    worker["deadline"] = setting.deadline
    env = {key: value for key, value in env.items() if key not in _OF_GPUS}
    launcher = _pod(setting, desired, "launcher", name, "launcher", env)
    defaults = setting.defaults
    launcher |= _security(Rights.USER, defaults)
    launcher |= {
        "apart": None,
        "resources": {
            "limits": {"memory": f"{defaults.memory_limit_per_gpu}Gi"},
            "requests": {"cpu": str(defaults.cpu_per_gpu), "memory": f"{defaults.memory_per_gpu}Gi"},
        },
    }
    return {"pod": worker, "launcher": launcher}


def _pod(
    setting: Setting, desired: Mapping[str, Any], mode: str, name: str, role: str, env: Mapping[str, str]
) -> dict[str, Any]:
    measurement = desired["measurement"]
    pool = setting.spec["pools"][desired["pool"]]
    own = {SELECTOR: name, ROLE: role}
    return {
        "annotations": _identity(desired),
        "apart": own if len(desired["unit"]) > 1 else None,
        "args": [mode, *measurement["command"]],
        "deadline": None,
        "env": [{"name": key, "value": env[key]} for key in sorted(env)] + _OF_THE_POD,
        "image": measurement["image"],
        "key": False,
        "labels": {**_labels(desired), **own},
        "nodes": desired["unit"],
        "resources": _resources(measurement, pool, setting.defaults),
        "restart": None,
        "subdomain": None,
        "tolerations": pool["nodes"].get("tolerations", []),
        **_security(rights_of(measurement, pool), setting.defaults),
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


def _environment(setting: Setting, desired: Mapping[str, Any]) -> dict[str, str]:
    """Return what the pod script is told about the run, and the measurement's own environment."""
    measurement = desired["measurement"]
    software = measurement.get("software", {})
    locks = rights_of(measurement, setting.spec["pools"][desired["pool"]]) is Rights.LOCK
    return {
        **({"MUSTER_RUN_AS": str(setting.defaults.user)} if locks else {}),
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
