-- Updates registry.entry with the results of the night.

-- Keeps the day until which an entry was withdrawn (its personal fields were hidden).
update stage.after
set withdrawn_until = registry.end_withdrawal(before.withdrawn_until, night.dump_date)
from stage.before
cross join stage.night
where
    before.entry_id = after.entry_id
    and before.withdrawn_until is not null
    and after.withdrawn_until is null;

-- Replaces changed entries, and inserts new entries. All changed entries are deleted first, so that two entries can
-- swap keys, and a new entry can take over a key. The entries of a first snapshot were attached by first_attach.sql.
delete from registry.entry
using stage.after
where (entry.company_id, entry.entry_id) = (after.company_id, after.entry_id);

insert into registry.entry
select after.* from stage.after
union all
select new_entry.*
from stage.new_entry
where not (select night.is_baseline from stage.night);

-- Updates unchanged entries whose records have other bytes, another file or a newer version. The pairs are joined to
-- the records first: in another order, each entry would scan all records, since the planner expects only one entry.
with latest as materialized (
    select
        pair.company_id, pair.entry_id, file.file_key, night.dump_date, staged.fingerprint,
        staged.version_no, staged.version_date, staged.version_register, staged.announced_activity,
        staged.closed_units, staged.address_ids, staged.other_names, staged.attributes,
        staged.withdrawn_until
    from stage.pair
    join stage.entry as staged using (file_no, line)
    join stage.file using (file_no)
    cross join stage.night
),

-- Marks the companies of entries with new `other_names` or `attributes`, so that the search reads the companies again.
renamed as (
    update registry.company
    set changed_snapshot_no = (select registry.next_snapshot_no())
    from latest
    join registry.entry as known using (company_id, entry_id)
    where
        company.company_id = latest.company_id
        and (known.other_names, known.attributes) is distinct from (latest.other_names, latest.attributes)
)

update registry.entry
set (
    fingerprint, file_key, version_no, version_date, version_register, announced_activity,
    closed_units, address_ids, other_names, attributes, withdrawn_until
) = (
    latest.fingerprint, latest.file_key, latest.version_no, latest.version_date,
    latest.version_register, latest.announced_activity, latest.closed_units, latest.address_ids,
    latest.other_names, latest.attributes,
    coalesce(
        latest.withdrawn_until,
        registry.end_withdrawal(entry.withdrawn_until, latest.dump_date)
    )
)
from latest
where
    (entry.company_id, entry.entry_id) = (latest.company_id, latest.entry_id)
    and (
        entry.fingerprint, entry.file_key, entry.version_no, entry.version_date,
        entry.version_register, entry.announced_activity, entry.closed_units, entry.address_ids,
        entry.other_names, entry.attributes, entry.withdrawn_until
    ) is distinct from (
        latest.fingerprint, latest.file_key, latest.version_no, latest.version_date,
        latest.version_register, latest.announced_activity, latest.closed_units, latest.address_ids,
        latest.other_names, latest.attributes,
        coalesce(
            latest.withdrawn_until,
            registry.end_withdrawal(entry.withdrawn_until, latest.dump_date)
        )
    );

-- Clears the fingerprint of an entry with a rejected row, so that each night reads the row until it is accepted.
update registry.entry
set fingerprint = null
from stage.reject
cross join stage.night
where
    reject.reject_code <> 'repetition'
    and entry.source = night.source
    and entry.entry_key = reject.entry_key
    and entry.fingerprint is not null;

-- Deletes the events of withdrawn entries: all events of a natural person, and the personal events of a company. When a
-- person's request is lifted, the reappearance of the hidden fields makes no event.
delete from stage.event
using (
    table stage.before
    union all
    table stage.after
) as entry, registry.event_type
where
    entry.withdrawn_until = 'infinity'
    and entry.entry_id = event.entry_id
    and event_type.event_type = event.event_type
    and (
        entry.entity_type = 'NATURAL'
        or registry.is_personal(event_type.category, entry.entity_type)
    );

-- Stores the hashes of a withdrawn person's new numbers, so that later records with these numbers are recognized.
insert into person.suppressed_key (suppression_id, key_hash)
select distinct withdrawn.suppression_id, withdrawn.key_hash
from stage.withdrawn
on conflict do nothing;
