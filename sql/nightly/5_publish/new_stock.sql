-- Counts the new entries of each kind, for stock.sql, in parallel with the transaction that publishes.
-- Reads stage.entry, since the joins of stage.new_entry are not needed here.
create unlogged table stage.new_stock as
select
    entry.voivodeship,
    coalesce(activity_recoded.section, activity_division.section) as activity_section,
    entry.legal_form,
    entry.status,
    count(*) as entry_change,
    count(*) filter (where entry.status <> 'DELETED') as new_count,
    0 as ended_count,
    0 as suspended_count,
    0 as resumed_count,
    0 as returned_count
from stage.entry
left join registry.activity_recoded
    on activity_recoded.version = entry.activity_version
    and activity_recoded.code = entry.activity_main
left join registry.activity_division
    on activity_division.country_code = entry.country_code
    and activity_division.division = left(entry.activity_main, 2)
where
    entry.reason is null
    and entry.gone_date is null
    and entry.declared_status <> 'DELETED'
    and not exists (
        select from stage.pair
        where pair.file_no = entry.file_no and pair.line = entry.line
    )
group by 1, 2, entry.legal_form, entry.status;
