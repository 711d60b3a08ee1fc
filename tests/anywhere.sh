#!/usr/bin/env bash
# Runs the tests beside busy loops, and in environments other than a developer's. Nothing may fail there; a test
# that cannot do its work reports SKIPPED.
#
#   tests/anywhere.sh                                 all of it: 20 rounds beside six busy loops, then each
#                                                     condition once
#   tests/anywhere.sh busy golden behaviour:probe::   one round of these tests (TEST or TEST:FILTER)
#   tests/anywhere.sh -n 5 -j 12 busy                 five rounds of all beside twelve loops
#   tests/anywhere.sh nohup path                      these conditions, all tests
#
# Conditions: busy nohup dumb c latin1 kolkata homeless readonly root user noipv6 nouserns files path.
# `lib` are the unit tests. The tests are built once; only `path`
# builds the project again, in a folder with spaces and letters beyond ASCII.
set -euo pipefail
cd "$(dirname "$0")/.."

all=(busy nohup dumb c latin1 kolkata homeless readonly root user noipv6 nouserns files path)
# As .cargo/config.toml has it.
threads=${RUST_TEST_THREADS:-16}
rounds='' loops=6 conditions=() chosen=()
while [ $# -gt 0 ]; do
    case $1 in
        -n) rounds=$2; shift ;;
        -j) loops=$2; shift ;;
        -h | --help) sed -n '2,/^set/{s/^# \{0,1\}//;/^set/d;p}' "$0"; exit ;;
        *) if [[ " ${all[*]} " == *" $1 "* ]]; then conditions+=("$1"); else chosen+=("$1"); fi ;;
    esac
    shift
done
# All conditions: many rounds, for which a better build pays; a named condition: one round.
optimised=()
if [ ${#conditions[@]} = 0 ]; then
    conditions=("${all[@]}")
    rounds=${rounds:-20}
    optimised=(--config 'profile.test.opt-level=3')
fi
rounds=${rounds:-1}

logs=${CARGO_TARGET_DIR:-target}/anywhere
mkdir -p "$logs"
logs=$(cd "$logs" && pwd)
scratch=$(mktemp -d)
chmod 755 "$scratch"
busy=()
finish() {
    [ ${#busy[@]} = 0 ] || kill "${busy[@]}" 2>/dev/null || true
    rm -rf "$scratch"
}
trap finish EXIT

# Builds the tests in this folder; prints a line for each, its name and its program.
build() {
    cargo test --locked "${optimised[@]}" --no-run 2>&1 | tee "$logs/build.log" | sed -n '
        s/^ *Executable unittests src\/\([a-z]*\)\.rs (\(.*\))$/\1 \2/p
        s/^ *Executable tests\/\([a-z_]*\)[/.].*rs (\(.*\))$/\1 \2/p'
}
build > "$scratch/tests" || { tail -20 "$logs/build.log"; exit 1; }
for one in "${chosen[@]}"; do
    program=$(sed -n "s/^${one%%:*} //p" "$scratch/tests")
    [ -n "$program" ] || { echo "no test ${one%%:*}"; exit 2; }
    # A filter that fits nothing would pass.
    [[ $one != *:* ]] || "$program" --list "${one#*:}" | grep ': test$' > /dev/null || { echo "no test $one"; exit 2; }
done

failed=0
# run CONDITION [WRAPPER ..]: runs each test program with the wrapper.
run() {
    local condition=$1 name program filters bad=0 began=$SECONDS
    shift
    local log=$logs/$condition.log temporary=$scratch/tmp
    : > "$log"
    rm -rf "$temporary"
    mkdir -m 1777 "$temporary"
    while read -r name program; do
        filters=()
        if [ ${#chosen[@]} -gt 0 ]; then
            local wanted=no one
            for one in "${chosen[@]}"; do
                [ "${one%%:*}" = "$name" ] || continue
                wanted=yes
                [ "$one" = "$name" ] || filters+=("${one#*:}")
            done
            [ $wanted = yes ] || continue
        fi
        [[ $program = /* ]] || program=$PWD/$program
        if ! TMPDIR=$temporary CARGO_MANIFEST_DIR=$PWD RUST_TEST_THREADS=$threads timeout 3600 "$@" "$program" --show-output "${filters[@]}" \
            < /dev/null > "$scratch/out" 2>&1; then
            bad=$((bad + 1))
            echo "FAILED: $condition: $name: $(sed -n 's/^test \(.*\) \.\.\. FAILED$/\1/p' "$scratch/out" | tr '\n' ' ')"
        fi
        { echo "== $name"; cat "$scratch/out"; } >> "$log"
    done < "$tests"
    grep -h '^SKIPPED' "$log" | sort -u | sed "s/^/$condition: /" || true
    if [ $bad = 0 ]; then
        echo "ok: $condition, $((SECONDS - began)) s"
    else
        failed=$((failed + bad))
        echo "$condition: $bad failed, $((SECONDS - began)) s; $log"
        cp "$log" "$log.failed"
    fi
}
skipped() { echo "SKIPPED: $1: $2"; }

# A user who is not root becomes root in a user namespace.
namespace=(unshare)
[ "$(id -u)" = 0 ] || namespace=(unshare --map-root-user)

tests=$scratch/tests
for condition in "${conditions[@]}"; do
    case $condition in
        busy)
            for ((k = 0; k < loops; k++)); do
                # A loop ends with the process that started it.
                (while kill -0 $$ 2>/dev/null; do for ((i = 0; i < 300000; i++)); do :; done; done) &
                busy+=($!)
            done
            for ((round = 1; round <= rounds; round++)); do
                run "busy-$round"
            done
            kill "${busy[@]}"
            wait "${busy[@]}" 2>/dev/null || true
            busy=()
            ;;
        nohup) run nohup nohup ;;
        dumb) run dumb env TERM=dumb ;;
        c) run c env -u LANG LC_ALL=C ;;
        latin1) run latin1 env LANG=de_DE.ISO-8859-1 LC_ALL=de_DE.ISO-8859-1 ;;
        kolkata) run kolkata env TZ=Asia/Kolkata ;;
        homeless) run homeless env -u HOME ;;
        # Not even root can write there.
        readonly) run readonly env HOME=/proc XDG_CONFIG_HOME=/proc XDG_CACHE_HOME=/proc ;;
        root)
            if [ "$(id -u)" = 0 ]; then
                run root
            elif unshare --map-root-user true 2>/dev/null; then
                run root unshare --map-root-user
            else
                skipped root "no root, and no user namespaces"
            fi
            ;;
        user)
            if [ "$(id -u)" != 0 ]; then
                run user
            elif setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$PWD/Cargo.toml" -o -r "$PWD/Cargo.toml" 2>/dev/null; then
                run user setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent
            else
                skipped user "no setpriv (util-linux), or $PWD is not another user's to read"
            fi
            ;;
        noipv6)
            # The loopback has no ::1.
            without='echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6 && ip link set lo up && exec "$@"'
            if "${namespace[@]}" --net sh -c "$without" sh true 2>/dev/null; then
                run noipv6 "${namespace[@]}" --net sh -c "$without" sh
            else
                skipped noipv6 "no network namespaces, or no ip (iproute2)"
            fi
            ;;
        nouserns)
            none='echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
            if unshare --map-root-user sh -c "$none" sh true 2>/dev/null; then
                run nouserns unshare --map-root-user sh -c "$none" sh
            elif ! unshare --user true 2>/dev/null; then
                run nouserns
            else
                skipped nouserns "the limit of user namespaces cannot be lowered"
            fi
            ;;
        # Eight tests of the proxy at once need more themselves.
        files) threads=2 run files sh -c 'ulimit -n 256 && exec "$@"' sh ;;
        path)
            there="$scratch/a path with späces, Ω and 名"
            mkdir "$there"
            tar -c --exclude ./target --exclude ./.git . | tar -x -C "$there"
            # The existing build is copied; nothing is written into the old folder.
            mkdir "$there/target"
            cp -a "${CARGO_TARGET_DIR:-target}/debug" "$there/target/"
            (
                cd "$there"
                export CARGO_TARGET_DIR=$there/target
                build > "$scratch/tests-there"
                tests=$scratch/tests-there
                failed=0
                run path
                exit $((failed > 0))
            ) || failed=$((failed + 1))
            ;;
    esac
done
[ $failed = 0 ] && echo "nothing failed" || echo "$failed failed"
exit $((failed > 0))
