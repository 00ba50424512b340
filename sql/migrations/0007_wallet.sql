-- One row per account: what its ledger sums up to. Credits are whole.
create table customer.wallet (
    account_id bigint not null,
    balance bigint not null default 0,
    total_purchased bigint not null default 0,
    last_transaction_no bigint not null default 0,
    last_no bigint generated always as (nullif(last_transaction_no, 0)) stored,
    constraint wallet_pkey primary key (account_id),
    constraint wallet_account_fkey foreign key (account_id) references customer.account,
    constraint wallet_balance_not_negative check (balance >= 0),
    constraint wallet_total_purchased_not_negative check (total_purchased >= 0),
    constraint wallet_begins_at_zero
        check (last_transaction_no > 0 or last_transaction_no = 0 and balance = 0)
) with (fillfactor = 50);

-- One row per movement of credits, numbered per account without gaps. Each row continues the one
-- before it: its `balance_before` is, by a foreign key, the `balance_after` of that one.
-- `operation_key` names what caused it, such as a payment or a request: it happens once.
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
    constraint wallet_transaction_wallet_fkey
        foreign key (account_id) references customer.wallet (account_id),
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

-- The wallet has the balance of the transaction that it names as its last …
alter table customer.wallet
add constraint wallet_has_balance_of_last_transaction
foreign key (account_id, last_no, balance)
references customer.wallet_transaction (account_id, transaction_no, balance_after);

-- … and that is the last one. Together: the balance is the sum of the transactions.
create function customer.require_last_transaction() returns trigger
language plpgsql as $$
begin
    if exists (
        select
        from customer.wallet
        join customer.wallet_transaction as later
            on later.account_id = wallet.account_id
            and later.transaction_no > wallet.last_transaction_no
        where wallet.account_id = new.account_id
    ) then
        raise exception 'wallet % has transactions after its last one', new.account_id
        using errcode = 'check_violation', constraint = 'wallet_last_transaction_is_last';
    end if;
    return null;
end;
$$;

create trigger wallet_last_transaction_is_last
after insert on customer.wallet_transaction
for each row execute function customer.require_last_transaction();

create trigger wallet_last_transaction_is_last
after update on customer.wallet
for each row when (new.last_transaction_no < old.last_transaction_no)
execute function customer.require_last_transaction();

-- The ledger is only ever added to.
create function customer.refuse_change() returns trigger
language plpgsql as $$
begin
    raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end;
$$;

create trigger wallet_transaction_append_only
before update or delete on customer.wallet_transaction
for each row execute function customer.refuse_change();

create trigger wallet_transaction_no_truncate
before truncate on customer.wallet_transaction
for each statement execute function customer.refuse_change();

-- One row per package of credits; `price` in the smallest unit of the currency.
create table customer.credit_package (
    package_slug text not null,
    name text not null,
    credits bigint not null,
    price bigint not null,
    currency text not null,
    is_offered boolean not null default true,
    constraint credit_package_pkey primary key (package_slug),
    constraint credit_package_credits_positive check (credits > 0),
    constraint credit_package_price_positive check (price > 0),
    constraint credit_package_currency_form check (currency ~ '^[a-z]{3}$')
);

\copy customer.credit_package (package_slug, name, credits, price, currency) from 'credit_package.csv'

-- One row per checkout that was asked for: what was asked for is what has to be paid. The provider
-- knows it by `payment_id`, and we know the provider's checkout by `provider_ref`; `refusal` says what
-- was wrong with what was paid, or why no checkout could be opened.
create table customer.payment (
    payment_id uuid not null,
    account_id bigint not null,
    provider text not null,
    provider_ref text,
    checkout_url text,
    package_slug text not null,
    credits bigint not null,
    price bigint not null,
    currency text not null,
    state text not null,
    refusal text,
    created_at timestamptz not null,
    ended_at timestamptz,
    constraint payment_pkey primary key (payment_id),
    constraint payment_provider_ref_key unique (provider, provider_ref),
    constraint payment_account_fkey foreign key (account_id) references customer.account,
    constraint payment_package_fkey
        foreign key (package_slug) references customer.credit_package (package_slug),
    constraint payment_credits_positive check (credits > 0),
    constraint payment_price_positive check (price > 0),
    constraint payment_state_known
        check (state in ('open', 'paid', 'cancelled', 'expired', 'failed', 'refused')),
    constraint payment_ended_unless_open check ((state = 'open') = (ended_at is null)),
    constraint payment_refusal_of_refused check (state <> 'refused' or refusal is not null)
);

create index payment_account_idx on customer.payment (account_id);

-- One row per request with an `Idempotency-Key` that was answered, or, inside the transaction that
-- answers it, is being answered (`body` null): the same key within 24 hours gives the same answer.
create table customer.idempotent_answer (
    account_id bigint not null,
    operation text not null,
    idempotency_key text not null,
    request_hash bytea not null,
    headers json,
    body json,
    created_at timestamptz not null,
    constraint idempotent_answer_pkey primary key (account_id, operation, idempotency_key)
);

create index idempotent_answer_created_at_idx on customer.idempotent_answer (created_at);

create view analyst.wallet_transaction as
select
    account.user_ref,
    wallet_transaction.type,
    wallet_transaction.amount,
    wallet_transaction.balance_after,
    wallet_transaction.description,
    wallet_transaction.created_at
from customer.wallet_transaction
join customer.account using (account_id);
