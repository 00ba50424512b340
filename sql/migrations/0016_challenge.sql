-- One row per objection of an account to what is said of a company: the field, what is right, and the
-- evidence. The operator accepts or declines it with an answer. Rows are deleted a while after their end,
-- with the account, and lose their texts with a person who is forgotten.
create table customer.challenge (
    challenge_id bigint generated always as identity primary key,
    account_id bigint not null references customer.account,
    company_id bigint not null,
    field text not null,
    right_value text not null,
    evidence text not null,
    state text not null default 'open',
    answer text,
    created_at timestamptz not null,
    ended_at timestamptz,
    constraint challenge_state_known check (state in ('open', 'accepted', 'declined')),
    constraint challenge_ended_unless_open check ((state = 'open') = (ended_at is null)),
    constraint challenge_answered_unless_open check ((state = 'open') = (answer is null))
);

create index challenge_account_idx on customer.challenge (account_id, company_id, challenge_id);
create index challenge_company_idx on customer.challenge (company_id);
create index challenge_open_idx on customer.challenge (created_at) where state = 'open';
create index challenge_ended_at_idx on customer.challenge (ended_at);

-- It has one period more now.
drop function if exists person.retain(timestamptz, timestamptz, timestamptz, integer);
