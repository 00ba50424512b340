-- The schema of accounts, tokens, wallets and watch lists, which the API writes.
create schema customer;

-- One row per registered account; `initialized_at` is set when its Master Token is handed out. `language` is the
-- language of its mails. `recovered_at` is the moment of the newest finished recovery. An ended account has its
-- `user_ref` instead of the e-mail address, and a blank name.
create table customer.account (
    account_id bigint generated always as identity primary key,
    user_ref text not null unique,
    email text not null,
    name text not null,
    password_hash text not null,
    created_at timestamptz not null,
    initialized_at timestamptz,
    language text not null default 'en',
    recovered_at timestamptz,
    ended_at timestamptz,
    constraint account_user_ref_form check (user_ref ~ '^[0-9A-Z]{12}$'),
    constraint account_language_known check (language in ('pl', 'en'))
);

-- E-mail addresses that differ only in letter case are the same address.
create unique index account_email_key on customer.account (lower(email collate "C"));

-- One row per issued one-time token: `one_time_token_id` is the `jti` of the JWT. The JWT is signed again for each
-- mail, so the table holds no secret. `password_hash` is the hash of the new password of a recovery.
create table customer.one_time_token (
    one_time_token_id uuid primary key,
    account_id bigint not null references customer.account,
    purpose text not null,
    password_hash text,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz,
    cancelled_at timestamptz,
    constraint one_time_token_purpose_known check (purpose in ('init', 'recover')),
    constraint one_time_token_password_of_recovery check ((purpose = 'recover') = (password_hash is not null)),
    constraint one_time_token_ends_once check (used_at is null or cancelled_at is null)
);

create index one_time_token_account_idx on customer.one_time_token (account_id);

create index one_time_token_expires_at_idx on customer.one_time_token (expires_at);

-- One row per token, with only the SHA-256 of its secret. Half of each page is free (fillfactor), so that counting the
-- uses of a token touches no index.
create table customer.token (
    token_id bigint generated always as identity primary key,
    token_ref text not null,
    account_id bigint not null references customer.account,
    kind text not null,
    name text not null,
    secret_hash bytea not null unique,
    lifetime_days integer,
    created_at timestamptz not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    last_used_ip inet,
    usage_count bigint not null default 0,
    constraint token_ref_key unique (token_ref),
    constraint token_ref_form check (token_ref ~ '^[0-9A-Z]{12}$'),
    constraint token_kind_known check (kind in ('master', 'api')),
    constraint token_lifetime_known
        check ((lifetime_days is null) = (expires_at is null) and lifetime_days between 1 and 365),
    constraint token_secret_hash_length check (octet_length(secret_hash) = 32)
) with (fillfactor = 50);

create index token_account_idx on customer.token (account_id, token_id);

-- An account has one Master Token at a time.
create unique index token_master_key on customer.token (account_id)
where kind = 'master' and revoked_at is null;
