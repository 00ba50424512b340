-- Writes how many entries of the registry have each field: what they had, changed by what the night changed.
select
    registry.change_fill(
        night.source,
        'select before.* from stage.before where before.gone_date is null
        union all
        select entry.*
        from stage.vanished
        join registry.entry using (company_id, entry_id)
        where not vanished.waits',
        -1
    ),
    registry.change_fill(
        night.source, 'select after.* from stage.after where after.gone_date is null', 1
    )
from stage.night;

update registry.fill
set filled_count = fill.filled_count + new_fill.filled_count
from stage.new_fill
cross join stage.night
where
    fill.source = night.source
    and fill.stat_date = 'infinity'
    and fill.field = new_fill.field;

insert into registry.fill (source, stat_date, field, filled_count)
select fill.source, night.dump_date, fill.field, fill.filled_count
from registry.fill
cross join stage.night
where
    fill.source = night.source
    and fill.stat_date = 'infinity'
    and not night.is_import;
