# Starts temporary PostgreSQL servers below $folder, for scripts that source this file. Debian's PostgreSQL has pg_dump.

# Debian keeps the programs of each PostgreSQL version in a separate folder; other systems have them on the path.
bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -1)
for program in initdb pg_ctl pg_dump pg_restore createdb psql; do
    if [ ! -x "${bin:+$bin/}$program" ] && ! command -v "$program" >/dev/null; then
        echo "There is no $program here: install PostgreSQL with its programs (Debian: apt-get install postgresql)." >&2
        exit 2
    fi
done
PATH=${bin:+$bin:}$PATH

folder=$(mktemp -d)
chmod 755 "$folder"
user=$(id -un)
# PostgreSQL refuses to run as root.
if [ "$user" = root ]; then user=postgres; fi
as() { if [ "$(id -un)" = "$user" ]; then "$@"; else runuser -u "$user" -- env PATH="$PATH" "$@"; fi; }

clusters=()
stop_clusters() {
    for cluster in "${clusters[@]}"; do
        as pg_ctl -s -D "$folder/$cluster/data" -m immediate stop || true
    done
    rm -rf "$folder"
}
trap stop_clusters EXIT

# start_cluster <name>: starts a server that does not use the locale of this machine.
start_cluster() {
    install -d -o "$user" -m 755 "$folder/$1"
    as initdb -D "$folder/$1/data" -A trust -E UTF8 --no-locale >"$folder/log"
    as pg_ctl -s -w -D "$folder/$1/data" -l "$folder/$1/log" \
        -o "-k $folder/$1 -c listen_addresses=''" start
    clusters+=("$1")
}

# url <cluster> <login> <database>: prints the connection string.
url() { echo "postgresql://$2@localhost/$3?host=$folder/$1"; }

registry() { DATA_DIR=$folder node_modules/.bin/node pipeline/registry.js "$@"; }
# ingest <source> <day>: publishes a day of the fixtures.
ingest() { registry ingest "$1" "fixtures/$1/$2" --date "$2" 2>>"$folder/log"; }
