#!/bin/sh
# Makes commits synchronous again after Patroni has started beside a running writer. Patroni 3.0.2 then removes
# synchronous_standby_names, and sets it again only when another standby is chosen. Until then acknowledged
# commits are on one machine only.
# This script runs after each start of Patroni, with Patroni's user and environment (systemd: ExecStartPost).
set -eu
config=$(dirname "$0")/patroni.yaml
export PGPASSWORD="$PATRONI_SUPERUSER_PASSWORD"
server="host=${PATRONI_POSTGRESQL_CONNECT_ADDRESS%:*} port=${PATRONI_POSTGRESQL_CONNECT_ADDRESS##*:}"

is_asynchronous() {
  psql -d "$server user=$PATRONI_SUPERUSER_USERNAME dbname=postgres connect_timeout=2" -Atq -c "
    select 1 from pg_stat_replication
    where not pg_is_in_recovery() and current_setting('synchronous_standby_names') = '' limit 1" |
    grep -q 1
}

# Switching the mode off and on sets the synchronous standby again. A new writer needs seconds to choose one.
for _ in 1 2 3 4 5 6; do
  sleep 2
  is_asynchronous || continue
  sleep 5
  is_asynchronous || continue
  for mode in false true; do
    patronictl -c "$config" edit-config --quiet --force --set "synchronous_mode=$mode"
    sleep 3
  done
done
