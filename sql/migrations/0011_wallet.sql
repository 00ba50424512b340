-- The schema of views about credits, which the analysts of the registries cannot read.
create schema billing;

-- One row per account, with its balance in whole credits, which is the sum of its ledger.
create table customer.wallet (
    account_id bigint primary key references customer.account,
    balance bigint not null default 0,
    total_purchased bigint not null default 0,
    last_transaction_no bigint not null default 0,
    last_no bigint generated always as (nullif(last_transaction_no, 0)) stored,
    constraint wallet_balance_not_negative check (balance >= 0),
    constraint wallet_total_purchased_not_negative check (total_purchased >= 0),
    constraint wallet_begins_at_zero check (last_transaction_no > 0 or last_transaction_no = 0 and balance = 0)
) with (fillfactor = 50);

-- One row per movement of credits, numbered per account without gaps. Each row continues the row before: by a foreign
-- key, its `balance_before` is the `balance_after` of the row before. `operation_key` names the cause, such as a
-- payment or a request: each cause moves credits once.
create table customer.wallet_transaction (
    account_id bigint not null,
    transaction_no bigint not null,
    previous_no bigint generated always as (nullif(transaction_no - 1, 0)) stored,
    type text not null,
    amount bigint not null,
    balance_before bigint not null,
    balance_after bigint not null,
    description text not null,
    operation_key text not null,
    created_at timestamptz not null,
    constraint wallet_transaction_pkey primary key (account_id, transaction_no),
    constraint wallet_transaction_balance_key unique (account_id, transaction_no, balance_after),
    constraint wallet_transaction_operation_key unique (account_id, operation_key),
    constraint wallet_transaction_wallet_fkey foreign key (account_id) references customer.wallet,
    constraint wallet_transaction_continues foreign key (account_id, previous_no, balance_before)
        references customer.wallet_transaction (account_id, transaction_no, balance_after),
    constraint wallet_transaction_begins_at_zero check (transaction_no > 1 or balance_before = 0),
    constraint wallet_transaction_type_known check (type in ('deposit', 'start', 'withdraw')),
    constraint wallet_transaction_amount_positive check (amount > 0),
    constraint wallet_transaction_balance_adds_up check (
        balance_after = balance_before + case when type = 'withdraw' then -amount else amount end
    ),
    constraint wallet_transaction_balance_not_negative check (balance_after >= 0)
);

-- Makes the balance of a wallet equal to the balance after its transaction `last_no`. The queries that charge and grant
-- credits number a transaction and set `last_no` in one statement, so the balance is the sum of the transactions.
alter table customer.wallet
add constraint wallet_has_balance_of_last_transaction
foreign key (account_id, last_no, balance)
references customer.wallet_transaction (account_id, transaction_no, balance_after);

-- One row per welcome bonus. A mailbox gets one bonus: `mailbox` is an e-mail address without its tag. A domain, such
-- as `firma.pl`, gets a limited number of bonuses a day. For an ended account, `mailbox` and `domain` are keyed hashes.
create table customer.welcome_bonus (
    mailbox text primary key,
    domain text not null,
    account_id bigint references customer.account,
    granted_at timestamptz not null
);

create index welcome_bonus_domain_idx on customer.welcome_bonus (domain, granted_at);
create index welcome_bonus_account_idx on customer.welcome_bonus (account_id);

-- One row per package of credits; `price` is in the smallest unit of the currency.
create table customer.credit_package (
    package_slug text primary key,
    name text not null,
    credits bigint not null,
    price bigint not null,
    currency text not null,
    is_offered boolean not null default true,
    constraint credit_package_credits_positive check (credits > 0),
    constraint credit_package_price_positive check (price > 0),
    constraint credit_package_currency_form check (currency ~ '^[a-z]{3}$')
);

-- One row per requested checkout: `price` is the amount to pay. The provider knows the row by `payment_id`.
-- `provider_ref` names the provider's checkout, `charge_ref` its payment. `refusal` is the fault of a paid amount, or
-- the reason of a checkout that was not opened. `refunded` is the refunded part of `price`. `disputes` has the part of
-- `price` that each dispute took, by the id of the dispute, and 0 for a won dispute. `reversed_credits` are the credits
-- of the refunded and disputed parts; `withdrawn_credits` are the reversed credits that the wallet still contained.
create table customer.payment (
    payment_id uuid primary key,
    account_id bigint not null references customer.account,
    provider text not null,
    provider_ref text,
    charge_ref text,
    checkout_url text,
    package_slug text not null references customer.credit_package,
    credits bigint not null,
    price bigint not null,
    currency text not null,
    state text not null,
    refusal text,
    created_at timestamptz not null,
    ended_at timestamptz,
    refunded bigint not null default 0,
    disputes jsonb not null default '{}',
    reversed_credits bigint not null default 0,
    withdrawn_credits bigint not null default 0,
    constraint payment_provider_ref_key unique (provider, provider_ref),
    constraint payment_charge_ref_key unique (provider, charge_ref),
    constraint payment_credits_positive check (credits > 0),
    constraint payment_price_positive check (price > 0),
    constraint payment_reversal_within_price check (
        refunded between 0 and price
        and reversed_credits between 0 and credits
        and withdrawn_credits between 0 and reversed_credits
    ),
    constraint payment_state_known check (state in ('open', 'paid', 'cancelled', 'expired', 'failed', 'refused')),
    constraint payment_ended_unless_open check ((state = 'open') = (ended_at is null)),
    constraint payment_refusal_of_refused check (state <> 'refused' or refusal is not null)
);

create index payment_account_idx on customer.payment (account_id);

-- One row per answered request with an `Idempotency-Key`: the same key within 24 hours gets the same answer.
create table customer.idempotent_answer (
    account_id bigint not null,
    operation text not null,
    idempotency_key text not null,
    request_hash bytea not null,
    headers json not null,
    body json not null,
    created_at timestamptz not null,
    constraint idempotent_answer_pkey primary key (account_id, operation, idempotency_key)
);

create index idempotent_answer_created_at_idx on customer.idempotent_answer (created_at);
