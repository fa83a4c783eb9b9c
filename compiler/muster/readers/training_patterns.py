r"""How training frameworks print: one `Profile` for each, as data.

The fields are those of a LogProfile of NVCRE (``nvcre.nvidia.com/v1alpha1``): an event has a regular
expression with named groups, an example and the units of its times. Where NVCRE has one expression for a
whole step line, a step here has an anchor and one short expression for each field after it, in any order: a
field that a version adds or leaves out changes nothing.

A new framework is a new entry of `PROFILES`. An expression must be linear: a test refuses one that can start
to match again inside what it has matched (a repeat in a repeat, two unbounded repeats next to each other).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS = {"s": 1.0, "ms": 0.001, "us": 0.000_001}
_NUMBER = r"[-+0-9.eE]{1,24}|nan|NaN|inf|-inf"


@dataclass(frozen=True, slots=True)
class Event:
    """One kind of line.

    Attributes:
        needle: a literal part of every such line; looked for before the expression is tried.
        regex: searched in the line; named groups as in a LogProfile: ``iteration``, ``total``, ``step``,
            ``elapsedTime``, ``saveDuration``, ``loss``, ``tflops``, ``path``, ``timestamp``.
        example: a line it matches.
        unit: the unit of ``elapsedTime`` or ``saveDuration``.
    """

    needle: str
    regex: re.Pattern[str]
    example: str
    unit: str = "s"


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a step line, searched for after the anchor; ``unit`` is that of a time."""

    name: str
    regex: re.Pattern[str]
    unit: str = "s"


@dataclass(frozen=True, slots=True)
class Profile:
    """How one framework prints.

    Attributes:
        name: the name of the profile, becomes ``steps.framework``.
        anchor: starts a step, with the groups ``iteration`` and ``total``.
        fields: values of a step; the first that matches of a name counts.
        first: number of the first iteration of a fresh run.
        closing: literal text of the last field; a record without it goes on in the next line (wrapped).
        skips: whether steps say how many iterations were skipped; one that does not say it is not steady.
        refreshes: whether a step is printed again and again (a progress bar): the last print counts.
        events: lines of other kinds, by the names of a LogProfile (``applicationStart``,
            ``checkpointSave``, ``checkpointDone``, ``checkpointRestore``, ``checkpointLoaded``), and of ours:
            ``initTime`` and ``initialized`` (their difference is the start), ``trainingStart``,
            ``trainingStop``, ``saveTimer``, ``saveOff``, ``stepTime``, ``logInterval``, ``saveInterval``.
    """

    name: str
    anchor: Event
    fields: tuple[Field, ...]
    first: int = 1
    closing: str = ""
    skips: bool = False
    refreshes: bool = False
    events: Mapping[str, tuple[Event, ...]] = field(default_factory=dict)


def _event(needle: str, regex: str, example: str, unit: str = "s") -> Event:
    return Event(needle, re.compile(regex, re.ASCII), example, unit)


def _field(name: str, regex: str, unit: str = "s") -> Field:
    return Field(name, re.compile(regex.replace("NUMBER", _NUMBER), re.ASCII), unit)


_MEGATRON_EVENTS = {
    "applicationStart": (
        _event(
            "using world size: ",
            r"using world size: \d{1,9}, data-parallel",
            "using world size: 16, data-parallel size: 8",
        ),
    ),
    "initTime": (
        _event(
            "time to initialize megatron (seconds):",
            r"time to initialize megatron \(seconds\): (?P<elapsedTime>[0-9.]{1,16})",
            "time to initialize megatron (seconds): 21.250",
        ),
    ),
    "initialized": (
        _event(
            "[after megatron is initialized]",
            r"\[after megatron is initialized\]",
            "[after megatron is initialized] datetime: 2026-03-02 10:00:22",
        ),
    ),
    "trainingStart": (
        _event(
            "[before the start of training step]",
            r"\[before the start of training step\]",
            "[before the start of training step] datetime: 2026-03-02 10:00:31",
        ),
    ),
    "checkpointSave": (
        _event(
            "saving checkpoint at iteration",
            r"(?<!successfully )saving checkpoint at iteration +(?P<step>\d{1,12})",
            "saving checkpoint at iteration     200 to /ckpt in torch_dist format",
        ),
    ),
    "checkpointDone": (
        _event(
            "successfully saved checkpoint",
            r"successfully saved checkpoint (?:from|at) iteration +(?P<step>\d{1,12})",
            "  successfully saved checkpoint from iteration     200 to /ckpt [ t 1/1, p 1/1 ]",
        ),
        _event(
            "scheduled an async checkpoint save",
            r"scheduled an async checkpoint save at iteration +(?P<step>\d{1,12})",
            "scheduled an async checkpoint save at iteration     200 to /ckpt",
        ),
    ),
    "saveTimer": (
        _event(
            "save-checkpoint ..",
            r"save-checkpoint \.{2,64}: \((?:[0-9.]{1,16}), (?P<saveDuration>[0-9.]{1,16})\)",
            "    save-checkpoint ................................: (9120.11, 9121.40)",
            "ms",
        ),
        _event(
            "save-checkpoint ..",
            r"save-checkpoint \.{2,64}: (?P<saveDuration>[0-9.]{1,16})",
            "    save-checkpoint ................................: 9121.40",
            "ms",
        ),
    ),
    "checkpointRestore": (
        _event(
            "oading ",
            r"[Ll]oading (?:distributed )?checkpoint from ",
            " loading checkpoint from /ckpt at iteration 200",
        ),
    ),
    "checkpointLoaded": (
        _event(
            "successfully loaded checkpoint",
            r"successfully loaded checkpoint from .{0,400}? at iteration +(?P<step>\d{1,12})",
            "  successfully loaded checkpoint from /ckpt [ t 1/1, p 1/1 ] at iteration 200",
        ),
    ),
    "trainingStop": (
        _event(
            "[after training is done]",
            r"\[after training is done\]",
            "[after training is done] datetime: 2026-03-02 10:44:02",
        ),
        _event(
            "[exiting program at",
            r"\[exiting program (?:at iteration|after) (?P<step>\d{1,12})",
            "[exiting program at iteration 300] datetime: 2026-03-02 10:44:02",
        ),
        _event(
            "[exiting program after",
            r"\[exiting program after [0-9.]{1,16} minutes",
            "[exiting program after 30.2 minutes] datetime: 2026-03-02 10:44:02",
        ),
    ),
    "saveOff": (
        _event(
            " None", r"^ *save \.{3,80} None *$", "  save ............................................ None"
        ),
    ),
    "saveInterval": (
        _event(
            "save_interval ..",
            r"^ *save_interval \.{3,80} (?P<step>\d{1,12}) *$",
            "  save_interval ................................... 200",
        ),
    ),
    "logInterval": (
        _event(
            "log_interval ..",
            r"^ *log_interval \.{3,80} (?P<step>\d{1,9}) *$",
            "  log_interval .................................... 10",
        ),
    ),
    "stepTime": (
        _event(
            "Step Time : ",
            r"Step Time : (?P<elapsedTime>[0-9.]{1,16})s GPU utilization: "
            r"(?P<tflops>[0-9.]{1,16}) ?MODEL_TFLOP/s/GPU",
            "Step Time : 4.21s GPU utilization: 512.0MODEL_TFLOP/s/GPU",
        ),
    ),
}

MEGATRON = Profile(
    name="megatron",
    anchor=_event(
        "iteration ",
        r"(?<![\w-])(?<!, )iteration +(?P<iteration>\d{1,12})/ *(?P<total>\d{1,12}) *\|",
        " iteration        8/     300 | consumed samples: 512 | elapsed time per iteration (ms): 913.4 |",
    ),
    fields=(
        _field("elapsedTime", r"elapsed time per iteration \(ms\): *(?P<value>NUMBER) *(?:\||$)", "ms"),
        _field("elapsedTime", r"elapsed time per iteration \(s\): *(?P<value>NUMBER) *(?:\||$)", "s"),
        _field("tflops", r"throughput per GPU \(TFLOP/s/GPU\): *(?P<value>NUMBER) *(?:\||$)"),
        _field("tflops", r"\| *TFLOPs: *(?P<value>NUMBER) *(?:\||$)"),
        _field("loss", r"(?<![\w-] )(?<![\w-])lm loss: *(?P<value>NUMBER) *(?:\||$)"),
        _field("skipped", r"number of skipped iterations: *(?P<value>\d{1,9}) *(?:\||$)"),
        _field("nan", r"number of nan iterations: *(?P<value>\d{1,9}) *(?:\||$)"),
    ),
    closing="number of nan iterations:",
    skips=True,
    events=_MEGATRON_EVENTS,
)

_NEMO_EVENTS = {
    "checkpointSave": (
        _event(
            "Global Checkpoint Save",
            r"Global Checkpoint Save *: Rank: \d{1,9} : Iteration: (?P<step>\d{1,12}) : .{0,200}?"
            r"Save duration: (?P<saveDuration>[0-9.]{1,16})s",
            "Global Checkpoint Save : Rank: 0 : Iteration: 49 : Start time: 1.7e9s : Save duration: 0.412s",
        ),
    ),
    "checkpointDone": (
        _event(
            "uccessfully saved checkpoint",
            r"[Ss]uccessfully saved checkpoint from iteration +(?P<step>\d{1,12})",
            "Successfully saved checkpoint from iteration 49 to /results/step=49",
        ),
    ),
    "checkpointRestore": (
        _event(
            "Restoring model weights from",
            r"Restoring model weights from ",
            "Restoring model weights from /results/step=49",
        ),
    ),
    "trainingStop": (
        _event(
            "`Trainer.fit` stopped:",
            r"`Trainer\.fit` stopped: `max_steps=(?P<step>\d{1,12})` reached",
            "`Trainer.fit` stopped: `max_steps=100` reached.",
        ),
    ),
}

NEMO = Profile(
    name="nemo",
    anchor=_event(
        "Training epoch ",
        r"Training epoch (?P<epoch>\d{1,6}), iteration (?P<iteration>\d{1,12})/(?P<total>\d{1,12}) *\|",
        "Training epoch 0, iteration 7/99 | lr: 1e-06 | global_step: 7 | train_step_timing in s: 2.41 |",
    ),
    fields=(
        _field("elapsedTime", r"train_step_timing in s: *(?P<value>NUMBER) *(?:\||$)", "s"),
        _field("globalStep", r"global_step: *(?P<value>\d{1,12}) *(?:\||$)"),
        _field("tflops", r"TFLOPS_per_GPU: *(?P<value>NUMBER) *(?:\||$)"),
        _field("loss", r"reduced_train_loss: *(?P<value>NUMBER) *(?:\||$)"),
    ),
    first=0,
    events=_NEMO_EVENTS,
)

NEMO_BAR = Profile(
    name="nemo-progress-bar",
    anchor=_event(
        "Epoch ",
        r"Epoch (?P<epoch>\d{1,6}): .{0,300}?\| *(?P<iteration>\d{1,12})/(?P<total>\d{1,12}) \[",
        "Epoch 0: :   8%|8         | 8/100 [00:21<03:40, global_step=7.000, train_step_timing in s=2.41]",
    ),
    fields=(
        _field("elapsedTime", r"train_step_timing in s[=:] ?(?P<value>NUMBER)(?:[],]|$)", "s"),
        _field("loss", r"reduced_train_loss[=:] ?(?P<value>NUMBER)(?:[],]|$)"),
        _field("tflops", r"TFLOPS_per_GPU[=:] ?(?P<value>NUMBER)(?:[],]|$)"),
    ),
    refreshes=True,
    events=_NEMO_EVENTS,
)

PROFILES = (NEMO, NEMO_BAR, MEGATRON)

FAILURES = (
    "Traceback (most recent call last)",
    "torch.OutOfMemoryError",
    "CUDA error:",
    "ncclInternalError",
    "ncclRemoteError",
    "ncclSystemError",
    "Segmentation fault",
    "exiting program after receiving SIGTERM",
    "DUE TO TIME LIMIT",
    "srun: error:",
    "Signal 9 (SIGKILL)",
)
"""Literal texts of lines that say that a program ended badly."""

TERMINATIONS = ("exiting program after receiving SIGTERM", "DUE TO TIME LIMIT", "Signal 9 (SIGKILL)")
"""Those of `FAILURES` that say that the program was ended from outside."""
