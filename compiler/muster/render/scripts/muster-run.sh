#!/bin/sh
# Run one acceptance test in a pod and print what was declared, what was found and how each round ended.
#
# usage: muster-run.sh node|preflight|dcgm|index|launcher|worker [COMMAND [ARGUMENT...]]
#
#   node       run COMMAND once per round in this pod, under mpirun where MUSTER_MPI is yes
#   preflight  only say what the node has
#   dcgm       run COMMAND against a hostengine of the pod's own, on a Unix socket
#   index      pod of an Indexed Job: index 0 runs COMMAND over all pods, the others serve it
#   launcher   run COMMAND over the pods that MUSTER_HOSTS names, without being one of them
#   worker     serve a launcher
#
# All input is environment and arguments; nothing is ever substituted into this text. One line per event on
# stdout, MUSTER-RECORD and a JSON object; what a person may want to know goes to stderr. The exit code is
# that of the first round that failed, or:
#
#   64  wrong use or a pod that cannot run the test    69  fewer GPUs than declared
#   75  other pods never came, or the first one left   143 ended from outside
#
# Needs sh, awk, sed, timeout, date, id, uname; several pods need sshd, ssh, getent and mpirun as well, root
# pods that hand rights down need setpriv of util-linux.

export LC_ALL=C
mode=$1
[ $# -gt 0 ] && shift

work=$MUSTER_WORK
[ -n "$work" ] || work=/tmp/muster
sysfs=$MUSTER_SYS
[ -n "$sysfs" ] || sysfs=/sys
message_file=$MUSTER_MESSAGE
[ -n "$message_file" ] || message_file=/dev/termination-log

speaks=        # yes: this pod prints the records of the run
finished=      # yes: the last word is said
stopping=      # yes: told to end from outside
child=         # process of the running round
servers=       # sshd, hostengine
told=          # addresses of the pods to tell when all is over
round=0
done_rounds=0
failed=0
exit_code=0

say() { printf 'muster: %s\n' "$*" >&2; }
now() { date -u +%Y-%m-%dT%H:%M:%SZ; }

# ---- JSON ------------------------------------------------------------------------------------------------

# Print $1 as a JSON string, whatever it holds.
text() {
    printf '"'
    printf '%s' "$1" | awk 'BEGIN {
        for (i = 1; i < 32; i++) map[sprintf("%c", i)] = sprintf("\\u%04x", i)
        map["\\"] = "\\\\"; map["\""] = "\\\""; map[sprintf("%c", 127)] = "\\u007f"
    }
    {
        if (NR > 1) printf "\\n"
        for (i = 1; i <= length($0); i++) { c = substr($0, i, 1); printf "%s", (c in map) ? map[c] : c }
    }'
    printf '"'
}

# Print $1 as a JSON string, null where it is empty.
text_or_null() { if [ -n "$1" ]; then text "$1"; else printf null; fi; }

# Print $1 where it is a whole number, else null.
number_or_null() {
    case $1 in
    '' | *[!0-9]*) printf null ;;
    *) printf '%s' "$1" ;;
    esac
}

# Print the arguments as a JSON list of strings.
list() {
    printf '['
    between=
    for item in "$@"; do
        printf '%s' "$between"
        text "$item"
        between=,
    done
    printf ']'
}

record() { printf 'MUSTER-RECORD {"v":1,"event":%s}\n' "$1"; }

identity() {
    printf '"digest":%s,"site":%s,"pool":%s,"test":%s,"scope":%s,"unit":' \
        "$(text_or_null "$MUSTER_DIGEST")" "$(text_or_null "$MUSTER_SITE")" "$(text_or_null "$MUSTER_POOL")" \
        "$(text_or_null "$MUSTER_TEST")" "$(text_or_null "$MUSTER_SCOPE")"
    # Node names hold no blanks.
    # shellcheck disable=SC2086
    list $MUSTER_UNIT
    printf ',"attempt":%s' "$(text_or_null "$MUSTER_ATTEMPT")"
}

declared() {
    printf '{"gpus":%s,"product":%s,"driver":%s,"cuda":%s,"nccl":%s}' "$(number_or_null "$MUSTER_GPUS")" \
        "$(text_or_null "$MUSTER_PRODUCT")" "$(text_or_null "$MUSTER_DRIVER")" \
        "$(text_or_null "$MUSTER_CUDA")" "$(text_or_null "$MUSTER_NCCL")"
}

# ---- the last word ---------------------------------------------------------------------------------------

say_over() { remote "$1" "touch $work/finish" </dev/null >/dev/null 2>&1; }

# Tell every other pod that it may end. Bounded: a pod that does not answer ends by itself.
tell() {
    for address in $told; do
        { say_over "$address" || say_over "$address" || say_over "$address"; } &
        tellers="$tellers $!"
    done
    for pid in $tellers; do wait "$pid"; done
    told=
}

# End with exit code $1, for the reason $2 and with the sentence $3 where something went wrong.
finish() {
    finished=yes
    [ -n "$3" ] && say "$3"
    why=
    [ -n "$2" ] && why=",\"reason\":$(text "$2"),\"message\":$(text "$3")"
    if [ -n "$speaks" ]; then
        record "\"finish\",\"exit\":$1,\"rounds\":$done_rounds,\"failed\":$failed,\"time\":\"$(now)\"$why"
    fi
    # Kubernetes keeps 4096 bytes, and only text.
    short=$(printf '%s' "$3" | tr -c ' -~' '?' | cut -c 1-1000)
    {
        printf '{"v":1,"digest":%s,"node":%s,"exit":%s,"rounds":%s,"failed":%s,"reason":%s,"message":%s}\n' \
            "$(text_or_null "$MUSTER_DIGEST")" "$(text_or_null "$MUSTER_NODE")" "$1" "$done_rounds" "$failed" \
            "$(text_or_null "$2")" "$(text_or_null "$short")"
    } 2>/dev/null >"$message_file" || say "no termination message could be written"
    tell
    for pid in $servers; do kill "$pid" 2>/dev/null; done
    exit "$1"
}

on_exit() {
    status=$?
    [ -n "$finished" ] && return
    [ "$status" -eq 0 ] && status=70
    finish "$status" script "the script ended before its last word"
}

on_term() {
    stopping=yes
    if [ -n "$child" ]; then
        kill -TERM "$child" 2>/dev/null
    elif [ -z "$finished" ]; then
        finish 143 stopped "ended from outside"
    fi
}

trap on_exit EXIT
trap on_term TERM INT

need() { command -v "$1" >/dev/null 2>&1 || finish 64 image "the image has no $1"; }

# ---- what the node has -----------------------------------------------------------------------------------

look_seconds=$MUSTER_LOOK_SECONDS
[ -n "$look_seconds" ] || look_seconds=60
bounded() { timeout -k 5 "$look_seconds" "$@"; }

# Print the first group that the sed expression $1 finds in stdin.
pick() { sed -n "s/$1/\\1/p" | sed -n 1p; }

first_line() { sed -n 1p "$1" 2>/dev/null; }

# The library that the dynamic linker gives $1: its version, from the name of the file it stands in.
nccl_library() {
    path=$(command -v "$1" 2>/dev/null) || return 0
    library=$(ldd "$path" 2>/dev/null | awk '$1 ~ /^libnccl\.so/ && $3 ~ /^\// { print $3; exit }')
    [ -n "$library" ] || return 0
    readlink -f "$library" | pick '.*libnccl\.so\.\([0-9][0-9]*\.[0-9][0-9.]*\)$'
}

nics() {
    printf '['
    between=
    for port in "$sysfs"/class/infiniband/*/ports/*; do
        [ -d "$port" ] || continue
        device=$(basename "$(dirname "$(dirname "$port")")")
        [ "$(basename "$port")" = 1 ] || device="$device:$(basename "$port")"
        printf '%s{"name":%s,"state":%s,"rate":%s,"linkLayer":%s}' "$between" "$(text "$device")" \
            "$(text_or_null "$(first_line "$port/state" | sed 's/^[0-9]*: *//')")" \
            "$(text_or_null "$(first_line "$port/rate" | sed 's/ *(.*//')")" \
            "$(text_or_null "$(first_line "$port/link_layer")")"
        between=,
    done
    printf ']'
}

# Set gpus, product, driver, cuda: empty where it could not be read.
look() {
    gpus=
    if listing=$(bounded nvidia-smi -L) || [ -n "$listing" ]; then
        gpus=$(printf '%s\n' "$listing" | grep -c '^GPU [0-9]')
    fi
    names=$(bounded nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null) || names=
    product=$(printf '%s\n' "$names" | awk 'NF && !seen[$0]++ { printf "%s%s", n++ ? "; " : "", $0 }')
    banner=$(bounded nvidia-smi 2>/dev/null) || banner=
    # Since driver 610 the banner says "KMD Version" and "CUDA UMD Version".
    driver=$(printf '%s\n' "$banner" | pick '.*Driver Version: *\([0-9][0-9.]*\).*')
    [ -n "$driver" ] || driver=$(printf '%s\n' "$banner" | pick '.*KMD Version: *\([0-9][0-9.]*\).*')
    cuda=$(printf '%s\n' "$banner" | pick '.*CUDA Version: *\([0-9][0-9.]*\).*')
    [ -n "$cuda" ] || cuda=$(printf '%s\n' "$banner" | pick '.*CUDA UMD Version: *\([0-9][0-9.]*\).*')
}

# Labels write blanks as dashes.
plain() { printf '%s' "$1" | tr ' ' '-'; }

compare() {
    for name in PRODUCT DRIVER CUDA; do
        case $name in
        PRODUCT) was=$MUSTER_PRODUCT is=$product ;;
        DRIVER) was=$MUSTER_DRIVER is=$driver ;;
        CUDA) was=$MUSTER_CUDA is=$cuda ;;
        esac
        [ -z "$was" ] || [ "$(plain "$was")" = "$(plain "$is")" ] ||
            say "$MUSTER_NODE: declared $name $(text "$was"), found $(text_or_null "$is")"
    done
}

# Print four lines about this node: its name, what was found, the record of its exclusion or -, and ok.
inventory() {
    look
    compare
    text_or_null "$MUSTER_NODE"
    printf '\n{"gpus":%s,"product":%s,"driver":%s,"cuda":%s,"nccl":%s,"kernel":%s,"image":%s,"nics":%s}\n' \
        "$(number_or_null "$gpus")" "$(text_or_null "$product")" "$(text_or_null "$driver")" \
        "$(text_or_null "$cuda")" "$(text_or_null "$(nccl_library "$1")")" "$(text_or_null "$(uname -r)")" \
        "$(text_or_null "$MUSTER_IMAGE")" "$(nics)"
    if [ -n "$gpus" ] && [ "$gpus" -ge "$MUSTER_GPUS" ]; then
        printf -- '-\n'
    else
        found="found $gpus of $MUSTER_GPUS GPUs"
        [ -n "$gpus" ] || found="GPUs could not be counted, $MUSTER_GPUS are declared"
        printf '"excluded","node":%s,"reason":"gpus","declared":%s,"found":%s,"message":%s,%s\n' \
            "$(text "$MUSTER_NODE")" "$(number_or_null "$MUSTER_GPUS")" "$(number_or_null "$gpus")" \
            "$(text "$MUSTER_NODE: $found")" "$(identity)"
    fi
    echo ok
}

# Print the records of all nodes that are short of GPUs and end if there is one.
check_inventories() {
    short_of=
    between=
    for file in "$work"/inventory.*; do
        excluded=$(sed -n 3p "$file")
        [ "$excluded" = - ] && continue
        record "$excluded"
        short_of="$short_of$between$(printf '%s' "$excluded" | pick '.*"message":"\([^"]*\)".*')"
        between='; '
    done
    [ -z "$short_of" ] || finish 69 gpus "$short_of"
}

# ---- rounds ----------------------------------------------------------------------------------------------

begin() {
    for file in "$work"/inventory.*; do
        record "\"begin\",$(identity),\"round\":$round,\"rounds\":$MUSTER_ROUNDS,\"node\":$(sed -n 1p "$file"),\
\"time\":\"$(now)\",\"declared\":$(declared),\"found\":$(sed -n 2p "$file"),\"command\":$command,\"synthetic\":false"
    done
}

# Print the end of a round that gave exit code $1 after $2 seconds.
end() {
    signal=null
    timed_out=false
    case $1 in
    124 | 137 | 143) [ -z "$stopping" ] && [ "$2" -ge "$MUSTER_ROUND_SECONDS" ] && timed_out=true ;;
    esac
    # Above 128 plus the highest signal a tool dies of, codes are the tool's own.
    if [ "$1" -gt 128 ] && [ "$1" -lt 160 ]; then signal=$(($1 - 128)); fi
    record "\"end\",\"round\":$round,\"exit\":$1,\"signal\":$signal,\"timedOut\":$timed_out,\"seconds\":$2,\"time\":\"$(now)\""
}

# Run the arguments bounded in time; the exit code goes to status.
run() {
    timeout -k 20 "$MUSTER_ROUND_SECONDS" "$@" </dev/null &
    child=$!
    wait "$child"
    status=$?
    # A signal to this script ends the first wait only.
    while kill -0 "$child" 2>/dev/null; do
        wait "$child"
        status=$?
    done
    child=
}

rounds() {
    command=$(list "$@")
    while [ "$round" -lt "$MUSTER_ROUNDS" ]; do
        round=$((round + 1))
        begin
        started=$(date +%s)
        status=0
        [ "$mode" = preflight ] || launch "$@"
        [ -z "$stopping" ] || status=143
        end "$status" $(($(date +%s) - started))
        done_rounds=$round
        if [ "$status" -ne 0 ]; then
            failed=$((failed + 1))
            [ "$exit_code" -ne 0 ] || exit_code=$status
        fi
        [ -z "$stopping" ] || finish 143 stopped "ended from outside in round $round"
    done
    reason=
    said=
    if [ "$failed" -gt 0 ]; then
        reason=rounds
        said="$failed of $MUSTER_ROUNDS rounds failed, the first with exit code $exit_code"
    fi
    finish "$exit_code" "$reason" "$said"
}

# Run the arguments once, the way the mode asks for.
launch() {
    case $mode in
    dcgm) run "$@" --host "unix://$work/hostengine.sock" ;;
    index | launcher) run_mpi "$@" ;;
    *) if [ "$MUSTER_MPI" = yes ]; then run_mpi "$@"; else run "$@"; fi ;;
    esac
}

# Called by its whole path, mpirun tells other nodes where it lies, and puts its own libraries before those of
# the image, on this node too. Which NCCL is loaded must not depend on that: env sets the paths back, with the
# libraries of MPI behind all others.
run_mpi() {
    mpirun=$(command -v mpirun)
    prefix=$(dirname "$(dirname "$mpirun")")
    libraries=$LD_LIBRARY_PATH
    case $prefix in
    /usr | /usr/local) ;;
    *) libraries=$(printf '%s' "$libraries:$prefix/lib" | sed 's/^://') ;;
    esac
    if [ -n "$libraries" ]; then
        set -- "PATH=$PATH" "LD_LIBRARY_PATH=$libraries" "$@"
    else
        set -- -u LD_LIBRARY_PATH "PATH=$PATH" "$@"
    fi
    set -- "$(command -v env)" "$@"
    for name in $MUSTER_EXPORT; do set -- -x "$name" "$@"; done
    if [ "$mode" != node ]; then
        set -- --mca plm_rsh_agent ssh --mca plm_rsh_args "-F $work/ssh_config" --mca pml ob1 --mca btl tcp,self \
            --mca btl_tcp_if_include "$MUSTER_INTERFACE" --mca oob_tcp_if_include "$MUSTER_INTERFACE" "$@"
    fi
    run "$mpirun" --hostfile "$work/hostfile" -np "$MUSTER_RANKS" \
        --map-by "ppr:$MUSTER_RANKS_PER_NODE:node" --bind-to none "$@"
}

# ---- one pod ---------------------------------------------------------------------------------------------

one_pod() {
    if [ "$MUSTER_MPI" = yes ]; then
        need mpirun
        printf 'localhost slots=%s\n' "$MUSTER_RANKS_PER_NODE" >"$work/hostfile"
    fi
    inventory "$1" >"$work/inventory.0"
    check_inventories
    [ "$mode" != dcgm ] || start_hostengine
    rounds "$@"
}

# DCGM's own service may belong to an exporter or be absent; this one lives and dies with the pod.
start_hostengine() {
    need nv-hostengine
    nv-hostengine -n -d "$work/hostengine.sock" --pid "$work/hostengine.pid" -f "$work/hostengine.log" \
        </dev/null >&2 &
    servers="$servers $!"
    tries=0
    until bounded dcgmi discovery -l --host "unix://$work/hostengine.sock" >/dev/null 2>&1; do
        tries=$((tries + 1))
        if [ "$tries" -ge 30 ] || ! kill -0 "$!" 2>/dev/null; then
            sed 's/^/hostengine: /' "$work/hostengine.log" >&2 2>/dev/null
            finish 64 hostengine "the hostengine did not start"
        fi
        sleep 1
    done
}

# ---- several pods ----------------------------------------------------------------------------------------

# Copy the keys and write the configuration of sshd and ssh. All pods of a site share one key, which also
# proves a host to the others: no host key is ever taken on trust.
prepare_ssh() {
    need ssh
    need getent
    sshd=$(command -v sshd || command -v /usr/sbin/sshd) || finish 64 image "the image has no sshd"
    user=$(id -un 2>/dev/null) || finish 64 image "the image knows no user $(id -u)"
    for file in "$MUSTER_SSH_KEY" "$MUSTER_SSH_KEY.pub" authorized_keys; do
        cp "$MUSTER_SSH_DIR/$file" "$work/" || finish 64 secret "the Secret of the SSH key has no readable $file"
        chmod 600 "$work/$file"
    done
    printf 'muster %s\n' "$(cut -d ' ' -f 1-2 "$work/$MUSTER_SSH_KEY.pub")" >"$work/known_hosts"
    cat >"$work/sshd_config" <<END
Port $MUSTER_SSH_PORT
ListenAddress $MUSTER_ADDRESS
HostKey $work/$MUSTER_SSH_KEY
AuthorizedKeysFile $work/authorized_keys
AllowUsers $user
PubkeyAuthentication yes
PasswordAuthentication no
AllowAgentForwarding no
AllowTcpForwarding no
X11Forwarding no
PermitTunnel no
StrictModes no
UseDNS no
PidFile none
MaxStartups 1000
MaxSessions 100
ClientAliveInterval 15
ClientAliveCountMax 4
LogLevel ERROR
END
    cat >"$work/ssh_config" <<END
Host *
  Port $MUSTER_SSH_PORT
  User $user
  IdentityFile $work/$MUSTER_SSH_KEY
  IdentitiesOnly yes
  UserKnownHostsFile $work/known_hosts
  GlobalKnownHostsFile /dev/null
  HostKeyAlias muster
  StrictHostKeyChecking yes
  BatchMode yes
  ConnectTimeout 10
  ServerAliveInterval 15
  ServerAliveCountMax 4
  LogLevel ERROR
END
    "$sshd" -D -e -f "$work/sshd_config" </dev/null >&2 &
    server=$!
    servers="$servers $server"
}

remote() { timeout -k 5 30 ssh -F "$work/ssh_config" "$@"; }

# The first address of a name; names of pods come and go.
resolve() { getent hosts "$1" | awk '{ print $1; exit }'; }

# Ask every other pod what its node has, until all have answered or the time is up.
gather() {
    waited_from=$(date +%s)
    for host in $MUSTER_HOSTS; do
        [ "$host" != "$own" ] || continue
        until ask "$host"; do
            kill -0 "$server" 2>/dev/null || finish 64 sshd "sshd ended"
            [ $(($(date +%s) - waited_from)) -lt "$MUSTER_WAIT_SECONDS" ] || missing
            sleep "$MUSTER_POLL_SECONDS"
        done
    done
}

ask() {
    echo "the name $1 has no address" >"$work/refusal"
    address=$(resolve "$1")
    [ -n "$address" ] || return 1
    remote "$address" "cat $work/inventory" </dev/null >"$work/answer" 2>"$work/refusal"
    [ "$(sed -n 4p "$work/answer")" = ok ] || return 1
    told="$told $address"
    keep "$address"
}

# Keep the inventory in answer, in the order of the node names, with the address to reach the node by.
keep() {
    name=$(sed -n 1p "$work/answer" | tr -d '"')
    case " $MUSTER_UNIT " in
    *" $name "*) ;;
    *) finish 64 nodes "a pod runs on $name, which is not of the unit" ;;
    esac
    [ ! -e "$work/inventory.$name" ] || finish 64 nodes "two pods run on $name"
    mv "$work/answer" "$work/inventory.$name"
    printf '%s slots=%s\n' "$1" "$MUSTER_RANKS_PER_NODE" >"$work/host.$name"
}

missing() {
    silent=
    for node in $MUSTER_UNIT; do
        [ -e "$work/inventory.$node" ] || silent="$silent $node"
    done
    say "the last answer: $(sed -n 1p "$work/refusal")"
    finish 75 peers "no answer within $MUSTER_WAIT_SECONDS s from the pods meant for$silent"
}

# The nodes that answered are the nodes of the unit, no other.
check_unit() {
    for node in $MUSTER_UNIT; do
        [ -e "$work/inventory.$node" ] || finish 64 nodes "no pod runs on $node"
    done
    for file in "$work"/host.*; do cat "$file"; done >"$work/hostfile"
}

lead_pods() {
    need mpirun
    prepare_ssh
    if [ "$mode" = index ]; then
        inventory "$1" >"$work/answer"
        keep "$MUSTER_ADDRESS"
    fi
    gather
    check_unit
    check_inventories
    rounds "$@"
}

# Serve until the leading pod says that all is over, has left, or never came.
serve_pods() {
    inventory "$1" >"$work/inventory.tmp"
    prepare_ssh
    mv "$work/inventory.tmp" "$work/inventory"
    seen=
    since=$(date +%s)
    while [ ! -e "$work/finish" ]; do
        kill -0 "$server" 2>/dev/null || finish 64 sshd "sshd ended"
        clock=$(date +%s)
        head=$(resolve "$MUSTER_HEAD")
        if [ -n "$head" ] && remote "$head" true </dev/null >/dev/null 2>&1; then
            seen=yes
            since=$clock
        elif [ -n "$seen" ] && [ $((clock - since)) -ge "$MUSTER_LOST_SECONDS" ]; then
            finish 75 lost "the first pod left without a word $((clock - since)) s ago"
        elif [ $((clock - since)) -ge "$MUSTER_WAIT_SECONDS" ]; then
            finish 75 peers "the first pod did not come within $MUSTER_WAIT_SECONDS s"
        fi
        sleep "$MUSTER_POLL_SECONDS" &
        child=$!
        wait "$child"
        child=
        [ -z "$stopping" ] || finish 143 stopped "ended from outside"
    done
    finish 0
}

# ---- start -----------------------------------------------------------------------------------------------

# Only root can be given a right that lasts over exec; it hands CAP_IPC_LOCK down to the user of the test.
if [ -n "$MUSTER_RUN_AS" ] && [ "$(id -u)" = 0 ]; then
    need setpriv
    exec setpriv --reuid "$MUSTER_RUN_AS" --regid "$MUSTER_RUN_AS" --clear-groups --inh-caps=+ipc_lock \
        --ambient-caps=+ipc_lock --no-new-privs /bin/sh "$0" "$mode" "$@"
fi

# One pod speaks for the run; the others only serve it.
case $mode in
worker) ;;
index) [ "$JOB_COMPLETION_INDEX" != 0 ] || speaks=yes ;;
*) speaks=yes ;;
esac
case $MUSTER_GPUS,$MUSTER_ROUNDS,$MUSTER_ROUND_SECONDS in
*[!0-9,]* | ,* | *,,* | *,) finish 64 use "MUSTER_GPUS, MUSTER_ROUNDS and MUSTER_ROUND_SECONDS must be numbers" ;;
esac
umask 077
mkdir -p "$work" || finish 64 image "$work cannot be made"

case $mode in
node | preflight | dcgm) one_pod "$@" ;;
launcher) lead_pods "$@" ;;
worker) serve_pods "$@" ;;
index)
    case $JOB_COMPLETION_INDEX in
    '' | *[!0-9]*) finish 64 use "JOB_COMPLETION_INDEX must be a number" ;;
    esac
    # Names of pods of an Indexed Job end in their index, in the order of MUSTER_HOSTS.
    own=$(printf '%s\n' "$MUSTER_HOSTS" | tr ' ' '\n' | sed -n "$((JOB_COMPLETION_INDEX + 1))p")
    if [ "$JOB_COMPLETION_INDEX" = 0 ]; then lead_pods "$@"; else serve_pods "$@"; fi
    ;;
*) finish 64 use "unknown mode $(text "$mode")" ;;
esac
