"""Codes of the rendering of Kubernetes objects (MU500-MU549)."""

from __future__ import annotations

from muster.diagnostics.registry import Code

CODES = (
    Code(
        "MU500",
        "Two runs get one object name",
        """An object's name is a readable prefix and the first ten hex digits of the measurement
digest. Two runs with the same name would be one object in the cluster: one of them would never run.
That happens when two tests of a site measure the same thing, or by a collision of digests.""",
        hint="Remove one of the tests, or change what one of them measures (a parameter, its campaign).",
    ),
    Code(
        "MU501",
        "A derived name does not fit",
        """Kubernetes derives names from an object's name: a Job's pods carry an index and five
random characters, an MPIJob makes `-launcher` and `-worker-N`, a host name is a DNS label of at
most 63 characters. One of them would be cut or refused, far from the line that caused it.""",
        hint="Shorten the name, or cover fewer nodes with one run.",
    ),
    Code(
        "MU502",
        "Template cannot be evaluated",
        """A Jsonnet template failed. The message names the template's line; the position is the
test that was being rendered. The templates belong to muster: please report it.""",
        hint="Report this message together with the site file.",
    ),
    Code(
        "MU503",
        "Number is too large for a template",
        """Numbers in Jsonnet are doubles: a whole number above 2^53 would lose digits without a
word. Sizes travel to templates as text; a plain number of that size is refused.""",
        hint="Write the value as text.",
    ),
    Code(
        "MU504",
        "Several nodes need the Secret of an SSH key",
        """A test over several nodes on plain Jobs starts an sshd of the image in every pod. Its key
comes from a Secret that the site names; muster never makes or stores key material.""",
        hint="Name a Secret with id_ed25519, id_ed25519.pub and authorized_keys in spec.launch.sshSecret.",
    ),
    Code(
        "MU505",
        "Plan and pod script do not belong together",
        """The measurement names the digest of another script than the one that would be shipped:
the name of the object and the evidence would not tell what ran.""",
        hint="Compile plan and manifests with one version of muster.",
    ),
    Code(
        "MU506",
        "Text holds a dollar sign with a brace",
        """Flux replaces such text (`postBuild`) in everything it applies, inside embedded scripts
too, and its escape is not dependable. Nothing that muster renders may hold it.""",
        hint="Write the variable without braces.",
    ),
    Code(
        "MU507",
        "Text would be expanded by Kubernetes",
        """Kubernetes replaces `$(NAME)` in the environment, command and arguments of a container.
What the pod gets would not be what the measurement says.""",
        hint="Write the value without a dollar sign before a bracket.",
    ),
    Code(
        "MU508",
        "A test names a runner that muster cannot render",
        """Only plain Jobs (`job`) and MPIJobs of the MPI operator (`mpijob`) are rendered.""",
        hint="Set the test's runner to job or mpijob.",
    ),
    Code(
        "MU509",
        "No test is desired",
        """The site's plan is empty: its manifests would test nothing and prove nothing.""",
        severity="warning",
        hint="Switch a test on, or remove the site.",
    ),
    Code(
        "MU510",
        "Privileged container",
        """A privileged container owns the node: it can change what it measures and everything
beside it.""",
    ),
    Code(
        "MU511",
        "Pod shares a namespace with its node",
        """hostNetwork, hostPID and hostIPC let a pod reach what belongs to the node and to other
pods.""",
    ),
    Code(
        "MU512",
        "Pod mounts a path of its node",
        """A hostPath volume reads or writes the node's own files. Devices come from a device
plugin.""",
    ),
    Code(
        "MU513",
        "Image without a digest",
        """A tag can be moved to other content. Evidence is bound to the content that ran.""",
        hint="Pin the image: repository@sha256:...",
    ),
    Code(
        "MU514",
        "Container without limits",
        """A container without a memory limit, or with a device requested but not limited, can take
what the node's other work needs.""",
    ),
    Code(
        "MU515",
        "Work without a deadline",
        """What takes GPUs must end by itself, queueing included.""",
    ),
    Code(
        "MU516",
        "Object deletes itself after it finished",
        """A finished Job that is deleted by its TTL is created again by self-heal: the test would
run for ever, and its logs would be gone before they are collected.""",
    ),
    Code(
        "MU517",
        "Object is a hook",
        """A hook is not part of the desired state: it is not compared, not pruned, and its deletion
policy takes the logs away.""",
    ),
    Code(
        "MU518",
        "Something is downloaded at run time",
        """What a pod downloads when it starts is in no digest: two runs of one measurement would
not be the same, and a site without Internet would fail.""",
        hint="Put it into the image.",
    ),
    Code(
        "MU519",
        "Pod takes GPUs without naming its node",
        """Evidence belongs to named nodes. A pod that may run anywhere proves nothing about any of
them.""",
    ),
    Code(
        "MU520",
        "Container has more rights than the tests need",
        """Containers drop all capabilities and cannot gain privileges; only CAP_IPC_LOCK, with
SETUID and SETGID to hand it down to an ordinary user, may be added. No token of a ServiceAccount is
mounted.""",
    ),
    Code(
        "MU521",
        "Diagnosis at this level needs a maintenance window",
        """DCGM levels 3 and 4 stress power, memory and links for a long time.""",
        hint="Add a window and allow dcgm-level-3 or dcgm-level-4 under spec.maintenance.",
    ),
    Code(
        "MU530",
        "Monitoring is not rendered",
        """Monitors and rules are only written where the site says that the Prometheus operator runs
and by which labels Prometheus selects them: without the labels they would be ignored in silence.""",
        severity="info",
        hint="Give spec.cluster.prometheus and spec.cluster.components.prometheus-operator.",
    ),
    Code(
        "MU531",
        "No monitor for the DCGM exporter",
        """The site does not say where its DCGM exporter runs.""",
        severity="info",
        hint="Give spec.cluster.prometheus.dcgmExporter.",
    ),
    Code(
        "MU532",
        "No dashboard is rendered",
        """The site does not say which label Grafana's sidecar selects dashboards by.""",
        severity="info",
        hint="Give spec.cluster.prometheus.dashboards.",
    ),
    Code(
        "MU533",
        "Namespace admits more than restricted pods",
        """The namespace gets the least Pod Security level that admits its tests. The message names
the tests that need more than `restricted` and what they need: root for a hostengine of its own, or
CAP_IPC_LOCK to register memory for RDMA.""",
        severity="info",
        hint="Where the container runtime lifts the memlock limit, set fabric.ipcLock to false.",
    ),
    Code(
        "MU537",
        "Two sites deliver one object differently",
        """Two sites of one Argo CD write an object of the same name with different content: the one
applied last would win.""",
        hint="Give each site its own spec.delivery.project.",
    ),
)
