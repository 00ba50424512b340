-- Adds the clients' references of watched companies, and the outcome of each item of a submission. A settled submission
-- stays until the retention deletes it (sql/retention/delete_done.sql).

-- `reference`: the name of the company in the client's own data. A watch or an item whose `identifier_type` is null
-- was submitted by the reference of a company (company_ref), which `identifier_value` has.
alter table customer.watch
add column reference text,
alter column identifier_type drop not null;

-- `submission_ref`: the opaque name of the submission for clients. `is_reported`: whether a mail reports the outcome,
-- which needs a submission that put a company on the list.
alter table customer.submission
add column submission_ref text not null default gen_random_uuid(),
add column is_reported boolean not null default true,
add column settled_at timestamptz,
add constraint submission_ref_key unique (submission_ref);

create index submission_settled_idx on customer.submission (settled_at);

-- `failure`: the reason for which the item failed. It stays when the watch is deleted; other items then count as
-- removed.
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
