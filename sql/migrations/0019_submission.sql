-- Adds clients' own references of watched companies, and the outcome of each item of a submission to a watch list. A
-- submission whose items all have an outcome is kept until sql/retention/delete_done.sql deletes it.

-- `reference` is the name of the company in the client's own data. A null `identifier_type` means that the client
-- submitted the reference of a company (company_ref), which is in `identifier_value`.
alter table customer.watch
add column reference text,
alter column identifier_type drop not null;

-- `submission_ref` is the opaque name of the submission for clients. `is_reported` states whether a mail reports the
-- outcome: only if the submission added a company to the watch list.
alter table customer.submission
add column submission_ref text not null default gen_random_uuid(),
add column is_reported boolean not null default true,
add column settled_at timestamptz,
add constraint submission_ref_key unique (submission_ref);

create index submission_settled_idx on customer.submission (settled_at);

-- `failure` is the reason why the item failed. The reason is kept when the watch is deleted; if an item without a
-- failure has lost its watch, the item counts as removed.
alter table customer.submission_item
drop constraint submission_item_pkey,
add column reference text,
add column failure jsonb,
add constraint submission_item_pkey primary key (submission_id, item_no);

alter table customer.submission_item
alter column identifier_type drop not null;

update customer.submission_item
set failure = watch.failure
from customer.watch
where watch.watch_id = submission_item.watch_id and watch.failure is not null;
