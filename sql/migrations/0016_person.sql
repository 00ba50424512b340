-- The requests of natural persons. No view, no export and no request of the API reads these tables.
create schema person;

-- One row: the random key of the hashes below. It lies in the database, so that hashes stay valid when
-- SECRET_KEY changes, and after a restore.
create table person.secret (
    is_only boolean primary key default true,
    key bytea not null,
    constraint secret_is_only check (is_only)
);

insert into person.secret (key)
values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- One row per request to withdraw a person, or the entries of a person in one registry: who asked,
-- when and why. `source` is null where the request is about all registries. A lifted one has no keys.
create table person.suppression (
    suppression_id bigint generated always as identity primary key,
    source text,
    reason text not null,
    requested_by text not null,
    requested_at timestamptz not null,
    entry_count integer not null,
    lifted_at timestamptz
);

-- One row per request and trait by which a later record is recognized: a number, the key of the entry,
-- or the names with the start date. Of the trait only a keyed hash is here.
create table person.suppressed_key (
    suppression_id bigint not null references person.suppression on delete cascade,
    key_hash bytea not null,
    constraint suppressed_key_pkey primary key (suppression_id, key_hash)
);
