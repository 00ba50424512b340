-- The schema of the requests of natural persons to be forgotten. No view, export or request of the API reads its
-- tables.
create schema person;

-- One row: the random key of the hashes in person.suppressed_key. The key is in the database, so that the hashes stay
-- valid after a restore and after a change of SECRET_KEY.
create table person.secret (
    is_only boolean primary key default true,
    key bytea not null,
    constraint secret_is_only check (is_only)
);

insert into person.secret (key)
values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- One row per request to withdraw a person, or the person's entries in one registry, with its author, time and reason.
-- `source` is null for a request about all registries. A lifted request has no keys.
create table person.suppression (
    suppression_id bigint generated always as identity primary key,
    source text,
    reason text not null,
    requested_by text not null,
    requested_at timestamptz not null,
    entry_count integer not null,
    lifted_at timestamptz
);

-- One row per request and trait by which a later record is recognized: a number, the key of the entry, or the names
-- with the start date. The table has only a keyed hash of each trait.
create table person.suppressed_key (
    suppression_id bigint not null references person.suppression on delete cascade,
    key_hash bytea not null,
    constraint suppressed_key_pkey primary key (suppression_id, key_hash)
);
