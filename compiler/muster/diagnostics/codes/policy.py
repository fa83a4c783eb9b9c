"""Codes of the policy layer: what CUE and its schema refuse."""

from muster.diagnostics.registry import Code

CODES = (
    Code(
        "MU201",
        "a policy file of the repository has the path of one of muster's own",
        "Files under `policies/` of a GitOps repository are laid over muster's policies: they add rules, profiles and"
        " constraints. A file of the same path would replace one of muster's in silence.",
        hint="rename the file",
    ),
    Code(
        "MU202",
        "a policy file is not a plain file of at most 1 MiB",
        "Policies are small text files. Links, devices and large files are refused before they are read.",
        hint="put a plain file there",
    ),
    Code(
        "MU203",
        "the cue binary is missing or of another version",
        "Policies are tested with one version of CUE, since its behaviour changes between minor versions. muster looks"
        " at `MUSTER_CUE`, at `.tools/bin/cue` of its checkout, beside its own interpreter, then on PATH, takes the"
        " first it finds, and refuses it when the version differs.",
        hint="run `make setup`, or set MUSTER_CUE to a cue v0.17.1",
    ),
    Code(
        "MU204",
        "cue did not end in time",
        "Evaluation time grows steeply with disjunctions and comprehension chains. muster stops waiting after two"
        " minutes.",
        hint="look at the policy files added last; keep disjunctions and comprehensions flat",
    ),
    Code(
        "MU205",
        "the policy files themselves are wrong",
        "CUE could not evaluate the policies, whatever the site says. The position is in a policy file.",
        hint="mend the policy file at that place",
    ),
    Code(
        "MU206",
        "the policies have no rule",
        "Zero things checked is a failure: an empty rule set would accept any site.",
        hint="restore policies/guardrails",
    ),
    Code(
        "MU207",
        "cue broke off",
        "It was killed, most often for want of memory, or it failed in a way that says nothing of sites and policies.",
        hint="free some memory and try again; `muster doctor` tells which binary is used",
    ),
    Code(
        "MU208",
        "a policy file that nothing loads",
        "Policies are packages: a file of `policies/guardrails` says `package guardrails`, one of `policies/schema`"
        " says `package schema`, and so on. A file elsewhere, or of another package, would be ignored in silence.",
        hint="put it under policies/schema, profiles, guardrails, catalog, hardware or compat, with that package name",
    ),
    Code(
        "MU209",
        "a definition that nothing uses",
        "A constraint on a definition that the schema does not have (`#Specs` for `#Spec`) constrains nothing.",
        hint="use the name of a definition of muster's schema, or refer to your own one from it",
    ),
    Code(
        "MU211",
        "unknown field",
        "Every struct of a site file is closed, so that a misspelled field cannot be lost in silence.",
        hint="see `muster schema site` for the fields",
    ),
    Code(
        "MU212",
        "a field is missing",
        "Neither the site nor one of its profiles gives a value that the schema needs.",
        hint="add the field",
    ),
    Code(
        "MU213",
        "a value is not one of those allowed",
        "The field takes one of a few words.",
        hint="use one of them",
    ),
    Code(
        "MU214",
        "a value has the wrong type",
        'YAML decides the type by how a value is written: `8` is a number, `"8"` is a string.',
        hint="add or remove the quotes",
    ),
    Code(
        "MU215",
        "a value is outside its grammar",
        "Sizes are powers of 1024 (`4Ki`, `1Gi`), durations are Prometheus durations (`30d`, `1h30m`), figures carry"
        " their unit (`427.58GB/s`), images are pinned by digest (`registry/name@sha256:...`).",
    ),
    Code(
        "MU216",
        "a name that cannot become part of an object name",
        "Names of pools, tests, thresholds and waivers end up in names of Kubernetes objects and in labels.",
        hint="use lower-case letters, digits and '-', at most 40 characters, no '-' at either end",
    ),
    Code(
        "MU217",
        "the catalog has no such test",
        "What a test runs is an entry of the catalog (`policies/catalog`); `muster explain` lists them.",
    ),
    Code(
        "MU218",
        "a site holds too much of something",
        "Every part of a site has a bound that lies well above any real cluster, so that evaluating the policies ends."
        " A site above one is not looked at any further.",
        hint="split the cluster into several sites, or name a set of nodes once",
    ),
    Code(
        "MU220",
        "a policy refuses the value",
        "A CUE constraint of the policies does not hold. The related position is the constraint.",
        hint="change the value, or the policy if it is yours",
    ),
    Code(
        "MU221",
        "the site contradicts a profile's mandate",
        "A plain value in a profile is a mandate; only a default (`*50 | int`) may be overridden. The related position"
        " is the profile's.",
        hint="remove the field from the site, or leave the profile",
    ),
)
